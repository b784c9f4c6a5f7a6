"""Finds the commits of a record at which points became slower or faster, and which of the
points are slower now than they once were."""
import dataclasses
import math
from typing import Iterator, Optional

from .history import Entry, Record, changed

BEGIN = "<!-- heddle-perf steps: begin -->"
END = "<!-- heddle-perf steps: end -->"
COMMIT_DIGITS = 10


class StepsError(Exception):
    """What is wrong with a record, or with a page that gets a table of it."""


@dataclasses.dataclass
class Change:
    key: str
    before: int
    after: int
    cause: str

    @property
    def ratio(self) -> float:
        return self.after / self.before

    def __str__(self) -> str:
        return "%s %s -> %s (%+.1f %%)" % (
            self.key,
            f"{self.before:,}",
            f"{self.after:,}",
            100 * (self.ratio - 1),
        )


@dataclasses.dataclass
class Step:
    """What a commit changed. Commits before it that gave no figures may have done it as well."""

    entry: Entry
    unknown: list[str]
    is_gap: bool  # commits between the two have not been measured
    changes: list[Change]

    def part(self, is_slower: bool) -> list[Change]:
        """The largest change first."""
        part = [c for c in self.changes if (c.ratio > 1) == is_slower]
        return sorted(part, key=lambda c: -c.ratio if is_slower else c.ratio)

    @property
    def commit(self) -> str:
        text = self.entry.commit[:COMMIT_DIGITS]
        if self.is_gap:
            return "up to " + text
        others = "".join(" or " + c[:COMMIT_DIGITS] for c in self.unknown)
        return text + others


def _changes(before: Entry, after: Entry, threshold: float) -> list[Change]:
    causes = before.causes if before.after == after.commit else {}
    return [
        Change(key, before.figures[key][0], after.figures[key][0], causes.get(key, ""))
        for key in changed(before, after, threshold)
    ]


def find_steps(record: Record, threshold: float) -> list[Step]:
    """From the newest to the oldest."""
    steps: list[Step] = []
    newer: Optional[Entry] = None
    unknown: list[str] = []
    for entry in record.ordered():
        if entry.failure:
            unknown.append(entry.commit)
        elif newer:
            is_gap = record.before(newer) != entry.commit
            if found := _changes(entry, newer, threshold):
                steps.append(Step(newer, unknown, is_gap, found))
        if not entry.failure:
            newer, unknown = entry, []
    return steps


@dataclasses.dataclass
class Standing:
    """A point that takes longer at the newest commit than it did at its best one."""

    key: str
    best: int
    entry: Entry  # the last with the best figure
    now: int


Timed = tuple[Entry, dict[str, int]]  # a commit, with the cycles of points


def by_own_models(record: Record) -> list[Timed]:
    """From the newest to the oldest."""
    return [(e, {k: f[0] for k, f in e.figures.items()}) for e in record.measured()]


def by_one_model(record: Record) -> list[Timed]:
    """The code of those commits that the newest of them timed."""
    entries = [e for e in record.ordered() if e.model]
    return [(e, e.modelled) for e in entries if e.model == entries[0].model]


def standing(timed: list[Timed], threshold: float) -> list[Standing]:
    """The largest first."""
    found = []
    for key, now in timed[0][1].items() if timed else ():
        best, cycles = min(((e, t[key]) for e, t in timed if key in t), key=lambda pair: pair[1])
        if cycles and now > cycles * (1 + threshold):
            found.append(Standing(key, cycles, best, now))
    return sorted(found, key=lambda s: -s.now / s.best)


# ===- Reports ------------------------------------------------------------------===


def summary(record: Record) -> str:
    entries, measured = record.ordered(), record.measured()
    if not measured:
        return "No commit has figures."
    newest, oldest = measured[0], measured[-1]
    text = "%d commits measured, from %s (%s) to %s (%s), at %d points" % (
        len(measured),
        oldest.commit[:COMMIT_DIGITS],
        oldest.date[:10],
        newest.commit[:COMMIT_DIGITS],
        newest.date[:10],
        len(newest.figures),
    )
    failed = [e for e in entries if e.failure]
    return text + ("; %d gave no figures." % len(failed) if failed else ".")


def _geometric_mean(ratios: list[float]) -> float:
    """Less one, in per cent."""
    return 100 * (math.exp(sum(map(math.log, ratios)) / len(ratios)) - 1)


def _mean(changes: list[Change]) -> float:
    return _geometric_mean([c.ratio for c in changes])


def _against(newest: dict[str, int], cycles: dict[str, int]) -> str:
    """What a commit's points take more than those of the newest one."""
    ratios = [n / newest[key] for key, n in cycles.items() if n and newest.get(key)]
    return "%d, %+.1f %%" % (len(ratios), _geometric_mean(ratios)) if ratios else "none"


def _overview(record: Record) -> list[str]:
    """The rows of a table: how far the compiler has come, told apart from the model."""
    own = {entry.commit: cycles for entry, cycles in by_own_models(record)}
    code = by_one_model(record)
    return [
        "| %s | %s | %s | %s | %s |"
        % (
            entry.commit[:COMMIT_DIGITS],
            entry.date[:10],
            _cell(entry.title),
            _against(own[code[0][0].commit], own.get(entry.commit, {})),
            _against(code[0][1], cycles),
        )
        for entry, cycles in code
    ]


def text(record: Record, threshold: float) -> str:
    lines = [summary(record)]
    for step in find_steps(record, threshold):
        lines.append("%s %s" % (step.commit, step.entry.title))
        for change in step.part(True) + step.part(False):
            lines.append("  %s %s" % ("slower" if change.ratio > 1 else "faster", change))
            if change.cause:
                lines.append("         " + change.cause)
    for point in standing(by_own_models(record), threshold):
        lines.append(
            "%s took %s at %s, and takes %s"
            % (point.key, f"{point.best:,}", point.entry.commit[:COMMIT_DIGITS], f"{point.now:,}")
        )
    for point in standing(by_one_model(record), threshold):
        lines.append(
            "by one model the code of %s of %s takes %s, and that of now %s"
            % (point.entry.commit[:COMMIT_DIGITS], point.key, f"{point.best:,}", f"{point.now:,}")
        )
    for entry in record.ordered():
        if entry.failure:
            lines.append("%s %s" % (entry.commit[:COMMIT_DIGITS], entry.failure))
    return "\n".join(lines) + "\n"


def _cell(words: str) -> str:
    return words.replace("|", "\\|").replace("<", "&lt;")


def _rows(steps: list[Step], is_slower: bool) -> Iterator[str]:
    for step in steps:
        changes = step.part(is_slower)
        if changes:
            yield "| %s | %s | %d, %+.1f %% | %s | %s |" % (
                step.commit,
                _cell(step.entry.title),
                len(changes),
                _mean(changes),
                changes[0],
                _cell(changes[0].cause),
            )


HEAD = "| commit | title | points, mean | the largest change | why |\n|---|---|---|---|---|"


def _standing_table(points: list[Standing]) -> Iterator[str]:
    yield from ("", "| point | best | at | now |  |", "|---|---|---|---|---|")
    for p in points:
        ratio = "%+.1f %%" % (100 * (p.now / p.best - 1))
        at = p.entry.commit[:COMMIT_DIGITS]
        yield "| %s | %s | %s | %s | %s |" % (p.key, f"{p.best:,}", at, f"{p.now:,}", ratio)


def markdown(record: Record, threshold: float) -> str:
    steps = find_steps(record, threshold)
    lines = [summary(record)]
    for is_slower, word in ((True, "slower"), (False, "faster")):
        rows = list(_rows(steps, is_slower))
        if rows:
            lines += ["", "Commits that made points %s by more than %g %%:" % (word, 100 * threshold)]
            lines += ["", HEAD, *rows]
    if points := standing(by_own_models(record), threshold):
        lines += ["", "Points that take longer at the newest commit than at their best, each by its own model:"]
        lines += _standing_table(points)
    if rows := _overview(record):
        lines += ["", "Points against those of the newest of these commits, whose model has timed the code of all:", ""]
        lines += ["| commit | date | title | by its own model | by that model |", "|---|---|---|---|---|"]
        lines += rows
    if points := standing(by_one_model(record), threshold):
        lines += ["", "Points whose code takes longer by that model than the best of an earlier commit:"]
        lines += _standing_table(points)
    return "\n".join(lines) + "\n"


def update_page(path: str, table: str) -> None:
    """Puts the table between the two marks of a page."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(END) < page.index(BEGIN):
        raise StepsError("%s has no place for the table: %s, then %s" % (path, BEGIN, END))
    head, tail = page.split(BEGIN)[0], page.split(END)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write("%s%s\n%s%s%s" % (head, BEGIN, table, END, tail))
