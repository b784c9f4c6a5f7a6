"""For pytest: the cycles of launches, as figures that a test can ask for.

    def test_saxpy(assert_cycles):
        assert_cycles("saxpy.json") < 1300

    def test_all(heddle_cycles):
        assert heddle_cycles("saxpy.json")["saxpy"] < 1300

Paths are relative to the test's folder. `--heddle-tools` names the folder of ptx-prof.
"""
import collections
import json
import operator
import os
from typing import Callable, Optional, Sequence

import pytest

from .measure import launches_of, measure_kernels
from .store import Result
from .suites import Case, Point
from .tools import Tools

MOST_LINES = 3


def pytest_addoption(parser):
    parser.addoption("--heddle-tools", help="the folder with ptx-prof (PATH)")


class Cycles:
    """A number of cycles. A comparison that does not hold fails the test, and says where the
    cycles went."""

    def __init__(self, name: str, cycles: int, hottest: str):
        self.name, self.cycles, self.hottest = name, cycles, hottest

    def _check(self, compare: Callable[[int, int], bool], sign: str, limit: int) -> bool:
        __tracebackhide__ = True
        if not compare(self.cycles, limit):
            text = "%s takes %s cycles, which is not %s %s" % (
                self.name,
                f"{self.cycles:,}",
                sign,
                f"{limit:,}",
            )
            pytest.fail(text + self.hottest)
        return True

    def __lt__(self, limit: int) -> bool:
        __tracebackhide__ = True
        return self._check(operator.lt, "<", limit)

    def __le__(self, limit: int) -> bool:
        __tracebackhide__ = True
        return self._check(operator.le, "<=", limit)

    def __int__(self) -> int:
        return self.cycles


def _hottest(report: str, kernel: Optional[str]) -> str:
    """The lines with most cycles of warps, and what these wait for."""
    lines: collections.Counter = collections.Counter()
    states: dict = {}
    for launch in json.loads(report)["launches"]:
        if kernel in (None, launch["kernel"]):
            for line in launch["lines"]:
                lines["%s:%d" % (line["file"], line["line"])] += line["warp_cycles"]
                states["%s:%d" % (line["file"], line["line"])] = line["main_state"]
    rows = ["%s: %s warp cycles, %s" % (p, f"{n:,}", states[p]) for p, n in lines.most_common(MOST_LINES)]
    return "".join("\n  " + row for row in rows)


@pytest.fixture
def heddle_measure(request):
    """A function of a manifest, a chip and options; returns what was measured, with the
    report of ptx-prof among the artefacts. A launch that fails fails the test."""

    def measure(manifest: str, chip: str = "hd100", options: Sequence[str] = ("-O3",)) -> Result:
        path = os.path.join(os.path.dirname(request.path), manifest)
        tools = Tools(request.config.getoption("--heddle-tools"))
        result = measure_kernels(tools, Point(Case(manifest, path), chip, tuple(options)), keep=False)
        if result.failure:
            pytest.fail("%s: %s" % (manifest, result.failure))
        return result

    return measure


@pytest.fixture
def heddle_cycles(heddle_measure):
    """A function of a manifest, a chip and options; returns the cycles of each kernel, of all
    its launches together."""

    def cycles(manifest: str, chip: str = "hd100", options: Sequence[str] = ("-O3",)):
        sums: collections.Counter = collections.Counter()
        for launch in heddle_measure(manifest, chip, options).launches:
            sums[launch.kernel] += launch.cycles
        return dict(sums)

    return cycles


@pytest.fixture
def assert_cycles(heddle_measure):
    """A function of a manifest, and of a kernel where all launches together are not meant;
    returns cycles to compare with < or <=."""

    def cycles(
        manifest: str,
        kernel: Optional[str] = None,
        chip: str = "hd100",
        options: Sequence[str] = ("-O3",),
    ) -> Cycles:
        report = heddle_measure(manifest, chip, options).artefacts["report"]
        found = [x for x in launches_of(report) if kernel in (None, x.kernel)]
        if not found:
            pytest.fail("%s launches no kernel '%s'" % (manifest, kernel))
        total = sum(launch.cycles for launch in found)
        return Cycles(kernel or manifest, total, _hottest(report, kernel))

    return cycles
