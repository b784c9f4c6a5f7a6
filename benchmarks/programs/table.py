"""The table of public programs, and where each of them comes from."""
import dataclasses
import pathlib
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in (ROOT / "test" / "Ecosystem", ROOT / "test" / "CUDA"):
    sys.path.insert(0, str(folder))

import projects  # noqa: E402 (the folders have to be known first)
import survey  # noqa: E402

KEYS = {"project": str, "also": list, "folder": str, "checkout": str, "first": int}


class TableError(Exception):
    """What is wrong with the table."""


@dataclasses.dataclass(frozen=True)
class Source:
    """Packages of the registry, or a checkout."""

    name: str
    packages: tuple[str, ...] = ()
    folder: str = ""
    checkout: str = ""  # where it comes from


@dataclasses.dataclass(frozen=True)
class Program:
    """What runs: words, or a row of programs.txt."""

    name: str
    source: Source
    words: tuple[str, ...] = ()
    row: survey.Program | None = None

    @property
    def recipe(self) -> str:
        """All that decides what it launches."""
        return repr((self.name, self.source, self.words, self.row))


def _check(row: dict, known: dict, needed: set, what: str) -> None:
    if unknown := sorted(set(row) - set(known)):
        raise TableError("%s has no %s" % (what, unknown[0]))
    if missing := sorted(needed - set(row)):
        raise TableError("%s needs %s" % (what, missing[0]))
    for key, value in row.items():
        if not isinstance(value, known[key]):
            raise TableError("%s: %s is no %s" % (what, key, known[key].__name__))


def _packages(row: dict, what: str) -> tuple[str, ...]:
    """Those of the project, of the versions that are pinned there."""
    found = next((p for p in projects.read() if p["name"] == row["project"]), None)
    if not found:
        raise TableError("%s: projects.json has no %s" % (what, row["project"]))
    return (*found["packages"], *row.get("also", []))


def _source(name: str, row: object) -> Source:
    what = "source.%s" % name
    if not isinstance(row, dict) or len({"project", "checkout"} & set(row)) != 1:
        raise TableError("%s has one of project and checkout" % what)
    _check(row, KEYS, {"folder"} if "project" in row else set(), what)
    if "checkout" in row:
        return Source(name, checkout=row["checkout"])
    return Source(name, _packages(row, what), row["folder"])


def _rows(source: Source, count: int) -> list[Program]:
    """The first rows of programs.txt that are the source's."""
    rows = [p for p in survey.read_programs(ROOT / "test" / "CUDA" / "programs.txt") if p.suite == source.name]
    if len(rows) < count:
        raise TableError("source.%s: programs.txt has %d programs, not %d" % (source.name, len(rows), count))
    return [Program("%s-%s" % (source.name, row.name), source, row=row) for row in rows[:count]]


def _program(row: object, sources: dict[str, Source]) -> Program:
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise TableError("a program has a name")
    what = "program %s" % row["name"]
    _check(row, {"name": str, "source": str, "run": list}, {"source", "run"}, what)
    if row["source"] not in sources:
        raise TableError("%s: there is no source %s" % (what, row["source"]))
    if not row["run"] or not all(isinstance(word, str) for word in row["run"]):
        raise TableError("%s: run is a list of words" % what)
    if "/" in row["name"]:
        raise TableError("%s: a name has no /" % what)
    return Program(row["name"], sources[row["source"]], tuple(row["run"]))


def read(path: pathlib.Path) -> list[Program]:
    """The programs of a table; TableError says what is wrong with it."""
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as problem:
        raise TableError(str(problem)) from None
    _check(data, {"source": dict, "program": list}, {"source"}, "the table")
    sources = {name: _source(name, row) for name, row in data["source"].items()}
    found = [_program(row, sources) for row in data.get("program", [])]
    for name, row in data["source"].items():
        found += _rows(sources[name], row.get("first", 0))
    names = [program.name for program in found]
    for name in names:
        if names.count(name) > 1:
            raise TableError("there are two programs %s" % name)
    return found
