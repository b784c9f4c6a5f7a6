"""What of the ISA, of launches' shapes and of what warps wait for a run has exercised, by
the reports of its kernels."""
import collections
import dataclasses
import json
import re
from typing import Iterable

WARP = 32


@dataclasses.dataclass
class Coverage:
    opcodes: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    states: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    shapes: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    all_opcodes: set[str] = dataclasses.field(default_factory=set)
    all_states: set[str] = dataclasses.field(default_factory=set)

    def missing_opcodes(self) -> list[str]:
        return sorted(self.all_opcodes - set(self.opcodes))

    def missing_states(self) -> list[str]:
        return sorted(self.all_states - set(self.states))


def _power(number: int) -> str:
    """The powers of two that a number lies between, as a range."""
    low = 1 << (max(number, 1).bit_length() - 1)
    if low == number or low == 2:
        return str(number)
    return "%d-%d" % (low + 1, 2 * low - 1)


def _product(extents: Iterable[int]) -> int:
    count = 1
    for extent in extents:
        count *= extent
    return count


def classes_of(launch: dict) -> list[str]:
    """The classes of shapes that a launch is in."""
    threads = _product(launch["block"])
    grid = _product(launch["grid"])
    found = ["CTAs " + _power(grid), "threads of a CTA " + _power(threads)]
    found.append("dimensions of the grid %d" % sum(e > 1 for e in launch["grid"]))
    found.append("dimensions of the block %d" % sum(e > 1 for e in launch["block"]))
    if threads % WARP:
        found.append("a warp that is not full")
    # ISA tables have the shape of a matrix instruction among its modifiers.
    for row in launch["profile"]["instructions"]:
        if m := re.search(r"\b(m?\d+(?:x|n)\d+(?:x|k)\d+)\b", row["text"], re.IGNORECASE):
            found.append("matrices " + m[1])
    return found


def coverage_of(reports: Iterable[dict]) -> Coverage:
    """Of ptx-prof. Opcodes and states are counted by launches that have them."""
    sums = Coverage()
    for report in reports:
        catalog = report["catalog"]
        sums.all_opcodes |= set(catalog["opcodes"])
        sums.all_states |= {state["name"] for state in catalog["states"]}
        for launch in report["launches"]:
            profile = launch["profile"]
            sums.opcodes.update({row["mnemonic"] for row in profile["instructions"]})
            sums.states.update(s for s, cycles in profile["states"].items() if cycles)
            sums.shapes.update(set(classes_of(launch)))
    return sums


def text(found: Coverage, names: bool) -> str:
    lines = [
        "opcodes: %d of %d" % (len(found.all_opcodes & set(found.opcodes)), len(found.all_opcodes)),
        "states of warps: %d of %d" % (len(found.all_states & set(found.states)), len(found.all_states)),
        "shapes: %d classes" % len(found.shapes),
    ]
    if missing := found.missing_states():
        lines.append("no warp was in: " + ", ".join(missing))
    if names:
        lines.append("never executed: " + ", ".join(found.missing_opcodes()))
    lines += ["  %-40s in %d launches" % row for row in sorted(found.shapes.items())]
    return "\n".join(lines) + "\n"


def as_json(found: Coverage) -> str:
    row = {
        "opcodes": dict(sorted(found.opcodes.items())),
        "opcodes_missing": found.missing_opcodes(),
        "states": dict(sorted(found.states.items())),
        "states_missing": found.missing_states(),
        "shapes": dict(sorted(found.shapes.items())),
    }
    return json.dumps(row, indent=1) + "\n"
