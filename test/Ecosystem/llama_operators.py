"""llama.cpp's test of its operators: the device's results against those of its code for
the host, by its own tolerances. Of each operator's cases a number is chosen by a hash
of their parameters (--cases)."""
import re
import zlib

import cuda_projects

DEVICE = "CUDA0"
# A case and its verdict; what is wrong stands in front of it.
CASE = re.compile(r"^(\[\w+\] .*?|)  +([A-Z0-9_]+\(.*\)): (.*)$")


def program(config):
    return config.getoption("--work") / "build" / "bin" / "test-backend-ops"


def results_of(text):
    """What a run says of each case."""
    found = (CASE.match(line) for line in cuda_projects.without_colours(text).splitlines())
    return {match[2]: " ".join(filter(None, [match[3].strip(), match[1]])) for match in found if match}


def pytest_generate_tests(metafunc):
    """A test for each operator with cases that the device supports."""
    binary, most = program(metafunc.config), metafunc.config.getoption("--cases")
    listed = cuda_projects.run([binary, "support", "-b", DEVICE], binary.parent)
    operators = {}
    for case, verdict in results_of(listed).items():
        if verdict.startswith("SUPPORTED"):
            operators.setdefault(case.split("(")[0], []).append(case)
    chosen = {name: sorted(cases, key=lambda case: zlib.crc32(case.encode()))[:most or None]
              for name, cases in operators.items()}
    metafunc.parametrize("cases", chosen.values(), ids=chosen.keys())


def test_operator(cases, pytestconfig):
    binary = program(pytestconfig)
    said = cuda_projects.run([binary, "test", "-b", DEVICE, "-o", ",".join(cases)], binary.parent, accept=(0, 1))
    results = results_of(said)
    wrong = [f"{case}: {results.get(case, 'not run')}" for case in cases if results.get(case) != "OK"]
    assert not wrong, f"{len(wrong)} of {len(cases)}: {wrong[0]}: {cuda_projects.complaint_of(said)}"
