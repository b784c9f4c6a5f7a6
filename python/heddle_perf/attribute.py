"""Says where a change of cycles comes from, by what two runs have kept.

The same launch of the same code takes the same cycles, so that something differs: the
launch, the PTX, what a stage of the compiler made, or the model. The stage is that of
the first form that differs. Of the code generator the kind of difference says which
part: the instructions, their registers, their order, or their control fields.
"""
import collections
import dataclasses
import re
from typing import Optional

from .store import Store, StoredResult

# The forms in their order, with the stage that makes each, and the code that it is in.
STAGES = (
    ("ptx", "producer", "the PTX itself differs"),
    ("ptx-dialect", "frontend", "the PTX is the same, and what the frontend made of it differs"),
    ("llvm-dialect", "lowering", "the dialect is the same, and what it was lowered to differs"),
    ("llvm", "optimiser", "the IR before the optimiser is the same, and behind it differs"),
)
MOST_LINES = 5


@dataclasses.dataclass
class LineChange:
    """Warp cycles of a source line, more (or fewer), and what warps waited for there."""

    kernel: str
    file: str
    line: int
    cycles: int
    state: str


@dataclasses.dataclass
class Cause:
    stage: str
    evidence: str
    lines: list[LineChange] = dataclasses.field(default_factory=list)
    states: dict[str, int] = dataclasses.field(default_factory=dict)
    instructions: int = 0  # of warps, more than before

    def sentence(self) -> str:
        parts = ["%s: %s" % (self.stage, self.evidence)]
        if self.instructions:
            more = "more" if self.instructions > 0 else "fewer"
            parts.append("warps execute %s %s instructions" % (f"{abs(self.instructions):,}", more))
        changed = [(abs(n), s, n) for s, n in self.states.items() if s != "selected"]
        if changed:
            _, state, cycles = max(changed)
            more = "more" if cycles > 0 else "fewer"
            place = ""
            if self.lines and (self.lines[0].cycles > 0) == (cycles > 0):
                place = ", most of all at %s:%d" % (self.lines[0].file, self.lines[0].line)
            parts.append("warps wait %s cycles %s for %s%s" % (f"{abs(cycles):,}", more, state, place))
        return "; ".join(parts)


# ===- The code generator ----------------------------------------------------===

_INSTRUCTION = re.compile(
    r"^\t(?P<guard>@\S+ )?(?P<opcode>[A-Z][A-Z0-9_.]*)(?P<operands>[^{]*)(?P<control>\{.*\})?"
)
_SPILLS = ("STL", "LDL")


def instructions(asm: str) -> list[tuple[str, str, str]]:
    """Opcode, operands and control field of each instruction of an assembly."""
    found = filter(None, map(_INSTRUCTION.match, asm.splitlines()))
    return [
        (m["opcode"], (m["guard"] or "") + m["operands"].strip(), m["control"] or "") for m in found
    ]


def generator_part(before: str, after: str) -> Optional[tuple[str, str]]:
    """The part of the code generator, and the evidence; None if the code is the same."""
    old, new = instructions(before), instructions(after)
    if old == new:
        return None
    opcodes = [collections.Counter(i[0] for i in code) for code in (old, new)]
    if opcodes[0] != opcodes[1]:
        more, fewer = opcodes[1] - opcodes[0], opcodes[0] - opcodes[1]
        changed = ["+%d %s" % (n, o) for o, n in more.most_common(4)]
        changed += ["-%d %s" % (n, o) for o, n in fewer.most_common(4)]
        spills = sum(n for o, n in more.items() if o.split(".")[0] in _SPILLS)
        part = "register allocation" if spills * 2 > sum(more.values()) else "selection"
        return part, "the same IR became other instructions (%s)" % ", ".join(changed)
    if [i[0] for i in old] != [i[0] for i in new]:
        return "scheduling", "the same instructions have another order"
    if [i[:2] for i in old] != [i[:2] for i in new]:
        return "register allocation", "the same instructions have other operands"
    return "control fields", "the same instructions wait in another way"


# ===- Stages ----------------------------------------------------------------===


def _stage(store: Store, before: StoredResult, after: StoredResult) -> tuple[str, str]:
    old, new = before.artefacts, after.artefacts
    for form, stage, evidence in STAGES:
        if old.get(form) != new.get(form):
            return stage, evidence
    if "asm" in old and "asm" in new:
        if part := generator_part(store.blob(old["asm"]), store.blob(new["asm"])):
            return "code generator, " + part[0], part[1]
    if old.get("manifest") != new.get("manifest"):
        return "launch", "the code is the same, and the manifest differs"
    if "asm" not in new:
        return "compiler or model", "of several modules or machine code no forms are kept"
    return "model", "launch and code are the same: the chip's data or the timing model differ"


# ===- Lines -----------------------------------------------------------------===


def _states(report: dict) -> collections.Counter:
    sums: collections.Counter = collections.Counter()
    for launch in report["launches"]:
        for line in launch["lines"]:
            sums.update(line["states"])
    return sums


def _executed(report: dict) -> int:
    return sum(
        line["metrics"]["inst_executed"] for launch in report["launches"] for line in launch["lines"]
    )


def _by_line(report: dict) -> dict[tuple[str, str, int], dict]:
    sums: dict = collections.defaultdict(collections.Counter)
    for launch in report["launches"]:
        for line in launch["lines"]:
            sums[launch["kernel"], line["file"], line["line"]].update(line["states"])
    return sums


def _changed_lines(before: dict, after: dict) -> list[LineChange]:
    """Those whose warp cycles changed most, the largest change first."""
    old, new = _by_line(before), _by_line(after)
    changes = []
    for place in {*old, *new}:
        states = collections.Counter(new.get(place, {}))
        states.subtract(old.get(place, {}))
        cycles = sum(states.values())
        if cycles:
            state = max(states, key=lambda s: states[s] * (1 if cycles > 0 else -1))
            changes.append(LineChange(*place, cycles, state))
    changes.sort(key=lambda c: (-abs(c.cycles), c.file, c.line))
    return changes[:MOST_LINES]


def attribute(store: Store, before: StoredResult, after: StoredResult) -> Cause:
    """Of a point with cycles in both runs."""
    cause = Cause(*_stage(store, before, after))
    old, new = store.report(before), store.report(after)
    states = _states(new)
    states.subtract(_states(old))
    cause.states = {s: n for s, n in states.items() if n}
    cause.instructions = _executed(new) - _executed(old)
    cause.lines = _changed_lines(old, new)
    return cause
