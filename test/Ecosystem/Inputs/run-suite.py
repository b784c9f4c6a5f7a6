"""Runs the tests beside this file as a project's and prints their outcomes.

usage: run-suite.py SOURCE-FOLDER STATE-FOLDER PYTHON
"""
import pathlib
import sys
import types

source, state, python = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(source / "test" / "Ecosystem"))

import environments  # noqa: E402
import suites  # noqa: E402

project = {"name": "made-up", "suite": {"modules": ["test_*.py"], "seconds_a_test": 5, "seconds_a_module": 60}}
options = types.SimpleNamespace(state=state, suffix="", launcher=[], jobs=1, match=None, tell=print)
_, outcomes, _ = suites.run_suite(
    project, environments.Environment(python, source / "test/Ecosystem/Inputs/suite"), options)
for name, entry in outcomes.items():
    print(f"{name}: {entry['outcome']} {entry['message']}".strip())
known = suites.read_suite(project, environments.Environment(python, source / "test/Ecosystem/Inputs/suite"), options)[1]
print("recorded:", known == {name: entry for name, entry in outcomes.items() if name in known}, len(known))
