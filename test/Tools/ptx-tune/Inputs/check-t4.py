#!/usr/bin/env python3
"""Checks that a document has the form of T4's results schema 1.0.0.

usage: check-t4.py FILE RESULTS [--best]

The rules are the schema's (https://github.com/odgaard/TuningSchema), written
down again here: which members there must be, and of which types. With --best
the best configuration is printed as a tuning document for jacobi.
"""
import json
import re
import sys

INVALIDITIES = {"timeout", "compile", "runtime", "correctness", "constraints", "correct"}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_times(times):
    for name in ("compilation_time", "framework", "search_algorithm", "validation"):
        assert name not in times or is_number(times[name])
    assert isinstance(times.get("runtimes", []), list)


def check_measurement(row):
    assert isinstance(row.get("name", ""), str) and isinstance(row.get("unit", ""), str)
    assert is_number(row.get("value", 0)) or isinstance(row["value"], (str, list))


def check_result(result):
    for required in ("configuration", "times", "invalidity", "correctness"):
        assert required in result, required
    assert isinstance(result["configuration"], dict)
    assert result["invalidity"] in INVALIDITIES
    assert is_number(result["correctness"])
    assert isinstance(result.get("objectives", []), list)
    assert isinstance(result.get("timestamp", ""), str)
    check_times(result["times"])
    for row in result.get("measurements", []):
        check_measurement(row)


def objective(result):
    return next(row["value"] for row in result["measurements"]
                if row["name"] == result["objectives"][0])


def main():
    with open(sys.argv[1]) as file:
        document = json.load(file)
    assert re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", document["schema_version"])
    results = document["results"]
    assert len(results) == int(sys.argv[2])
    for result in results:
        check_result(result)
    # Every result has all decisions, as a table of a space needs them.
    assert len({tuple(sorted(result["configuration"])) for result in results}) == 1
    assert len({json.dumps(result["configuration"]) for result in results}) == len(results)
    if "--best" in sys.argv:
        correct = [result for result in results if result["invalidity"] == "correct"]
        best = min(correct, key=objective)["configuration"]
        print(json.dumps({"heddle_tuning": 1, "kernels": {"jacobi": best}}))


main()
