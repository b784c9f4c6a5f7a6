"""Prints the page of made-up results, or of the recorded ones.

usage: write-page.py SOURCE-FOLDER [recorded]
"""
import json
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1]) / "test" / "Ecosystem"
sys.path.insert(0, str(folder))

import page  # noqa: E402
import projects  # noqa: E402

if sys.argv[2:]:
    print(page.page(projects.read(), json.loads((folder / "results.json").read_text(encoding="utf-8"))), end="")
    sys.exit()


def entry(test, outcome, message=""):
    return {"test": test, "outcome": outcome, "message": message, "seconds": 0}


table = [
    {"name": "one", "smoke": "sums.py", "causes": [
        {"pattern": re.compile("test_reference: Assert"), "kind": "theirs", "why": "its reference is wrong"}]},
    {"name": "two", "no_suite": "no suite here"},
    {"name": "three"},
]
results = {
    "one": {"version": "1.0", "smoke": "", "modules": 2, "seconds": 100, "unnoticed": 1, "remark": "On a busy machine.",
            "counts": {"failed": 2, "passed": 2, "skipped": 1, "timed out": 1}, "failures": [
                entry("a.py::test_reference", "failed", "AssertionError"), entry("a.py::test_slow", "timed out"),
                entry("b.py::test_new", "failed", "AssertionError: a | b (/home/me/state/python/b.py:7) of a/b/c")]},
    "two": {"version": "2.0", "smoke": "no module two"},
}
print(page.page(table, page.anywhere(results)), end="")
