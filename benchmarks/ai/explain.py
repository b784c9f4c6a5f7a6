"""Why a composed figure differs from the published one: where its time goes, and what each part
hangs on, of the runs that the figure is composed of (compare.py --explain)."""
import dataclasses
from typing import Iterable

from evaluate import Answer
from measure import Timing
from models import Chip
from operators import KINDS, Operator
from table import lines_of, number

# Products of other types than 16 bits, in times of what the matrix units make of these.
MATRIX_SPEED = {"f8e4m3": 2.0, "tf32": 0.5}
# The part of the matrix units' time from which on they are what a kernel hangs on.
BUSY = 0.5
# Of the parts of a step's time, those that are shown.
LEAST_SHARE = 0.005
# What warps wait for, in words. A warp's state that is not here is shown by its name.
WAITS = {
    "long_scoreboard": "global memory",
    "short_scoreboard": "shared memory, conversions",
    "lg_throttle": "queues of memory",
    "mio_throttle": "queues of shared memory",
    "math_pipe_throttle": "pipes",
    "barrier": "barriers",
    "no_instruction": "code",
    "wait": "fixed latencies",
    "not_selected": "other warps' turns",
    "dispatch_stall": "dispatch",
}
ISSUES = ("selected",)


@dataclasses.dataclass(frozen=True)
class Share:
    """A part of a figure's time: operators of a kernel, or what is around them. least: the seconds that their bytes,
    or their operations, take at the chip's rates."""

    stage: str
    label: str
    kernel: str
    runs: float
    seconds: float
    flops: float = 0.0
    bytes: float = 0.0
    least: float = 0.0
    hangs: str = ""


def least(op: Operator, chip: Chip) -> tuple[float, float]:
    """The seconds of an operator's operations, and of its bytes, at the chip's rates for its types."""
    speed = MATRIX_SPEED.get(op.types.get("a", op.types.get("type", "")), 1.0)
    return KINDS[op.kind].flops(op) / (chip.matrix_rate * speed), KINDS[op.kind].bytes(op) / chip.dram_rate


def hangs_on(timing: Timing) -> str:
    """What the kernel of an operator that takes most hangs on."""
    slowest = max(range(len(timing.kernels)), key=lambda at: timing.kernels[at][1])
    counted = timing.counted[slowest]
    waits = [(name, part) for name, part in counted.stalls.items() if name not in ISSUES][:2]
    words = ["%s %.0f %%" % (WAITS.get(name, name), 100 * part) for name, part in waits]
    if counted.matrix_busy >= BUSY:
        words.insert(0, "matrix units busy %.0f %%" % (100 * counted.matrix_busy))
    return ", ".join(words)


def shares_of(answer: Answer, times: float) -> list[Share]:
    """The parts of a workload that runs so often."""
    made, stage = answer.composed, answer.work.phase
    found = []
    for part in answer.step.parts:
        timing, runs = answer.timings[part.operator.name], part.times * times
        name = max(timing.kernels, key=lambda kernel: kernel[1])[0]
        kind = KINDS[part.operator.kind]
        found.append(Share(
            stage, part.label, name, runs, timing.seconds * runs, kind.flops(part.operator) * runs,
            kind.bytes(part.operator) * runs, max(least(part.operator, answer.chip)) * runs,
            hangs_on(timing)))  # fmt: skip
    around = {"launches": made.launching, "links": made.linking, "copies": made.copying}
    found += [Share(stage, label, "", times, seconds * times) for label, seconds in around.items()]
    return found


def rate(amount: float, seconds: float, unit: float) -> str:
    return number(amount / seconds / unit) if amount else ""


def row_of(share: Share, total: float) -> list[str]:
    return [
        share.stage,
        share.label,
        share.kernel,
        number(share.runs),
        number(1e3 * share.seconds),
        "%.1f" % (100 * share.seconds / total),
        rate(share.flops, share.seconds, 1e12),
        rate(share.bytes, share.seconds, 1e9),
        "%.0f" % (100 * share.least / share.seconds) if share.least else "",
        share.hangs,
    ]


def joined(shares: list[Share]) -> list[Share]:
    """Parts of one name and kernel as one, which hangs on what the longest of them hangs on."""
    groups: dict[tuple, list[Share]] = {}
    for share in shares:
        groups.setdefault((share.stage, share.label, share.kernel), []).append(share)
    sums = ("runs", "seconds", "flops", "bytes", "least")
    return [
        dataclasses.replace(
            max(group, key=lambda share: share.seconds),
            **{name: sum(getattr(share, name) for share in group) for name in sums},
        )
        for group in groups.values()
    ]


def table_of(shares: list[Share]) -> str:
    """The parts that matter, longest first."""
    total = sum(share.seconds for share in shares)
    shown = sorted(joined(shares), key=lambda share: -share.seconds)
    head = ["stage", "part", "kernel", "runs", "ms", "share, %", "TFLOPS", "GB/s", "of the roof, %", "hangs on"]
    return lines_of(head, (row_of(share, total) for share in shown if share.seconds >= LEAST_SHARE * total))


def roof_seconds(shares: Iterable[Share]) -> float:
    """What all operators would take at the chip's rates, one after the other."""
    return sum(share.least for share in shares)


def stages(parts: list[tuple[Answer, float]]) -> list[str]:
    """The steps that a figure is made of."""
    return ["%g x %s of %s ms" % (times, answer.work.name, number(1e3 * answer.composed.seconds))
            for answer, times in parts]  # fmt: skip


def read_apart(parts: list[tuple[Answer, float]]) -> list[str]:
    """What decoding would take more if each head of queries read the keys and values by itself that several share."""
    seconds = runs = 0.0
    shared = 1
    for answer, times in parts:
        for part in answer.step.parts:
            op = part.operator
            if op.kind == "attention_decode" and op.shape["heads"] > op.shape["kv_heads"]:
                shared = op.shape["heads"] // op.shape["kv_heads"]
                seconds += KINDS[op.kind].bytes(op) * (shared - 1) / answer.chip.dram_rate * part.times * times
                runs += times
    if not runs:
        return []
    what = "if each of %d heads of queries read its keys and values apart: %s ms a step more"
    return [what % (shared, number(1e3 * seconds / runs))]


def explain(parts: list[tuple[Answer, float]], published: float) -> str:
    """parts: answers with how often each runs. published: the seconds of the published figure."""
    shares = [share for answer, times in parts for share in shares_of(answer, times)]
    total = sum(share.seconds for share in shares)
    runs = sum(times for _, times in parts)
    said = (
        "steps: %s" % "; ".join(stages(parts)),
        "composed %s ms, published %s ms: %s ms a step more" % (
            number(1e3 * total), number(1e3 * published), number(1e3 * (published - total) / runs)),
        "operators at their roofs %s ms; the published figure takes %.2f times as long, the composed one %.2f times" % (
            number(1e3 * roof_seconds(shares)), published / roof_seconds(shares), total / roof_seconds(shares)),
        *read_apart(parts),
    )  # fmt: skip
    return "%s\n\n%s" % ("\n".join(said), table_of(shares))
