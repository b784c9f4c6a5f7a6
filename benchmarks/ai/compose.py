"""Times of operators put together to the time of a step, with launches, links and copies.

The rules of launches are those of virtual time (docs/timing.md): a grid begins DispatchGapNs, in
a graph GraphGapNs, after the one before; without a graph the host cannot ask for the next faster
than LaunchCallNs. A step ends with a wait of the host.
"""
import dataclasses
import functools
import json
import math
from typing import Mapping

from perf import Tools
from layers import Collective, Step
from measure import Timing
from models import MACHINES, Chip

# Times that others measured for collectives are off by so much of what is predicted
# (docs/collective-times.md, the mean of the unseen half).
LINK_ERROR = 0.11
# A call of the host's and gaps between grids: estimates of isa-defs/HeddleChips.td.
LAUNCH_ERROR = 0.3


@dataclasses.dataclass(frozen=True)
class Row:
    """A part of a step: all its runs."""

    label: str
    kind: str
    name: str
    times: float
    seconds: float
    error: float
    launches: int
    flops: float
    bytes: float


@dataclasses.dataclass(frozen=True)
class Composed:
    """The time of a step and what it consists of. Errors are in seconds."""

    seconds: float
    error: float
    rows: tuple[Row, ...]
    kernels: float
    launching: float
    linking: float
    copying: float
    units: float
    unit: str

    @property
    def rate(self) -> float:
        return self.units / self.seconds

    @property
    def rate_error(self) -> float:
        return self.rate * self.error / self.seconds


@functools.lru_cache(maxsize=None)
def collective_seconds(tools: Tools, machine: str, kind: str, ranks: int, size: int, link: float) -> float:
    """What ptx-time predicts on a host of a machine; link: how many times as fast its links are."""
    with open(MACHINES / (machine + ".json"), encoding="utf-8") as file:
        found = json.load(file)
    words = ["--collectives", str(MACHINES / (machine + ".json")), "--collective", kind]
    most = found["devices"][0]["count"]
    done = tools.run("ptx-time", *words, "--ranks", "1x%d" % min(ranks, most), "--size", str(size), "--json")
    if done.returncode:
        raise OSError(done.stderr.strip())
    answer = json.loads(done.stdout)["collectives"][0]
    transfer = answer.get("transfer_us", 0) + answer.get("fill_us", 0)
    return (answer["time_us"] - transfer * (1 - 1 / link)) / 1e6


def linking(tools: Tools, chip: Chip, collectives: tuple[Collective, ...], link: float) -> float:
    seconds = 0.0
    for row in collectives:
        if not chip.machine:
            raise ValueError("%s has no links between devices" % chip.name)
        each = collective_seconds(tools, chip.machine, row.kind, row.ranks, row.bytes, link)
        seconds += each * row.times
    return seconds


def rows_of(step: Step, timings: Mapping[str, Timing]) -> tuple[Row, ...]:
    from operators import KINDS

    rows = []
    for part in step.parts:
        timing, kind = timings[part.operator.name], KINDS[part.operator.kind]
        rows.append(
            Row(
                part.label,
                part.operator.kind,
                part.operator.name,
                part.times,
                timing.seconds * part.times,
                timing.error * timing.seconds * part.times,
                round(timing.launches * part.times),
                kind.flops(part.operator) * part.times,
                kind.bytes(part.operator) * part.times,
            )
        )
    return tuple(rows)


def compose(
    step: Step,
    timings: Mapping[str, Timing],
    chip: Chip,
    tools: Tools,
    graph: bool = True,
    link: float = 1,
    launch: float = 1,
) -> Composed:
    """link, launch: how many times as fast links and launches are."""
    rows = rows_of(step, timings)
    kernels = sum(row.seconds for row in rows)
    count = sum(row.launches for row in rows)
    gap = chip.figure("GraphGapNs" if graph else "DispatchGapNs") / launch / 1e9
    call = chip.figure("LaunchCallNs") / launch / 1e9
    gaps = count * gap
    if not graph:
        gaps = max(gaps, count * call - kernels)
    around = call + (chip.figure("DispatchNs") + chip.figure("WakeNs")) / launch / 1e9
    between = linking(tools, chip, step.collectives, link)
    copies = 2 * chip.figure("LinkLatencyNs") / 1e9 + step.copied / (chip.figure("LinkMBPerSecond") * 1e6 * link)
    seconds = kernels + gaps + around + between + copies
    # Errors of kernels are of one model, and add up; the three sources are apart.
    errors = (sum(row.error for row in rows), (gaps + around) * LAUNCH_ERROR, between * LINK_ERROR)
    error = math.sqrt(sum(value**2 for value in errors))
    return Composed(seconds, error, rows, kernels, gaps + around, between, copies, step.units, step.unit)


def roof(step: Step, chip: Chip) -> tuple[float, float]:
    """The least seconds of a step's operations and of its bytes at the chip's rates."""
    from operators import KINDS

    flops = sum(KINDS[part.operator.kind].flops(part.operator) * part.times for part in step.parts)
    moved = sum(KINDS[part.operator.kind].bytes(part.operator) * part.times for part in step.parts)
    return flops / chip.matrix_rate, moved / chip.dram_rate



