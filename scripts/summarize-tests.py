#!/usr/bin/env python3
"""Sums the results of lit and GoogleTest into one line.

usage: summarize-tests.py RESULTS-FOLDER

Reads RESULTS-FOLDER/lit.json (lit --output) and RESULTS-FOLDER/unit/*.json
(--gtest_output=json), and where scripts/check-sanitized has run sanitized*.json
and sanitized/*.json likewise, prints what failed, why tests were skipped and, last,
`N passed, N failed, N skipped`. The exit status is 1 if anything failed or if a
kind of tests has no results.
"""
import collections
import glob
import json
import os
import re
import sys

# lit's result codes; whatever is in neither set (FAIL, TIMEOUT, UNRESOLVED,
# XPASS, ...) is a failure.
LIT_PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
LIT_NOT_RUN = {"UNSUPPORTED", "EXCLUDED", "SKIPPED"}

# What lit says of a test that it did not run.
LIT_REASONS = (
    (r"following unavailable features: *(.+)", "not on this machine: %s"),
    (r"(not built within .+|those left after .+)", "%s"),
    (r"not support the following features and/or targets: *(.+)", "not with: %s"),
)

Result = collections.namedtuple("Result", "name state reason")


def lit_reason(test):
    for pattern, text in LIT_REASONS:
        found = re.search(pattern, test.get("output", ""))
        if found:
            return text % found.group(1)
    return "no reason given"


def lit_results(path):
    """Yields the Result of every lit test."""
    with open(path, encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    for test in tests:
        if test["code"] in LIT_NOT_RUN:
            yield Result(test["name"], "skipped", lit_reason(test))
        else:
            state = "passed" if test["code"] in LIT_PASSED else "failed"
            yield Result(test["name"], state, None)


def unit_state(case):
    """State and reason of one case of a GoogleTest program."""
    if case["status"] != "RUN":
        return "skipped", "disabled in the source"
    if case["result"] == "SKIPPED":
        # Versions of GoogleTest before 1.13 do not keep the message.
        messages = [entry["message"] for entry in case.get("skipped", [])]
        lines = messages[0].strip().splitlines() if messages else []
        return "skipped", lines[-1] if lines else "the test found it cannot run here"
    return "failed" if "failures" in case else "passed", None


def unit_results(path):
    """Yields the Result of every test case of one GoogleTest program."""
    program = os.path.basename(path)[: -len(".json")]
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    if report.get("died"):
        yield Result(program + " (did not finish)", "failed", None)
        return
    for suite in report.get("testsuites", []):
        for case in suite["testsuite"]:
            name = "%s :: %s.%s" % (program, suite["name"], case["name"])
            yield Result(name, *unit_state(case))


def is_kernel_run(name):
    return name.startswith("Heddle :: Run/")


def read_results(folder):
    """The results by kind of tests."""
    kinds = {"lit": [], "unit": [], "kernel run": []}
    lit_json = os.path.join(folder, "lit.json")
    if os.path.exists(lit_json):
        for result in lit_results(lit_json):
            kinds["kernel run" if is_kernel_run(result.name) else "lit"].append(result)
    for path in sorted(glob.glob(os.path.join(folder, "unit", "*.json"))):
        kinds["unit"] += unit_results(path)
    for path in sorted(glob.glob(os.path.join(folder, "sanitized*.json"))):
        kinds.setdefault("sanitized", []).extend(lit_results(path))
    for path in sorted(glob.glob(os.path.join(folder, "sanitized", "*.json"))):
        kinds.setdefault("sanitized", []).extend(unit_results(path))
    return kinds


def describe(counts):
    return "%d passed, %d failed, %d skipped" % (
        counts["passed"],
        counts["failed"],
        counts["skipped"],
    )


def main():
    folder = sys.argv[1]
    kinds = read_results(folder)
    total, reasons = collections.Counter(), collections.Counter()
    for kind, results in kinds.items():
        for result in results:
            if result.state == "failed":
                print("failed: %s" % result.name)
            if result.state == "skipped":
                reasons[kind, result.reason] += 1
    for (kind, reason), count in sorted(reasons.items()):
        print("skipped: %d of the %s tests; %s" % (count, kind, reason))
    for kind, results in kinds.items():
        # A kind of tests of which none ran is no success, unless it is one that
        # may be given up.
        if kind != "sanitized" and all(result.state == "skipped" for result in results):
            print("no results of the %s tests in %s" % (kind, folder))
            total["failed"] += 1
    for kind, results in kinds.items():
        counts = collections.Counter(result.state for result in results)
        print("%s tests: %s" % (kind, describe(counts)))
        total += counts
    print(describe(total))
    sys.exit(1 if total["failed"] else 0)


if __name__ == "__main__":
    main()
