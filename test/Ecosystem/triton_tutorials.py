"""Triton's tutorials: each of them runs, with its benchmarks cut to a first row, and
finds no difference from PyTorch. Of those with tests of their own so many tests
(--cases), chosen by a hash, run in place of the benchmarks."""
import pathlib
import re
import subprocess
import sys
import zlib

import cuda_projects
import pytest

RUNNER = pathlib.Path(__file__).resolve().with_name("run_tutorial.py")
# What a tutorial says of its results.
DIFFERS = re.compile(r"❌.*|.*\bdiffer\b.*")
REFUSES = re.compile(r"⛔.*|.*not supported on this device.*")
DIFFERENCE = re.compile(r"The maximum difference between torch and triton is (\S+)")


def own_tests(tutorial, most):
    """Some of the tests that a tutorial has itself, or the error of asking it."""
    asked = subprocess.run([sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", tutorial],
                           capture_output=True, text=True, check=False)
    found = [line.rpartition("::")[2] for line in asked.stdout.splitlines() if "::" in line]
    return sorted(found, key=lambda name: zlib.crc32(name.encode()))[:most or None] or [asked.stdout[-200:]]


def complaint_of(text):
    """The first error that pytest tells of, or else the last line."""
    lines = text.strip().splitlines() or ["it says nothing"]
    return next((line[1:].strip() for line in lines if line.startswith("E ")), lines[-1])


def pytest_generate_tests(metafunc):
    folder = metafunc.config.getoption("--checkout") / "python" / "tutorials"
    most, cases = metafunc.config.getoption("--cases"), []
    for tutorial in sorted(folder.glob("[0-9]*.py")):
        # Others have functions of such names, which they call themselves.
        with_tests = re.search(r"^import pytest", tutorial.read_text(encoding="utf-8"), re.MULTILINE)
        for test in own_tests(tutorial, most) if with_tests else [""]:
            cases.append(pytest.param(tutorial, test, id="-".join(filter(None, [tutorial.stem, test]))))
    metafunc.parametrize("tutorial,test", cases)


def test_tutorial(tutorial, test, work, seconds):
    if test:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"{tutorial}::{test}"]
    else:
        command = [sys.executable, RUNNER, tutorial]
    ran = cuda_projects.finish(command, work, seconds)
    if test and re.search(r"^1 skipped", ran.stdout, re.MULTILINE):
        pytest.skip("the tutorial leaves it out")
    assert ran.returncode == 0, f"exit status {ran.returncode}: {complaint_of(ran.stdout)}"
    refused = REFUSES.search(ran.stdout)
    if refused:
        pytest.skip(refused.group())
    wrong = DIFFERS.search(ran.stdout)
    assert not wrong, wrong.group()
    for difference in DIFFERENCE.findall(ran.stdout):
        assert float(difference) < 1e-5, f"differs from PyTorch by {difference}"
