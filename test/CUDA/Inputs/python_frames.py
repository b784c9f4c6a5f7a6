"""Finds functions of Python in the samples of a timeline.

usage: python_frames.py FILE.sqlite

Prints which part of the samples with spin_inner has spin_outer as the next function of Python outside it.
"""
import collections
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
stacks = collections.defaultdict(list)
for number, function, module in db.execute(
        "SELECT c.id, s.value, m.value FROM SAMPLING_CALLCHAINS c JOIN StringIds s ON s.id = c.symbol "
        "JOIN StringIds m ON m.id = c.module ORDER BY c.id, stackDepth"):
    if module.endswith("spin.py"):
        stacks[number].append(function)
inner = [stack for stack in stacks.values() if stack[0] == "spin_inner"]
right = [stack for stack in inner if stack == ["spin_inner", "spin_outer", "<module>"]]
print("many samples:", len(inner) >= 10)
print("right enough:", len(right) >= 0.9 * len(inner))
