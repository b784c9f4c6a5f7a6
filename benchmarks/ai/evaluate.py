"""Workloads on chips: what has to be timed for them, and what comes out."""
import dataclasses
from typing import Callable, Iterable

import compose
from perf import Tools
from families import step_of
from layers import NotSupported, Step
from measure import Bench, Timing, time_all
from models import Chip, Workload


@dataclasses.dataclass(frozen=True)
class Answer:
    """A workload on a chip. problem: why there is no figure."""

    work: Workload
    chip: Chip
    step: Step | None = None
    composed: compose.Composed | None = None
    timings: dict | None = None
    problem: str = ""


class Evaluator:
    """Times operators once, and composes from them."""

    def __init__(self, bench: Bench, tools: Tools, jobs: int, tell: Callable[[str], None]):
        self.bench, self.tools, self.jobs, self.tell = bench, tools, jobs, tell
        self.results: dict = {}

    def prepare(self, wanted: Iterable[tuple[Workload, Chip]]) -> None:
        """Times all operators of workloads that are not timed yet."""
        operators = []
        for work, chip in wanted:
            try:
                step = step_of(work)
            except NotSupported:
                continue
            keys = ((part.operator, chip) for part in step.parts)
            operators += [pair for pair in keys if (pair[0].name, chip.name) not in self.results]
        self.results |= time_all(self.bench, operators, self.jobs, self.tell)

    def answer(self, work: Workload, chip: Chip, **changes) -> Answer:
        """changes: as compose.compose takes them."""
        try:
            step = step_of(work)
        except NotSupported as problem:
            return Answer(work, chip, problem=str(problem))
        self.prepare([(work, chip)])
        timings: dict[str, Timing] = {}
        for part in step.parts:
            found = self.results[part.operator.name, chip.name]
            if isinstance(found, Exception):
                return Answer(work, chip, step, problem="%s: %s" % (part.label, found))
            timings[part.operator.name] = found
        try:
            composed = compose.compose(step, timings, chip, self.tools, **changes)
        except ValueError as problem:
            return Answer(work, chip, step, problem=str(problem))
        return Answer(work, chip, step, composed, timings)
