#!/usr/bin/env python3
"""Sums the results of lit and GoogleTest into one line.

usage: summarize-tests.py RESULTS-FOLDER

Reads RESULTS-FOLDER/lit.json (lit --output) and RESULTS-FOLDER/unit/*.json
(--gtest_output=json), prints what failed and, last, `N passed, N failed`. The
exit status is 1 if anything failed or if a kind of tests has no results.
"""
import glob
import json
import os
import sys

# lit's result codes; whatever is in neither set (FAIL, TIMEOUT, UNRESOLVED,
# XPASS, ...) is a failure.
LIT_PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
LIT_NOT_RUN = {"UNSUPPORTED", "EXCLUDED", "SKIPPED"}


def lit_results(path):
    """Yields (name, passed) of every lit test that ran."""
    with open(path, encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    for test in tests:
        if test["code"] not in LIT_NOT_RUN:
            yield test["name"], test["code"] in LIT_PASSED


def unit_results(path):
    """Yields (name, passed) of every test case of one GoogleTest program."""
    program = os.path.basename(path)[: -len(".json")]
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    if report.get("died"):
        yield program + " (did not finish)", False
        return
    for suite in report.get("testsuites", []):
        for case in suite["testsuite"]:
            if case["status"] == "RUN" and case["result"] != "SKIPPED":
                name = "%s :: %s.%s" % (program, suite["name"], case["name"])
                yield name, "failures" not in case


def is_kernel_run(name):
    return name.startswith("Heddle :: Run/")


def main():
    folder = sys.argv[1]
    lit_json = os.path.join(folder, "lit.json")
    unit_jsons = sorted(glob.glob(os.path.join(folder, "unit", "*.json")))
    kinds = {"lit": [], "unit": [], "kernel run": []}
    if os.path.exists(lit_json):
        for result in lit_results(lit_json):
            kinds["kernel run" if is_kernel_run(result[0]) else "lit"].append(result)
    for path in unit_jsons:
        kinds["unit"] += unit_results(path)
    # A kind of tests that left no results did not run, which is no success.
    missing = [kind for kind, results in kinds.items() if not results]

    for kind, results in kinds.items():
        for name, passed in results:
            if not passed:
                print("failed: %s" % name)
    for kind in missing:
        print("no results of the %s tests in %s" % (kind, folder))
    for kind, results in kinds.items():
        passed = sum(passed for _, passed in results)
        print("%s tests: %d passed, %d failed" % (kind, passed, len(results) - passed))
    everything = [passed for results in kinds.values() for _, passed in results]
    failed = everything.count(False) + len(missing)
    print("%d passed, %d failed" % (everything.count(True), failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
