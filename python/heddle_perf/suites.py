"""Suites: what is measured, as a TOML file.

    name = "kernels"
    chips = ["hd100", "hd10"]              # hd100 if absent
    options = [["-O3"], ["-O1"]]           # of the compiler; [["-O3"]] if absent

    [[case]]
    manifest = "saxpy/saxpy.json"          # relative to the suite's folder

    [[case]]
    manifest = "sgemm/*.json"              # a case for each file

    [[case]]
    name = "train"                         # a program, timed by the host's clock
    command = ["./train", "--steps", "10"]
    repeat = 10
"""
import dataclasses
import glob
import os
import tomllib
from typing import Iterator, Optional


class SuiteError(Exception):
    """What is wrong with a suite, with its file."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One of manifest and command is there."""

    name: str
    manifest: Optional[str] = None
    command: tuple[str, ...] = ()
    repeat: int = 10
    folder: str = "."


@dataclasses.dataclass(frozen=True)
class Point:
    """A case on a chip with options: what two runs have in common."""

    case: Case
    chip: str
    options: tuple[str, ...]

    @property
    def key(self) -> str:
        if self.case.command:
            return self.case.name
        return " ".join((self.case.name, self.chip, *self.options))


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str
    cases: tuple[Case, ...]
    chips: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]

    def points(self) -> Iterator[Point]:
        for case in self.cases:
            if case.command:
                yield Point(case, "", ())
                continue
            for chip in self.chips:
                for options in self.options:
                    yield Point(case, chip, options)


def _strings(value: object, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise SuiteError("%s is a list of strings" % what)
    return tuple(value)


def _manifest_cases(row: dict, folder: str) -> Iterator[Case]:
    pattern = row["manifest"]
    if not isinstance(pattern, str):
        raise SuiteError("manifest is a string")
    files = sorted(glob.glob(os.path.join(folder, pattern), recursive=True))
    if not files:
        raise SuiteError("there is no manifest %s" % pattern)
    for file in files:
        name = os.path.relpath(os.path.splitext(file)[0], folder)
        yield Case(row.get("name", name) if len(files) == 1 else name, file, folder=folder)


def _cases(row: object, folder: str) -> Iterator[Case]:
    if not isinstance(row, dict) or ("manifest" in row) == ("command" in row):
        raise SuiteError("a case has either manifest or command")
    unknown = set(row) - {"name", "manifest", "command", "repeat"}
    if unknown:
        raise SuiteError("a case has no %s" % ", ".join(sorted(unknown)))
    if "manifest" in row:
        yield from _manifest_cases(row, folder)
        return
    command = _strings(row["command"], "command")
    repeat = row.get("repeat", 10)
    if not command or "name" not in row:
        raise SuiteError("a command has words and a name")
    if not isinstance(repeat, int) or repeat < 3:
        raise SuiteError("repeat is a number from 3 on")
    yield Case(row["name"], None, command, repeat, folder)


def read_suite(path: str) -> Suite:
    """Reads a suite; SuiteError says what is wrong with it."""
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
        folder = os.path.dirname(os.path.abspath(path))
        unknown = set(data) - {"name", "chips", "options", "case"}
        if unknown:
            raise SuiteError("a suite has no %s" % ", ".join(sorted(unknown)))
        cases = tuple(c for row in data.get("case", []) for c in _cases(row, folder))
        if not cases:
            raise SuiteError("there is no [[case]]")
        options = data.get("options", [["-O3"]])
        if not isinstance(options, list) or not options:
            raise SuiteError("options is a list of lists of strings")
        suite = Suite(
            data.get("name", os.path.splitext(os.path.basename(path))[0]),
            cases,
            _strings(data.get("chips", ["hd100"]), "chips"),
            tuple(_strings(o, "each of options") for o in options),
        )
    except (OSError, tomllib.TOMLDecodeError, SuiteError) as problem:
        raise SuiteError("%s: %s" % (path, problem)) from None
    keys = [p.key for p in suite.points()]
    for key in keys:
        if keys.count(key) > 1:
            raise SuiteError("%s: there are two of '%s'" % (path, key))
    return suite
