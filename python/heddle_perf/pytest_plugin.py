"""For pytest: the cycles of launches as figures that a test can ask for.

    def test_saxpy(heddle_cycles):
        assert heddle_cycles("saxpy.json")["saxpy"] < 1300

Paths are relative to the test's folder. `--heddle-tools` names the folder of ptx-prof.
"""
import collections
import os

import pytest

from .measure import Tools, measure_kernels
from .suites import Case, Point


def pytest_addoption(parser):
    parser.addoption("--heddle-tools", help="the folder with ptx-prof (PATH)")


@pytest.fixture
def heddle_cycles(request):
    """A function of a manifest, a chip and options; returns the cycles of each kernel, of all
    its launches together. A launch that fails fails the test."""

    def cycles(manifest: str, chip: str = "hd100", options: tuple[str, ...] = ("-O3",)):
        path = os.path.join(os.path.dirname(request.path), manifest)
        tools = Tools(request.config.getoption("--heddle-tools"))
        result = measure_kernels(tools, Point(Case(manifest, path), chip, tuple(options)))
        if result.failure:
            pytest.fail("%s: %s" % (manifest, result.failure))
        sums: collections.Counter = collections.Counter()
        for launch in result.launches:
            sums[launch.kernel] += launch.cycles
        return dict(sums)

    return cycles
