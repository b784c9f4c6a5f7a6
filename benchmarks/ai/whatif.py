"""What a chip that is twice as wide in one resource would give a workload."""
import dataclasses

from compose import Composed
from evaluate import Evaluator
from models import Chip, Workload

# Figures that are changed, as ptx-prof --figures takes them.
RESOURCES = {
    "DRAM": "dram=2x",
    "L2": "l2=2x,core-l2=2x",
    "tensor": "mma-interval=0.5x",
}
# What the composition knows of.
AROUND = {"launch": {"launch": 2.0}, "link": {"link": 2.0}}


@dataclasses.dataclass(frozen=True)
class WhatIf:
    """How many times as fast a workload is with each resource twice as wide."""

    work: Workload
    chip: Chip
    gains: dict[str, float]


def ask(evaluator: Evaluator, wanted: list[tuple[Workload, Chip]]) -> list[WhatIf]:
    before = {pair: evaluator.answer(*pair).composed for pair in wanted}
    known = [pair for pair in wanted if before[pair] is not None]
    gains: dict = {pair: {} for pair in known}

    def note(pair: tuple, name: str, composed: Composed | None) -> None:
        if composed is not None:
            gains[pair][name] = before[pair].seconds / composed.seconds

    for name, figures in RESOURCES.items():
        bench = evaluator.bench.changed(figures)
        changed = Evaluator(bench, evaluator.tools, evaluator.jobs, evaluator.tell)
        changed.prepare(known)
        for pair in known:
            note(pair, name, changed.answer(*pair).composed)
    for name, changes in AROUND.items():
        for pair in known:
            if name != "link" or evaluator.answer(*pair).step.collectives:
                note(pair, name, evaluator.answer(*pair, **changes).composed)
    return [WhatIf(*pair, gains[pair]) for pair in known]
