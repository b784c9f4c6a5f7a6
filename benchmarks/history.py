#!/usr/bin/env python3
"""Measures this project's own history: the kernels of the tree, those of AI workloads and those of
generated shapes, at the commits that change what code is made or how it is timed.

    nice -n 19 benchmarks/history.py FOLDER --minutes 60     # goes on where the last one ended
    benchmarks/history.py FOLDER --spread 8 --quick --retime --commits 34b566f5^..HEAD
    benchmarks/history.py --update                           # the tables of docs/regressions.md
    benchmarks/history.py FOLDER --programs SUITE --kept KEPT --update

FOLDER keeps a work tree with its build (1.5 GB), the suite, a store with all reports, and tools of commits beside which
there are others to measure (75 MB each). The figures go to benchmarks/history.jsonl. Commits before the newest that has
figures are walked backwards, unless they are spread. The first commit with ptx-compile is 34b566f5.

With --programs the kernels are those of public programs, SUITE what programs/suite.py has written, the record
benchmarks/programs/history.jsonl and the page docs/regressions-programs.md. With --kept nothing is built: the commits
are those whose tools another walk has kept, in the folder `kept` of its own."""
import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
RECORD = HERE / "history.jsonl"
PAGE = ROOT / "docs" / "regressions.md"
PROGRAMS_RECORD = HERE / "programs" / "history.jsonl"
PROGRAMS_PAGE = ROOT / "docs" / "regressions-programs.md"
# What ptx-compile and ptx-prof are made of. The rest of a build does not change figures.
PATHS = """cache include isa-defs passes lib/Compiler lib/Conversion lib/DeviceLibrary lib/Dialect lib/Driver lib/Emulator
    lib/IR lib/ISA lib/Link lib/Manifest lib/Metrics lib/Object lib/Options lib/PTX lib/PTXDebug lib/ProfileData
    lib/Runtime lib/Support lib/Target lib/Tooling lib/Tuning tools/heddle-tblgen tools/ptx-compile tools/ptx-prof""".split()
# Without optimisation, but for the emulator, it is built in half the time.
QUICK = """sed -i 's/CMAKE_CXX_FLAGS_RELEASE "-O2"/CMAKE_CXX_FLAGS_RELEASE "-O0 -Xclang -fno-validate-pch"/' \\
    cmake/HeddleOptions.cmake && for list in lib/Emulator/CMakeLists.txt; do
    [ ! -e $list ] || sed -i '1i add_compile_options(-O2)' $list; done"""
# The first commits have no ptx-prof. That of another commit is not theirs.
BUILD = """{ [ -e build/build.ninja ] || cmake --preset default; } && rm -f build/bin/ptx-prof &&
    ninja -C build -j%d $(cd tools && ls -d ptx-compile ptx-prof)"""
THRESHOLD = 0.1  # Per cent: cycles are exact.
# One product of AI workloads takes a fifth of the time of all others, and is left out.
SUITE = """name = "history"
chips = ["hd100"]
%s"""
CASES = ("kernels/*/*.json", "ai/[!g]*.json", "ai/gemv*.json", "ai/gemm-m64*.json", "shapes/*.json")


def perf(*words: object) -> None:
    sys.path.insert(0, str(ROOT / "python"))
    from heddle_perf.cli import main  # pylint: disable=import-outside-toplevel

    if status := main([str(word) for word in words]):
        sys.exit(status)


def write_suite(folder: pathlib.Path) -> pathlib.Path:
    """Once: figures of later commits are to be those of the same kernels."""
    path = folder / "suite.toml"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernels").symlink_to(ROOT / "test" / "kernels")
    subprocess.run([sys.executable, HERE / "ai" / "suite.py", folder / "ai"], check=True)
    perf("generate", folder / "shapes")
    path.write_text(SUITE % "".join('[[case]]\nmanifest = "%s"\n' % c for c in CASES), encoding="utf-8")
    return path


def walk(options: argparse.Namespace) -> None:
    options.folder.mkdir(parents=True, exist_ok=True)
    words = ["measure-commits", options.programs or write_suite(options.folder / "suite"), options.commits]
    words += ["--repository", ROOT, "--record", options.record, "--folder", options.folder]
    build = BUILD % options.jobs
    words += ["--kept", options.kept] if options.kept else ["--build", QUICK + " && " + build if options.quick else build]
    words += ["--every", options.every, "--threshold", THRESHOLD]
    words += ["--spread", options.spread] if options.spread else []
    words += ["--minutes", options.minutes] if options.minutes else []
    words += ["--again"] if options.again else []
    words += ["--retime"] if options.retime else []
    perf("--store", options.folder / "store.db", *words, "--paths", *PATHS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--commits", default="HEAD", help="as git names them; default: %(default)s")
    parser.add_argument("--every", type=int, default=1, help="only each so many of them")
    parser.add_argument("--spread", type=int, metavar="N", help="only N, in the middle of what is not measured")
    parser.add_argument("--quick", action="store_true", help="build for one measurement: without optimisation")
    parser.add_argument("--jobs", type=int, default=1, help="of a build; default: %(default)s")
    parser.add_argument("--minutes", type=int, help="begin no commit after so many")
    parser.add_argument("--again", action="store_true", help="try again what gave no figures")
    parser.add_argument("--retime", action="store_true", help="time all code by the newest model, too")
    parser.add_argument("--update", action="store_true", help="write the tables of the page")
    parser.add_argument("--programs", type=pathlib.Path, metavar="SUITE", help="of kernels of public programs")
    parser.add_argument("--kept", type=pathlib.Path, metavar="FOLDER", help="measure only what has tools there")
    options = parser.parse_args()
    options.record = PROGRAMS_RECORD if options.programs else RECORD
    os.environ["HEDDLE_CACHE_MODE"] = "off"  # A cache of other commits is not to answer.
    if options.folder:
        walk(options)
    if options.update:
        perf("steps", options.record, "--threshold", THRESHOLD, "--update", PROGRAMS_PAGE if options.programs else PAGE)


if __name__ == "__main__":
    main()
