#!/usr/bin/env python3
"""Checks that what a report of ptx-tune --json says is consistent.

usage: check-report.py REPORT EVALUATIONS
"""
import json
import sys

with open(sys.argv[1]) as file:
    kernels = json.load(file)["kernels"]
assert kernels
for kernel in kernels:
    costs = kernel["costs"]
    assert len(costs) == int(sys.argv[2])
    assert costs[0] == 1
    usable = [cost for cost in costs if cost is not None]
    assert len(costs) - len(usable) == kernel["unusable"]
    assert kernel["cost"] <= min(usable)
    assert abs(kernel["tuned_cycles"] / kernel["untuned_cycles"] - kernel["cost"]) < 1e-9
    # Moves of instructions are not taken back one by one.
    decisions = {name for name in kernel["decisions"] if not name.startswith("move-up@")}
    assert {row["decision"] for row in kernel["worth"]} == decisions
    assert kernel["cost"] <= kernel["cost_before_moves"] <= min(usable)
    assert all(row["cost_without"] is None or row["cost_without"] > 1
               for row in kernel["worth"])
    assert kernel["wrong"] == []
