"""Runs one test module with pytest and records each test as it ends.

usage: run_module.py RECORD SHARE PACKAGE MODULE PYTEST-ARGUMENT...

RECORD is a file of JSON lines that outlives this process: {"begins": TEST} in
front of a test, {"test": TEST, "outcome": ..., "seconds": ..., "message": ...}
behind it, with the test's properties, {"device": STATUS} when a test has left the device in an error that
all later tests would get as well; no further test is run then. Tests that RECORD
has already are not run again, so that the caller goes on in a new process.

SHARE is N/D: of all tests the part that is run, chosen by a hash of the name.
MODULE is a path below the current folder, which is the package PACKAGE, or - if
the module is in none.
"""
import ctypes
import importlib
import json
import os
import sys
import zlib

import pytest

# Errors of the driver that stay until the process ends.
STICKY_STATUSES = range(700, 800)


def device_status():
    """What the driver says of the current context, 0 if there is none."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    status = driver.cuCtxSynchronize()
    return status if status in STICKY_STATUSES else 0


def message_of(report):
    """The first line of what a failed test says, or the error of an import."""
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = [line.strip() for line in str(crash.message if crash else report.longrepr).splitlines()]
    errors = [line[1:].strip() for line in lines if line.startswith("E ")]
    lines = [line for line in errors or lines if line]
    return lines[0][:300] if lines else ""


class Recorder:
    """Hooks of pytest that write the record."""

    def __init__(self, record, share):
        self.record = record
        self.part, self.parts = (int(number) for number in share.split("/"))
        self.known = set()
        if os.path.exists(record):
            with open(record, encoding="utf-8") as file:
                entries = [json.loads(line) for line in file]
            self.known = {entry["test"] for entry in entries if "test" in entry}
        self.session = None

    def write(self, **entry):
        with open(self.record, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def pytest_sessionstart(self, session):
        self.session = session

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        def is_chosen(item):
            number = zlib.crc32(item.nodeid.encode())
            return number % self.parts < self.part and item.nodeid not in self.known

        chosen = [item for item in items if is_chosen(item)]
        left = [item for item in items if not is_chosen(item)]
        config.hook.pytest_deselected(items=left)
        items[:] = chosen

    def pytest_collectreport(self, report):
        if report.failed and report.nodeid not in self.known:
            self.write(test=report.nodeid, outcome="not collected", seconds=0,
                       message=message_of(report))

    def pytest_runtest_logstart(self, nodeid):
        self.write(begins=nodeid)

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        outcome = report.outcome
        if hasattr(report, "wasxfail"):
            outcome = "skipped" if report.skipped else "passed"
        message = message_of(report) if outcome == "failed" else ""
        self.write(test=report.nodeid, outcome=outcome, message=message,
                   seconds=round(report.duration, 3), **dict(report.user_properties))
        if outcome == "failed":
            status = device_status()
            if status:
                self.write(device=status)
                self.session.shouldstop = f"the device is in error {status}"


def import_by_name(package, module):
    """Imports the module by its name in the package, for pytest to find: pytest
    would import it by a name made of folders, which is another module where a
    package has folders without __init__.py or is found by a hook."""
    names = module.removesuffix(".py").split("/")
    importlib.import_module(".".join([package, *names]))
    outer = os.path.dirname(os.path.abspath(module))
    folders = []
    while os.path.exists(os.path.join(outer, "__init__.py")):
        folders.insert(0, os.path.basename(outer))
        outer = os.path.dirname(outer)
    real, seen = [*package.split("."), *names], [*folders, names[-1]]
    for left_out in range(len(names) + 1):
        end = len(seen) - left_out
        name = ".".join(real[:len(real) - left_out])
        sys.modules.setdefault(".".join(seen[:end]), sys.modules[name])


def main():
    record, share, package, module, *arguments = sys.argv[1:]
    if package != "-":
        import_by_name(package, module)
        arguments.append("--import-mode=importlib")
    return pytest.main(["-p", "no:cacheprovider", "-q", *arguments, module],
                       plugins=[Recorder(record, share)])


if __name__ == "__main__":
    sys.exit(main())
