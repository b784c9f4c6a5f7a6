"""Finds the pass, or the commit, that a change of a point comes from.

Both searches halve a sequence whose first element is known to be as before and whose
last one is known not to be. Passes are counted by LLVM's -opt-bisect-limit, which lets
so many of them run that need not: the code of both compilers is the same with the
first few, and differs with all of them.
"""
import dataclasses
import re
from typing import Callable, Optional, Sequence

from .attribute import instructions
from .commits import Build, git, work_tree
from .forms import pass_name
from .measure import measure_kernels, single_module
from .store import Result
from .suites import Point
from .tools import Tools

ALL_PASSES = 1 << 30
_RUNNING = re.compile(r"^BISECT: running pass \(\d+\) (?P<name>.*) on (?P<over>.*)$", re.MULTILINE)


class BisectError(Exception):
    """Why there is nothing to find."""


def first_changed(length: int, is_changed: Callable[[int], bool]) -> int:
    """An index I in [1, length] with is_changed(I) and not is_changed(I - 1). is_changed(0) is
    taken to be false, and is_changed(length) true."""
    same, changed = 0, length
    while changed - same > 1:
        middle = (same + changed) // 2
        if is_changed(middle):
            changed = middle
        else:
            same = middle
    return changed


def cycles(result: Result) -> int:
    return sum(launch.cycles for launch in result.launches)


# ===- Passes ----------------------------------------------------------------===


@dataclasses.dataclass(frozen=True)
class PassRun:
    """A pass over something, in the words of the compiler."""

    name: str
    over: str

    def __str__(self) -> str:
        return "%s over %s" % (self.name, self.over)


@dataclasses.dataclass
class PassFinding:
    """Where two compilers part. The passes are None where a compiler runs no more, and both
    are where they part before any pass."""

    number: int
    before: Optional[PassRun]
    after: Optional[PassRun]
    cycles: tuple[int, int]  # with as many passes: of both compilers

    def sentence(self) -> str:
        if self.number == 0:
            text = "the code differs without any pass that can be left out: import, lowering, or selection"
        elif self.before == self.after:
            text = "pass %d, %s, is the first to make other code" % (self.number, self.before)
        else:
            text = "pass %d was %s, and is %s" % (
                self.number,
                self.before or "none",
                self.after or "none",
            )
        return "%s; with the passes up to there %s -> %s cycles" % (
            text,
            *(f"{n:,}" for n in self.cycles),
        )


def _limit(passes: int) -> str:
    return "--mllvm=-opt-bisect-limit=%d" % passes


class _Compiler:
    """A build's code for a point, with as many passes as are asked for."""

    def __init__(self, tools: Tools, point: Point, module: str):
        self.tools, self.point, self.module = tools, point, module
        self.passes: list[PassRun] = []
        self.all = self.code(ALL_PASSES)

    def code(self, limit: int) -> list[tuple[str, str, str]]:
        made = self.tools.run(
            "ptx-compile",
            "--emit=asm",
            "--chip=" + self.point.chip,
            *self.point.compiler_options,
            _limit(limit),
            self.module,
            "-o",
            "-",
        )
        if made.returncode:
            raise BisectError("%s: %s" % (self.module, made.stderr.strip()))
        if not self.passes:
            self.passes = [
                PassRun(pass_name(m["name"]), m["over"]) for m in _RUNNING.finditer(made.stderr)
            ]
        return instructions(made.stdout)

    def cycles(self, limit: int) -> int:
        """Zero if the launch fails."""
        options = (*self.point.compiler_options, _limit(limit))
        return cycles(
            measure_kernels(self.tools, dataclasses.replace(self.point, options=options), keep=False)
        )

    def pass_at(self, number: int) -> Optional[PassRun]:
        return self.passes[number - 1] if 0 < number <= len(self.passes) else None


def bisect_passes(before: Tools, after: Tools, point: Point) -> PassFinding:
    """Compiles the module of a point with two builds. BisectError if it has several modules,
    or the code is the same."""
    module = single_module(point)
    if not module:
        raise BisectError("'%s' is not of one module of PTX" % point.key)
    old, new = _Compiler(before, point, module), _Compiler(after, point, module)
    if old.all == new.all:
        raise BisectError("both compilers make the same code for '%s'" % point.key)

    def is_changed(limit: int) -> bool:
        return old.code(limit) != new.code(limit)

    number = 0
    if not is_changed(0):
        number = first_changed(max(len(old.passes), len(new.passes)), is_changed)
    return PassFinding(
        number, old.pass_at(number), new.pass_at(number), (old.cycles(number), new.cycles(number))
    )


# ===- Commits ---------------------------------------------------------------===


@dataclasses.dataclass
class CommitFinding:
    """The first commit with the figure of the last one."""

    commit: str
    title: str
    before: int
    after: int
    skipped: list[str]  # commits beside it that gave no figure, from the first to the last

    def sentence(self) -> str:
        text = "%s %s: %s -> %s cycles" % (
            self.commit,
            self.title,
            *(f"{n:,}" for n in (self.before, self.after)),
        )
        if self.skipped:
            text += "; or one of those before it that gave no figure: " + ", ".join(self.skipped)
        return text


class _Commits:
    """Builds commits one after the other in one tree, so that each build is a small one, and
    measures a point."""

    def __init__(self, build: Build, tree: str, point: Point, told: Callable[[str], None]):
        self.build, self.tree, self.point, self.told = build, tree, point, told

    def cycles(self, commit: str) -> Optional[int]:
        """None if the commit cannot be built, or the launch fails."""
        figure = None
        if not self.build.make(self.tree, commit):
            result = measure_kernels(self.build.tools(self.tree), self.point, keep=False)
            figure = None if result.failure else cycles(result)
        self.told("%s: %s" % (commit[:10], "no figure" if figure is None else f"{figure:,}"))
        return figure


def _halve(commits: Sequence[str], ends: tuple[int, int], figure: Callable[[str], Optional[int]]):
    """The last commit that is nearer to the first figure, the first one that is nearer to the
    last, and those between them, which have none."""
    commits = list(commits)
    unknown: set[str] = set()
    same, changed = 0, len(commits) - 1
    while True:
        between = [i for i in range(same + 1, changed) if commits[i] not in unknown]
        if not between:
            return commits[same], commits[changed], commits[same + 1 : changed]
        middle = min(between, key=lambda i: abs(2 * i - same - changed))
        found = figure(commits[middle])
        if found is None:
            unknown.add(commits[middle])
        elif abs(found - ends[0]) <= abs(found - ends[1]):
            same = middle
        else:
            changed = middle


def bisect_commits(
    build: Build, good: str, bad: str, point: Point, told: Callable[[str], None]
) -> CommitFinding:
    """The commits on the first parents' way from `good` to `bad`. `told` is given a line for
    each that was measured."""
    listed = git(build.repository, "rev-list", "--reverse", "--first-parent", good + ".." + bad)
    commits = [git(build.repository, "rev-parse", good + "^{commit}"), *listed.split()]
    if len(commits) < 2:
        raise BisectError("there is no commit from %s to %s" % (good, bad))
    figures: dict[str, Optional[int]] = {}
    with work_tree(build.repository, commits[0]) as tree:
        measured = _Commits(build, tree, point, told)

        def figure(commit: str) -> Optional[int]:
            if commit not in figures:
                figures[commit] = measured.cycles(commit)
            return figures[commit]

        ends = figure(commits[0]), figure(commits[-1])
        if ends[0] is None or ends[1] is None:
            raise BisectError("%s gives no figure" % (good if ends[0] is None else bad))
        if ends[0] == ends[1]:
            raise BisectError("%s and %s take the same %s cycles" % (good, bad, f"{ends[0]:,}"))
        last, first, skipped = _halve(commits, (ends[0], ends[1]), figure)
    title = git(build.repository, "log", "-1", "--format=%s", first)
    return CommitFinding(
        first[:10], title, figures[last] or 0, figures[first] or 0, [c[:10] for c in skipped]
    )
