"""The source lines whose cycles changed between two reports of ptx-prof, and what warps
waited for there."""
import collections
import dataclasses
import difflib
from typing import Optional

MOST_LINES = 5


@dataclasses.dataclass
class LineChange:
    """Warp cycles of a source line, more (or fewer), and what warps waited for there."""

    kernel: str
    file: str
    line: int
    cycles: int
    state: str


def states(report: dict) -> collections.Counter:
    sums: collections.Counter = collections.Counter()
    for launch in report["launches"]:
        for line in launch["lines"]:
            sums.update(line["states"])
    return sums


def executed(report: dict) -> int:
    """Instructions of warps."""
    return sum(
        line["metrics"].get("inst_executed", 0)
        for launch in report["launches"]
        for line in launch["lines"]
    )


def changed_states(before: dict, after: dict) -> dict[str, int]:
    sums = states(after)
    sums.subtract(states(before))
    return {state: cycles for state, cycles in sums.items() if cycles}


def _by_line(report: dict) -> dict[tuple[str, str, int], collections.Counter]:
    sums: dict = collections.defaultdict(collections.Counter)
    for launch in report["launches"]:
        for line in launch["lines"]:
            sums[launch["kernel"], line["file"], line["line"]].update(line["states"])
    return sums


def changed_lines(before: dict, after: dict) -> list[LineChange]:
    """Those whose warp cycles changed most, the largest change first."""
    old, new = _by_line(before), _by_line(after)
    changes = []
    for place in {*old, *new}:
        sums = collections.Counter(new.get(place, {}))
        sums.subtract(old.get(place, {}))
        cycles = sum(sums.values())
        if cycles:
            state = max(sums, key=lambda s: sums[s] * (1 if cycles > 0 else -1))
            changes.append(LineChange(*place, cycles, state))
    changes.sort(key=lambda c: (-abs(c.cycles), c.file, c.line))
    return changes[:MOST_LINES]


class PTXLines:
    """Lines of the PTX of a run after by those of the run before it, where lines were
    inserted or taken out."""

    def __init__(self, file: str = "", before: str = "", after: str = ""):
        self.file = file
        self.after_of: dict[int, int] = {}
        if before == after:
            return
        matcher = difflib.SequenceMatcher(
            None, before.splitlines(), after.splitlines(), autojunk=False
        )
        for tag, a, a_end, b, b_end in matcher.get_opcodes():
            for i in range(a, a_end):
                self.after_of[i + 1] = min(b + i - a, max(b, b_end - 1)) + 1 if tag != "equal" else b + i - a + 1

    def moved(self, report: dict) -> dict:
        """The report of the run before with the lines of the one after."""
        if not self.after_of:
            return report
        launches = [
            {
                **launch,
                "lines": [
                    {**line, "line": self.after_of.get(line["line"], line["line"])}
                    if line["file"] == self.file
                    else line
                    for line in launch["lines"]
                ],
            }
            for launch in report["launches"]
        ]
        return {**report, "launches": launches}

    def words(self, before: dict, after: dict) -> list[str]:
        """About instructions, states and lines, the parts of a sentence."""
        before = self.moved(before)
        parts = []
        if count := executed(after) - executed(before):
            more = "more" if count > 0 else "fewer"
            parts.append("warps execute %s %s instructions" % (f"{abs(count):,}", more))
        changed = [(abs(n), s, n) for s, n in changed_states(before, after).items() if s != "selected"]
        lines = changed_lines(before, after)
        if changed:
            _, state, cycles = max(changed)
            parts.append(
                "warps wait %s cycles %s for %s%s"
                % (f"{abs(cycles):,}", "more" if cycles > 0 else "fewer", state, _place(lines, cycles))
            )
        return parts


def _place(lines: list[LineChange], cycles: int) -> str:
    first: Optional[LineChange] = lines[0] if lines else None
    if not first or (first.cycles > 0) != (cycles > 0):
        return ""
    others = ["%d" % c.line for c in lines[1:3] if (c.cycles > 0) == (cycles > 0) and c.file == first.file]
    text = ", most of all at %s:%d" % (first.file, first.line)
    return text + " (then %s)" % ", ".join(others) if others else text
