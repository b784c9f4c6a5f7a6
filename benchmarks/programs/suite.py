#!/usr/bin/env python3
"""Writes kernels of public programs as launch manifests and a suite of them, for heddle-perf.

    benchmarks/programs/suite.py FOLDER --install     # brings packages of the registry, once
    benchmarks/programs/suite.py FOLDER [--checkout NAME=FOLDER]...
    heddle-perf nightly FOLDER/programs.toml          # measures, compares, and explains changes

programs.toml says which. A program runs on the emulator the first time, and again if its row or
version is another one; --again runs all. What is not there is left out, by its name and with the
reason. Checkouts may also be named in HEDDLE_CHECKOUTS, with a colon between two; nvcc, which has
to be in PATH, builds their programs. The exit status is 1 if a program that is there fails, or if
none is there. FOLDER gets what others have written: it is no place in a repository."""
import argparse
import json
import os
import pathlib
import re
import sys

from kernels import CHIP, Kernels, Limits, ProgramError, Tools, capture, known
from table import HERE, ROOT, Program, Source, TableError, read, survey

import environments
import rodinia

BUILD = ROOT / "build" / "bin"


class Place:
    """Where sources are on this machine."""

    def __init__(self, folder: pathlib.Path, checkouts: dict[str, pathlib.Path]):
        self.folder, self.checkouts = folder, checkouts

    def _home(self, source: Source) -> pathlib.Path:
        return self.folder / "environments" / source.name

    def install(self, source: Source) -> None:
        """Makes the environment of a source, if it is not there as the table has it."""
        project = {"name": source.name, "packages": list(source.packages)}
        environments.make_python(project, self.folder / "environments")

    def packages(self, source: Source) -> pathlib.Path:
        """The folder of an environment's packages."""
        home = self._home(source)
        try:
            installed = (home / "packages.txt").read_text(encoding="utf-8")
        except FileNotFoundError:
            installed = ""
        if installed != "\n".join(source.packages):
            raise environments.Unavailable("the packages are not installed: --install")
        return next(home.glob("lib/python3*/site-packages"))

    def checkout(self, source: Source) -> pathlib.Path:
        if source.name not in self.checkouts:
            raise environments.Unavailable("no checkout of %s: --checkout %s=FOLDER" % (source.checkout, source.name))
        return self.checkouts[source.name]

    def _built(self, program: Program) -> list[str]:
        """The program of a row of programs.txt, built by nvcc."""
        suites, work = self.folder / "suites", self.folder / "built"
        suites.mkdir(parents=True, exist_ok=True)
        work.mkdir(parents=True, exist_ok=True)
        link = suites / program.source.name
        link.unlink(missing_ok=True)
        link.symlink_to(self.checkout(program.source))
        options = argparse.Namespace(suites=str(suites), work=str(work), toolkit=None, runtime="static")
        try:
            binary, complaint = survey.build(program.row, options)
        except FileNotFoundError as problem:
            raise environments.Unavailable("%s is not there" % problem.filename) from None
        if not binary:
            raise environments.Unavailable("not built: %s" % survey.complaint_of(complaint))
        for name in program.row.marked(survey.INPUT):
            rodinia.INPUTS[name](survey.folder_of(program.row, options))
        return [binary, *program.row.arguments]

    def command(self, program: Program) -> tuple[list[str], pathlib.Path, dict]:
        """What runs, where, and with which variables; Unavailable if it is not there."""
        if program.row:
            words = self._built(program)
            cwd = self.folder / "suites" / program.row.suite / program.row.folder
            number = (program.row.marked(survey.ARCHITECTURE) or [survey.DEFAULT_ARCHITECTURE])[0].rstrip("af")
            return words, cwd, {"HEDDLE_COMPUTE_CAPABILITY": number[:-1] + "." + number[-1]}
        if program.source.checkout:
            return list(program.words), self.checkout(program.source), {}
        script = self.packages(program.source) / program.source.folder / program.words[0]
        cwd = self.folder / "work"
        cwd.mkdir(parents=True, exist_ok=True)
        return [str(self._home(program.source) / "bin" / "python"), str(script), *program.words[1:]], cwd, {}


def write_suite(folder: pathlib.Path, found: dict[str, Kernels]) -> int:
    """The number of kernels."""
    text = 'name = "public-programs"\nchips = %s\noptions = [["-O3"]]\n' % json.dumps([CHIP])
    for program, kernels in found.items():
        for kernel in kernels.kept:
            path = "captures/%s/%s" % (program, kernel.manifest)
            text += "\n[[case]]\nname = %s\nmanifest = %s\n" % (
                json.dumps("%s/%s" % (program, kernel.name)), json.dumps(path))
    (folder / "programs.toml").write_text(text, encoding="utf-8")
    return sum(len(kernels.kept) for kernels in found.values())


def kernels_of(program: Program, place: Place, options: argparse.Namespace) -> Kernels:
    folder = options.folder / "captures" / program.name
    limits = Limits(instructions=options.most_instructions)
    kept = None if options.again else known(program, limits, folder)
    if kept:
        return kept
    command, cwd, environment = place.command(program)
    return capture(Tools(str(options.tools)), program, command, cwd, environment, folder, limits, options.jobs)


def make(programs: list[Program], place: Place, options: argparse.Namespace) -> int:
    found, status = {}, 0
    for program in programs:
        try:
            found[program.name] = kernels = kernels_of(program, place, options)
        except environments.Unavailable as reason:
            print("left out: %s: %s" % (program.name, reason), flush=True)
            continue
        except ProgramError as reason:
            print("fails: %s: %s" % (program.name, reason), flush=True)
            status = 1
            continue
        print("%s: %d kernels" % (program.name, len(kernels.kept)), flush=True)
        for kernel, reason in kernels.left_out.items():
            print("  left out: %s: %s" % (kernel, reason), flush=True)
    if not found:
        print("none of %d programs is there" % len(programs))
        return 1
    count = write_suite(options.folder, found)
    print("%s: %d kernels of %d programs; %d programs are not there or fail" % (
        options.folder / "programs.toml", count, len(found), len(programs) - len(found)))
    return status


def install(programs: list[Program], place: Place) -> int:
    status = 0
    for source in dict.fromkeys(p.source for p in programs if p.source.packages):
        try:
            place.install(source)
            print("%s: %d packages" % (source.name, len(source.packages)))
        except environments.Unavailable as reason:
            print("not to be had: %s: %s" % (source.name, reason))
            status = 1
    return status


def checkouts_of(words: list[str], programs: list[Program]) -> dict[str, pathlib.Path]:
    names = {program.source.name for program in programs if program.source.checkout}
    found = {}
    for word in words:
        name, _, folder = word.partition("=")
        if name not in names or not os.path.isdir(folder):
            raise TableError("%s is not NAME=FOLDER of %s" % (word, ", ".join(sorted(names)) or "nothing"))
        found[name] = pathlib.Path(folder).resolve()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--table", type=pathlib.Path, default=HERE / "programs.toml", help="default: that beside this")
    parser.add_argument("--install", action="store_true", help="make the environments, and nothing else")
    parser.add_argument("--checkout", action="append", default=[], metavar="NAME=FOLDER", help="of a source")
    parser.add_argument("--only", type=re.compile, default="", metavar="REGEX", help="programs by their names")
    parser.add_argument("--again", action="store_true", help="run programs whose kernels are there already")
    parser.add_argument("--most-instructions", type=int, default=Limits.instructions, metavar="N",
                        help="of warps, in a launch that is measured; default: %(default)s")
    parser.add_argument("--tools", type=pathlib.Path, default=BUILD, help="where ptx-env is; default: build/bin")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="launches at a time; default: %(default)s")
    options = parser.parse_args()
    given = [word for word in os.environ.get("HEDDLE_CHECKOUTS", "").split(":") if word]
    try:
        table = read(options.table)
        place = Place(options.folder, checkouts_of([*given, *options.checkout], table))
    except TableError as problem:
        print("suite.py: error: %s: %s" % (options.table.name, problem), file=sys.stderr)
        return 2
    programs = [program for program in table if re.search(options.only, program.name)]
    options.folder.mkdir(parents=True, exist_ok=True)
    return install(programs, place) if options.install else make(programs, place, options)


if __name__ == "__main__":
    sys.exit(main())
