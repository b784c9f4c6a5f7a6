#!/usr/bin/env python3
"""Runs NVIDIA's nccl-tests under ptx-env and reports what their own checks say.

    test/CUDA/nccl_tests.py --build=DIR --work=DIR [--bin=DIR] [--devices=2,4,8]
                            [--only=REGEX] [--library=DIR] [--skip-launches] [--write]

The sources are not part of this repository. DIR of --build is where nccl-tests were built,
with PTX only and, for several processes, a second time with MPI and names that end in _mpi:

    make NCCL_HOME=... NVCC_GENCODE=-gencode=arch=compute_90,code=compute_90
    make MPI=1 MPI_HOME=... NAME_SUFFIX=_mpi, and the same

Each program runs on each number of devices, by one thread for all (-g), by a thread for each
(-t) and by a process for each (mpirun), over all data types and, where it reduces, all
operations. A run passes if it exits with 0, checks as many rows as it was given, and finds
no wrong element. Results are kept in the work folder, so that a later call of the same goes
on; --write puts those of Heddle's own library into docs/devices.md. --library has programs
use the libnccl.so.2 of a folder, such as NVIDIA's, in place of Heddle's; it is compiled
once, which takes minutes, without optimization.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "devices.md"
BEGIN = "<!-- Written by test/CUDA/nccl_tests.py. -->\n"
END = "<!-- End of that. -->\n"

PROGRAMS = ("all_reduce", "reduce", "reduce_scatter", "all_gather", "broadcast", "gather",
            "scatter", "alltoall", "alltoallv", "sendrecv", "hypercube")
REDUCING = ("all_reduce", "reduce", "reduce_scatter")
WAYS = ("thread", "threads", "processes")
TYPES, OPERATIONS = 12, 6
SIZES = ("64", "4096")
ROW = re.compile(r"^\s*\d+\s+\d+\s+[a-z]\w+\s")


def runs(numbers):
    """Each program with each way and number of devices; None is what cannot be."""
    for program in PROGRAMS:
        for way in WAYS:
            for number in numbers:
                # With -g all rounds are in one group of calls, each of which needs what the one
                # before it has received.
                if (program, way) != ("hypercube", "thread"):
                    yield program, way, number


def command(program, way, number, options):
    sizes = ["-b", SIZES[0], "-e", SIZES[1], "-f", "64", "-n", "1", "-w", "1", "-d", "all", "-o", "all"]
    shape = {"thread": ["-g", str(number)], "threads": ["-t", str(number), "-g", "1"],
             "processes": ["-g", "1"]}[way]
    suffix = "_mpi" if way == "processes" else ""
    own = [str(options.bin / "ptx-env"), "--devices", f"{number}xhd100"]
    program = [str(options.build / f"{program}_perf{suffix}"), *shape, *sizes]
    own += program if not options.library else [
        "-O0", "sh", "-c", f'LD_PRELOAD={shlex.quote(str(options.library))}/libnccl.so.2:$LD_PRELOAD exec "$@"',
        "sh", *program]
    if way != "processes":
        return own
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(number), *own]


def judge(program, output, status):
    """Whether a run passes, how many checks it did, and what it says if it does not pass."""
    rows = [line.split() for line in output.splitlines() if ROW.match(line)]
    # Of out of place and of in place the last of four columns; N/A where a program has no such way.
    checks = [word for row in rows for word in (row[-5], row[-1]) if word != "N/A"]
    wrong = sum(float(word) != 0 for word in checks)
    expected = len(SIZES) * TYPES * (OPERATIONS if program in REDUCING else 1)
    if status != 0:
        last = [line for line in output.splitlines() if line.strip()] or ["nothing"]
        return False, len(checks), f"exit status {status}: {last[-1].strip()[:160]}"
    if len(rows) < expected or not checks:
        return False, len(checks), f"{len(rows)} rows of {expected}"
    if wrong or "Out of bounds values : 0 OK" not in output:
        return False, len(checks), f"{wrong} of {len(checks)} checks are wrong"
    return True, len(checks), ""


def run(program, way, number, options):
    started = time.monotonic()
    line = command(program, way, number, options)
    # nccl-tests compare on the device: their own kernels have to run.
    skipped = {"HEDDLE_SKIP_LAUNCHES": "ncclDevKernel" if options.library else "heddle_collective"}
    environment = os.environ | (skipped if options.skip_launches else {})
    try:
        done = subprocess.run(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=options.seconds)
        output, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        output, status = (late.stdout or b"").decode(errors="replace"), 124
    (options.work / f"{program}-{way}-{number}.log").write_text(" ".join(line) + "\n" + output)
    passed, checks, why = judge(program, output, status)
    return {"passed": passed, "checks": checks, "why": why,
            "seconds": round(time.monotonic() - started, 1)}


def table(results, numbers):
    head = ["program"] + [f"{way}, {number}" for way in ("one thread", "threads", "processes") for number in numbers]
    lines = [head, ["---"] * len(head)]
    for program in PROGRAMS:
        cells = [f"`{program}_perf`"]
        for way in WAYS:
            for number in numbers:
                result = results.get(f"{program} {way} {number}")
                cells.append("" if result is None else str(result["checks"]) if result["passed"] else "fails")
        lines.append(cells)
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def write(results, numbers):
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    behind = rest.split(END)[1]
    PAGE.write_text(before + BEGIN + table(results, numbers) + END + behind)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--devices", type=lambda text: [int(word) for word in text.split(",")], default=[2, 4, 8])
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX",
                        help="of PROGRAM WAY NUMBER, such as 'all_reduce threads 4'")
    parser.add_argument("--library", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=600, help="for a run")
    parser.add_argument("--skip-launches", action="store_true", help="of the library's kernels: all runs have to fail")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    if not (options.build / "all_reduce_perf").exists():
        parser.error(f"{options.build} has no all_reduce_perf")
    return options


def main():
    options = parse_arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    record = options.work / "results.json"
    results = json.loads(record.read_text()) if record.exists() else {}
    for program, way, number in runs(options.devices):
        name = f"{program} {way} {number}"
        if not options.only.search(name):
            continue
        if not results.get(name, {}).get("passed"):
            results[name] = run(program, way, number, options)
            record.write_text(json.dumps(results, indent=1))
        result = results[name]
        print(f"{name}: {'passes' if result['passed'] else 'FAILS: ' + result['why']}"
              f" ({result['checks']} checks, {result['seconds']} s)", flush=True)
    if options.write:
        if options.library or options.skip_launches:
            sys.exit("nccl_tests: only results of Heddle's own library are written")
        write(results, options.devices)
    failed = [name for name, result in results.items() if not result["passed"]]
    print(f"{len(results) - len(failed)} of {len(results)} runs pass, "
          f"{sum(result['checks'] for result in results.values())} checks")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
