"""Measures a suite at many commits, and keeps the figures in a text that can be committed.

The commits are walked from the last to the first in one work tree, so that each build is
a small one, or spread, so that a few of them tell of all. A line of the record is a commit
with all of its points, and is written when the commit is through: a walk that was ended
goes on behind the last line.
"""
import bisect
import dataclasses
import json
import os
import re
import subprocess
import time
from typing import Callable, Collection, Iterator, Optional, Sequence

from .bisect import BisectError, bisect_passes
from .commits import Build, KeptTools, git, lasting_work_tree
from .lines import PTXLines
from .measure import Bench, launches_of, measure_kernels, single_module
from .store import Result, Store, StoredResult, StoreError
from .suites import Point, Suite
from .tools import Tools

MOST_PASSES = 2  # points of a commit for which the pass is looked for


class RecordError(Exception):
    """What is wrong with a record."""


@dataclasses.dataclass
class Entry:
    """A commit, with [cycles, instructions that warps execute, registers, instructions of the
    code] of each point. What could not be told is None."""

    commit: str
    number: int  # of commits up to it
    date: str
    title: str
    previous: str = ""  # the next older one that changes what the tools are made of
    figures: dict[str, list[Optional[int]]] = dataclasses.field(default_factory=dict)
    failures: dict[str, str] = dataclasses.field(default_factory=dict)
    failure: str = ""  # of the commit as a whole
    after: str = ""  # the commit that `causes` lead to
    causes: dict[str, str] = dataclasses.field(default_factory=dict)
    model: str = ""  # the commit whose model timed the code of this one once more
    modelled: dict[str, int] = dataclasses.field(default_factory=dict)  # the cycles of that

    def line(self, like: Optional["Entry"]) -> str:
        """With `like`, figures that both have are left out."""
        kept = dataclasses.asdict(self)
        if like and set(like.figures) == set(self.figures):
            kept["figures"] = {k: v for k, v in self.figures.items() if v != like.figures[k]}
            kept["like"] = like.commit
        kept = {k: v for k, v in kept.items() if v != {} and v != ""}
        return json.dumps(kept, separators=(",", ":"), ensure_ascii=False)


class Record:
    """A file with an entry in each line, of figures those that are others than in the line before.
    Of two entries of a commit the later one counts."""

    def __init__(self, path: str):
        self.path = path
        self.entries: dict[str, Entry] = {}
        self._last: Optional[Entry] = None  # with figures
        self._size = 0  # of whole lines: a walk may have been killed while it wrote one
        if not os.path.exists(path):
            return
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    break
                self._size += len(line)
                try:
                    self._take(json.loads(line))
                except (KeyError, TypeError, ValueError):
                    raise RecordError("%s:%d: this is no commit" % (path, number)) from None

    def _take(self, data: dict) -> None:
        like = data.pop("like", "")
        entry = Entry(**data)
        if like:
            entry.figures = {**self.entries[like].figures, **entry.figures}
        self._keep(entry)

    def _keep(self, entry: Entry) -> None:
        self.entries[entry.commit] = entry
        if entry.figures:
            self._last = entry

    def add(self, entry: Entry) -> None:
        line = (entry.line(self._last) + "\n").encode()
        self._keep(entry)
        with open(self.path, "ab") as file:
            file.truncate(self._size)
            file.write(line)
        self._size += len(line)

    def ordered(self) -> list[Entry]:
        """From the newest to the oldest."""
        return sorted(self.entries.values(), key=lambda e: -e.number)

    def measured(self) -> list[Entry]:
        """Those with figures."""
        return [e for e in self.ordered() if not e.failure]

    def beside(self, entry: Entry) -> tuple[Optional[Entry], Optional[Entry]]:
        """Of those with figures the next older one, and the next newer one."""
        measured = self.measured()
        older = next((e for e in measured if e.number < entry.number), None)
        newer = next((e for e in reversed(measured) if e.number > entry.number), None)
        return older, newer

    def before(self, entry: Entry) -> str:
        """The commit before, without those that are known to give no figures."""
        commit = entry.previous
        while commit in self.entries and self.entries[commit].failure:
            commit = self.entries[commit].previous
        return commit

    def at_stretches(self) -> list[str]:
        """The commits with figures at whose side there is one that has not been tried."""
        before = {entry.commit: self.before(entry) for entry in self.measured()}
        joined = set(before.values())
        return [c for c, b in before.items() if c not in joined or (b and b not in before)]


# ===- A commit ------------------------------------------------------------------===


def _registers(launch: dict) -> int:
    return int(launch["metrics"]["launch__registers_per_thread"]["value"])


def executed_by(report: dict) -> int:
    """The instructions that warps executed."""
    return sum(launch["profile"]["warp_instructions"] for launch in report["launches"])


def figures_of(result: Result) -> list[Optional[int]]:
    """What older tools do not tell is None."""
    report = json.loads(result.artefacts["report"])
    profiles = [launch["profile"] for launch in report["launches"]]
    try:
        registers = max(map(_registers, report["launches"]))
    except KeyError:
        registers = None
    return [
        sum(launch.cycles for launch in result.launches),
        executed_by(report),
        registers,
        sum(len(profile["instructions"]) for profile in profiles),
    ]


def _measured(tools: Tools, point: Point) -> Result:
    """Whatever goes wrong is the point's failure: tools of other times may say anything."""
    try:
        return measure_kernels(tools, point, keep=False)
    except (KeyError, OSError, TypeError, ValueError, subprocess.TimeoutExpired) as problem:
        kind = type(problem).__name__
        return Result(point.key, "cycles", "%s: %s" % (kind, problem))


# ===- Causes --------------------------------------------------------------------===


def with_code_of(
    tools: Tools, compiler: Tools, point: Point, executed: Optional[int]
) -> Optional[int]:
    """The cycles of a point by these tools' model with the code of another compiler, whose own
    tools executed so many instructions of warps. None if these tools do not know the code, or
    the compiler does not end."""
    try:
        return _with_code_of(tools, compiler, point, executed)
    except subprocess.TimeoutExpired:
        return None


def _with_code_of(
    tools: Tools, compiler: Tools, point: Point, executed: Optional[int]
) -> Optional[int]:
    module = single_module(point)
    if not module:
        return None
    with Bench(tools, point) as bench:
        made = os.path.join(bench.folder, "other.hdo")
        words = ["-lineinfo", "--chip=" + point.chip, *point.compiler_options, module, "-o", made]
        if compiler.run("ptx-compile", *words).returncode:
            return None
        with open(made, "rb") as code, open(point.case.manifest, encoding="utf-8") as manifest:
            text = manifest.read()
            report = bench.report(text, code.read())
    if not report:
        return None
    # Code that means something else to these tools may end without a fault.
    if "expect" not in json.loads(text) and executed_by(json.loads(report)) != executed:
        return None
    return sum(launch.cycles for launch in launches_of(report))


def _parts(before: int, between: Optional[int], after: int) -> str:
    """Of a change: what the compiler made, and what the model."""
    if between is None:
        return "compiler or model: the code of the one does not run with the other"
    model = round(100 * (between - before) / (after - before))
    if model == 0:
        return "compiler: the same model has other code"
    if model == 100:
        return "model: the code is the same, or takes the same cycles"
    return "compiler %d %%, model %d %%: the code of before takes %s cycles now" % (
        100 - model,
        model,
        f"{between:,}",
    )


class _Causes:
    """Explains changes from one commit to the next while the tools of both are there."""

    def __init__(self, store: Store, before: Tools, after: Tools, commits: tuple[str, str]):
        self.before, self.after, self.passes = before, after, 0
        self.old, self.new = (store.results(store.find(c)) for c in commits)
        self.store = store

    def _pass(self, point: Point) -> Iterator[str]:
        if self.passes == MOST_PASSES:
            return
        self.passes += 1
        try:
            found = bisect_passes(self.before, self.after, point)
        except (BisectError, KeyError, OSError, ValueError, subprocess.TimeoutExpired):
            return
        yield found.sentence().split(";")[0]

    def _words(self, old: StoredResult, new: StoredResult) -> list[str]:
        try:
            return PTXLines().words(self.store.report(old), self.store.report(new))
        except (KeyError, StoreError):
            return []

    def of(self, point: Point, executed: Optional[int]) -> str:
        """`executed` by the code of before."""
        old, new = self.old[point.key], self.new[point.key]
        between = with_code_of(self.after, self.before, point, executed)
        parts = [_parts(old.cycles, between, new.cycles)]
        if between != new.cycles:
            parts += self._pass(point)
        return "; ".join(parts + self._words(old, new))


def changed(before: Entry, after: Entry, threshold: float) -> list[str]:
    """The points whose cycles are others, that with the largest ratio first."""
    ratios = {
        key: figures[0] / before.figures[key][0]
        for key, figures in after.figures.items()
        if before.figures.get(key, [0])[0]
    }
    keys = [k for k, r in ratios.items() if not 1 - threshold <= r <= 1 + threshold]
    return sorted(keys, key=lambda k: -max(ratios[k], 1 / ratios[k]))


# ===- The walk ------------------------------------------------------------------===


def chosen_commits(repository: str, commits: str, paths: Sequence[str]) -> list[str]:
    """Those that change one of the paths, from the newest to the oldest, on the first parents'
    way."""
    return git(repository, "rev-list", "--first-parent", commits, "--", *paths).split()


def spread(commits: Sequence[str], known: Collection[str], count: int) -> list[str]:
    """So many of the commits that are not known: the last and the first of all, then each time
    the one in the middle of the longest stretch between two that are known or chosen."""
    at = sorted(i for i, commit in enumerate(commits) if commit in known)
    chosen: list[int] = []
    while len(chosen) < min(count, len(commits) - len(at) + len(chosen)):
        if len(commits) - 1 not in at:
            middle = len(commits) - 1
        elif 0 not in at:
            middle = 0
        else:
            newer, older = max(zip(at, at[1:]), key=lambda pair: pair[1] - pair[0])
            middle = (newer + older) // 2
        bisect.insort(at, middle)
        chosen.append(middle)
    return [commits[i] for i in chosen]


@dataclasses.dataclass
class Walk:
    build: Build
    suite: Suite
    paths: Sequence[str]  # what the tools are made of; all if empty
    record: Record
    store: Store
    folder: str  # the work tree, and the tools of the commit before
    told: Callable[[str], None]
    threshold: float
    again: bool = False  # also what had no figures
    is_retimed: bool = False  # by the newest model, too

    @property
    def _kept(self) -> KeptTools:
        return KeptTools(os.path.join(self.folder, "kept"))

    def run(self, commits: Sequence[str], until: float) -> int:
        """The number of commits that were measured. No commit is begun after `until`."""
        os.makedirs(self.folder, exist_ok=True)
        os.makedirs(self._kept.folder, exist_ok=True)
        tree = lasting_work_tree(self.build.repository, os.path.join(self.folder, "tree"))
        count = 0
        for commit in commits:
            known = self.record.entries.get(commit)
            if known and not (self.again and known.failure):
                continue
            if time.time() >= until:
                break
            entry = self._entry(commit)
            self._measure(tree, entry)
            self.record.add(entry)
            self._kept.drop(self.record.at_stretches())
            self.told(_progress(entry))
            count += not entry.failure
        return count

    def _points(self) -> list[Point]:
        return [p for p in self.suite.points() if p.case.manifest]

    def _entry(self, commit: str) -> Entry:
        repository = self.build.repository
        date, title = git(repository, "log", "-1", "--format=%cI %s", commit).split(" ", 1)
        number = int(git(repository, "rev-list", "--count", "--first-parent", commit))
        before = chosen_commits(repository, commit, self.paths)
        older = [c for c in before[:2] if c != commit]
        return Entry(commit, number, date, title, older[0] if older else "")

    def _measure(self, tree: str, entry: Entry) -> None:
        entry.failure = self.build.make(tree, entry.commit)
        if entry.failure:
            return
        tools = self.build.tools(tree)
        points = self._points()
        can_measure = tools.has("ptx-prof")
        results = [_measured(tools, point) for point in points] if can_measure else []
        with self.store.adding(self.suite.name, entry.commit, tools.version()) as run:
            for result in results:
                self.store.add(run, result)
        entry.figures = {r.key: figures_of(r) for r in results if not r.failure}
        entry.failures = {r.key: r.failure for r in results if r.failure}
        if self.is_retimed:
            self._time_by_newest(tools, points, entry)
        if not entry.figures:
            why = next(iter(entry.failures.values()), "no point") if can_measure else "no ptx-prof"
            entry.failure = "measures nothing: " + why
            return
        self._kept.keep(tools, entry.commit)
        self._explain(points, entry)

    def _explain(self, points: Sequence[Point], entry: Entry) -> None:
        """What changed between this commit and those with figures beside it, if their tools are
        still there."""
        older, newer = self.record.beside(entry)
        if older and self._find_causes(points, older, entry):
            self.record.add(older)
        if newer:
            self._find_causes(points, entry, newer)

    def retime(self) -> None:
        """Times the code of all commits whose tools are there by one model."""
        for entry in self.record.measured():
            tools = self._kept.of(entry.commit)
            if tools and self._time_by_newest(tools, self._points(), entry):
                self.record.add(entry)
                self.told("%s: %d points by one model" % (entry.commit[:10], len(entry.modelled)))

    def _time_by_newest(self, tools: Tools, points: Sequence[Point], entry: Entry) -> bool:
        """By the model of the newest commit whose tools are there. Whether that is another model
        than before."""
        having = [e.commit for e in self.record.measured() if self._kept.of(e.commit)]
        model = self._kept.of(having[0]) if having else None
        if not model or entry.model == having[0]:
            return False
        executed = {key: figures[1] for key, figures in entry.figures.items()}
        timed = {p.key: with_code_of(model, tools, p, executed.get(p.key)) for p in points}
        entry.model = having[0]
        entry.modelled = {key: cycles for key, cycles in timed.items() if cycles is not None}
        return True

    def _find_causes(self, points: Sequence[Point], older: Entry, newer: Entry) -> bool:
        before, after = (self._kept.of(e.commit) for e in (older, newer))
        if not before or not after:
            return False
        causes = _Causes(self.store, before, after, (older.commit, newer.commit))
        by_key = {point.key: point for point in points}
        keys = changed(older, newer, self.threshold)
        older.after = newer.commit
        executed = {key: figures[1] for key, figures in older.figures.items()}
        older.causes = {k: causes.of(by_key[k], executed[k]) for k in keys if k in by_key}
        return True


def _progress(entry: Entry) -> str:
    said = entry.failure or "%d points, %d other than in the next" % (
        len(entry.figures),
        len(entry.causes),
    )
    return "%s %s: %s" % (entry.commit[:10], entry.title, re.sub(r"\s+", " ", said))
