"""Suites: what is measured, as a TOML file.

    name = "kernels"
    chips = ["hd100", "hd10"]              # hd100 if absent
    options = [["-O3"], ["-O1"]]           # of the compiler; [["-O3"]] if absent
    options.tuned = ["-O3", "--tuning=t"]  # or with names, which points then have

    [[case]]
    manifest = "saxpy/saxpy.json"          # relative to the suite's folder

    [[case]]
    manifest = "sgemm/*.json"              # a case for each file

    [[case]]
    name = "train"                         # a program, timed by the host's clock
    command = ["./train", "--steps", "10"]
    repeat = 10

    [[case]]
    name = "attention"                     # a program whose kernels are measured, each as it
    capture = ["python3", "attention.py"]  # is launched first: of Triton, Numba, CuPy, C++
"""
import dataclasses
import glob
import os
import tomllib
from typing import Iterator, Optional


TUNING = "--tuning="


class SuiteError(Exception):
    """What is wrong with a suite, with its file."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One of manifest, command and capture is there."""

    name: str
    manifest: Optional[str] = None
    command: tuple[str, ...] = ()
    repeat: int = 10
    folder: str = "."
    capture: tuple[str, ...] = ()  # see capture.py, which makes cases with manifests of it


@dataclasses.dataclass(frozen=True)
class Point:
    """A case on a chip with options: what two runs have in common."""

    case: Case
    chip: str
    options: tuple[str, ...]
    name: str = ""  # of the options; empty: themselves

    @property
    def key(self) -> str:
        if self.case.command:
            return self.case.name
        return " ".join((self.case.name, self.chip, *([self.name] if self.name else self.options)))

    def _tuning_file(self, option: str) -> Optional[str]:
        """The tuning document that an option names; it lies where the suite does."""
        if not option.startswith(TUNING) or option.startswith(TUNING + "{"):
            return None
        return os.path.join(self.case.folder, option[len(TUNING) :])

    @property
    def compiler_options(self) -> tuple[str, ...]:
        """As the compiler takes them from any folder."""
        files = [(option, self._tuning_file(option)) for option in self.options]
        return tuple(TUNING + os.path.abspath(f) if f else option for option, f in files)

    def tuning(self) -> Optional[str]:
        """The text of the tuning document, if there is one."""
        for file in filter(None, map(self._tuning_file, self.options)):
            with open(file, encoding="utf-8") as text:
                return text.read()
        return None


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str
    cases: tuple[Case, ...]
    chips: tuple[str, ...]
    options: dict[str, tuple[str, ...]]  # by their names; what begins with a - is none

    def points(self) -> Iterator[Point]:
        for case in self.cases:
            if case.command:
                yield Point(case, "", ())
                continue
            for chip in self.chips:
                for name, options in self.options.items():
                    yield Point(case, chip, options, "" if name.startswith("-") else name)


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
    if not isinstance(row, dict) or len({"manifest", "command", "capture"} & set(row)) != 1:
        raise SuiteError("a case has one of manifest, command and capture")
    unknown = set(row) - {"name", "manifest", "command", "capture", "repeat"}
    if unknown:
        raise SuiteError("a case has no %s" % ", ".join(sorted(unknown)))
    if "manifest" in row:
        yield from _manifest_cases(row, folder)
        return
    kind = "capture" if "capture" in row else "command"
    command = _strings(row[kind], kind)
    repeat = row.get("repeat", 10)
    if not command or "name" not in row:
        raise SuiteError("a command has words and a name")
    if kind == "capture":
        yield Case(row["name"], folder=folder, capture=command)
        return
    if not isinstance(repeat, int) or repeat < 3:
        raise SuiteError("repeat is a number from 3 on")
    yield Case(row["name"], None, command, repeat, folder)


def _options(value: object) -> dict[str, tuple[str, ...]]:
    if isinstance(value, dict) and value:
        return {name: _strings(words, "options." + name) for name, words in value.items()}
    if not isinstance(value, list) or not value:
        raise SuiteError("options is a list of lists of strings, or such lists by their names")
    lists = [_strings(words, "each of options") for words in value]
    named = {" ".join(words) or "-": words for words in lists}
    if len(named) < len(lists):
        raise SuiteError("the same options stand there twice")
    return named


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
        suite = Suite(
            data.get("name", os.path.splitext(os.path.basename(path))[0]),
            cases,
            _strings(data.get("chips", ["hd100"]), "chips"),
            _options(data.get("options", [["-O3"]])),
        )
    except (OSError, tomllib.TOMLDecodeError, SuiteError) as problem:
        raise SuiteError("%s: %s" % (path, problem)) from None
    keys = [p.key for p in suite.points()]
    for key in keys:
        if keys.count(key) > 1:
            raise SuiteError("%s: there are two of '%s'" % (path, key))
    return suite
