"""Compares two runs of a suite.

Cycles are exact: the model gives the same figure for the same code on any host. Of
wall times the medians are compared, with an interval from resampling, so that noise
is no regression and a small one is not overlooked for lack of samples.
"""
import dataclasses
import enum
import random
import statistics

from .measure import resolution
from .store import StoredResult

RESAMPLES = 2000
CONFIDENCE = 0.95


class Verdict(enum.Enum):
    SAME = "same"
    FASTER = "faster"
    SLOWER = "slower"
    UNCLEAR = "unclear"  # the samples do not tell
    FAILED = "fails"
    MENDED = "works again"
    NEW = "new"
    GONE = "gone"

    @property
    def is_regression(self) -> bool:
        return self in (Verdict.SLOWER, Verdict.FAILED)


@dataclasses.dataclass
class Change:
    """Of a point. The ratio is after over before, and lies in [low, high]."""

    key: str
    verdict: Verdict
    before: float = 0
    after: float = 0
    ratio: float = 1
    low: float = 1
    high: float = 1
    unit: str = "cycles"
    message: str = ""
    cause: str = ""  # see attribute


def ratio_interval(before: list[float], after: list[float]) -> tuple[float, float]:
    """Where the ratio of the medians lies, by the percentile bootstrap (Efron, 1979). The
    same samples give the same interval."""
    generator = random.Random(1)
    ratios = sorted(
        statistics.median(generator.choices(after, k=len(after)))
        / statistics.median(generator.choices(before, k=len(before)))
        for _ in range(RESAMPLES)
    )
    edge = int(RESAMPLES * (1 - CONFIDENCE) / 2)
    return ratios[edge], ratios[-1 - edge]


def _judge(low: float, high: float, threshold: float) -> Verdict:
    if low > 1 + threshold:
        return Verdict.SLOWER
    if high < 1 - threshold:
        return Verdict.FASTER
    if low >= 1 - threshold and high <= 1 + threshold:
        return Verdict.SAME
    return Verdict.UNCLEAR


def compare_points(before: StoredResult, after: StoredResult, threshold: float) -> Change:
    """A ratio within 1 +- threshold is the same."""
    change = Change(after.key, Verdict.SAME, unit=after.kind)
    if before.failure or after.failure:
        change.message = after.failure
        if not before.failure:
            change.verdict = Verdict.FAILED
        elif not after.failure:
            change.verdict = Verdict.MENDED
        return change
    if after.kind == "cycles":
        change.before, change.after = before.cycles, after.cycles
        change.ratio = after.cycles / before.cycles if before.cycles else 1
        change.low = change.high = change.ratio
    else:
        change.before = statistics.median(before.samples)
        change.after = statistics.median(after.samples)
        change.ratio = change.after / change.before
        change.low, change.high = ratio_interval(before.samples, after.samples)
    change.verdict = _judge(change.low, change.high, threshold)
    if change.verdict is Verdict.UNCLEAR:
        least = max(resolution(before.samples), resolution(after.samples))
        change.message = "the samples tell changes of %.1f %% and more" % (100 * least)
    return change


def compare(
    before: dict[str, StoredResult], after: dict[str, StoredResult], threshold: float
) -> list[Change]:
    """In the order of the run after; what is gone comes last."""
    changes = []
    for key, result in after.items():
        if key in before:
            changes.append(compare_points(before[key], result, threshold))
        else:
            changes.append(Change(key, Verdict.NEW, unit=result.kind, message=result.failure))
    changes += [Change(key, Verdict.GONE, unit=r.kind) for key, r in before.items() if key not in after]
    return changes
