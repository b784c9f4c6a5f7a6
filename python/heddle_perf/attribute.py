"""Says where a change of cycles comes from, by what two runs have kept.

The same launch of the same code takes the same cycles, so that something differs: the
launch, the PTX, what a stage of the compiler made, or the model. With the tools of the
later run the stage is found by swapping forms (see swap). Without them it is that of
the first form that differs; of the code generator the kind of difference says which
part: the instructions, their registers, their order, or their control fields.
"""
import collections
import dataclasses
import json
import os
import re
from typing import Optional

from .lines import LineChange, PTXLines, changed_lines
from .reproducer import write_reproducer
from .store import Store, StoredResult
from .suites import Case, Point
from .swap import SwapError, Swapped, swap
from .tools import Tools

# The forms in their order, with the stage that makes each, and the code that it is in.
STAGES = (
    ("ptx", "producer", "the PTX itself differs"),
    ("ptx-dialect", "frontend", "the PTX is the same, and what the frontend made of it differs"),
    ("llvm-dialect", "lowering", "the dialect is the same, and what it was lowered to differs"),
    ("llvm", "optimiser", "the IR before the optimiser is the same, and behind it differs"),
)


@dataclasses.dataclass
class Cause:
    stage: str
    evidence: str
    lines: list[LineChange] = dataclasses.field(default_factory=list)
    words: list[str] = dataclasses.field(default_factory=list)  # on instructions and waits

    def sentence(self) -> str:
        return "; ".join(["%s: %s" % (self.stage, self.evidence), *self.words])


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


# ===- By forms alone -----------------------------------------------------------===


def _lines(store: Store, before: StoredResult, after: StoredResult) -> PTXLines:
    texts = [
        store.blob(r.artefacts["ptx"]) if "ptx" in r.artefacts else "" for r in (before, after)
    ]
    name = _module(store, after)
    return PTXLines(os.path.basename(name), *texts)


def attribute(store: Store, before: StoredResult, after: StoredResult) -> Cause:
    """Of a point with cycles in both runs."""
    cause = Cause(*_stage(store, before, after))
    lines = _lines(store, before, after)
    old, new = store.report(before), store.report(after)
    cause.words = lines.words(old, new)
    cause.lines = changed_lines(lines.moved(old), new)
    return cause


# ===- By swapping --------------------------------------------------------------===


def _place(store: Store, result: StoredResult) -> dict:
    return json.loads(store.blob(result.artefacts["place"])) if "place" in result.artefacts else {}


def _module(store: Store, result: StoredResult) -> str:
    return _place(store, result).get("module", "")


def _texts(store: Store, result: StoredResult) -> dict[str, str]:
    return {form: store.blob(digest) for form, digest in result.artefacts.items()}


def attribute_by_swapping(
    store: Store, before: StoredResult, after: StoredResult, tools: Tools
) -> tuple[Swapped, PTXLines]:
    """As attribute, with the tools of the later run. SwapError says why that is not possible."""
    place = _place(store, after)
    if not place or not os.path.exists(place["manifest"]):
        raise SwapError("the manifest is not there any more")
    case = Case("", place["manifest"], folder=place["folder"])
    point = Point(case, place["chip"], tuple(place["options"]))
    found = swap(tools, point, place["module"], _texts(store, before), _texts(store, after))
    return found, _lines(store, before, after)


def _folder_name(key: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", key)


def changed_launches(before: StoredResult, after: StoredResult, most: int = 3) -> str:
    """What of figures that were put together without a profile has changed most."""
    old = {launch.kernel: launch.cycles for launch in before.launches}
    new = {launch.kernel: launch.cycles for launch in after.launches}
    names = sorted({**old, **new}, key=lambda name: -abs(new.get(name, 0) - old.get(name, 0)))
    rows = [(name, old.get(name, 0), new.get(name, 0)) for name in names[:most]]
    return "; ".join("%s %s -> %s cycles" % (n, f"{a:,}", f"{b:,}") for n, a, b in rows if a != b)


def explain(
    store: Store,
    before: StoredResult,
    after: StoredResult,
    tools: Optional[Tools],
    reproducers: Optional[str] = None,
) -> str:
    """A sentence. What shows the change again goes to a folder in `reproducers`."""
    if "report" not in before.artefacts or "report" not in after.artefacts:
        return changed_launches(before, after)
    if tools:
        try:
            found, lines = attribute_by_swapping(store, before, after, tools)
            if reproducers:
                place = _place(store, after)
                folder = os.path.join(reproducers, _folder_name(after.key))
                source = os.path.dirname(place["manifest"])
                write_reproducer(folder, after.key, place["chip"], source, found)
            return found.sentence(lines)
        except (SwapError, OSError):
            pass
    return attribute(store, before, after).sentence()
