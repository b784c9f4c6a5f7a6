#!/usr/bin/env python3
"""Checks that every file of one folder is in another with the same bytes.

usage: compare-folder.py MADE COMMITTED
"""
import os
import sys

made, committed = sys.argv[1:]
count = 0
differing = []
for folder, _, files in os.walk(made):
    for file in files:
        path = os.path.join(folder, file)
        name = os.path.relpath(path, made)
        other = os.path.join(committed, name)
        count += 1
        with open(path, "rb") as stream:
            data = stream.read()
        if not os.path.isfile(other):
            differing.append(name + " is missing")
            continue
        with open(other, "rb") as stream:
            if stream.read() != data:
                differing.append(name + " differs")
print("\n".join(sorted(differing) or ["%d files agree" % count]))
sys.exit(1 if differing or not count else 0)
