#!/usr/bin/env python3
"""Compares the passes of Passes.def with the folders of their tests.

usage: check-folders.py PASSES-DEF TESTS

Each pass has a folder under TESTS that is named after it, without heddle-, in one
named after its folder in passes/. It has a test of what the pass does, of what it
leaves alone and of a limit, and each of them runs the pass. Prints what is missing,
and what folders are of no pass, and exits with 1 if there is anything.
"""
import os
import re
import sys

CASES = ("rewrites.ll", "leaves-alone.ll", "limit.ll")
# The names of folders stand in comments or in rows of their own.
ROW = re.compile(
    r'^(?:// (?P<comment>[a-z]+)/$'
    r'|HEDDLE_PASS_FOLDER\("(?P<folder>[a-z]+)"'
    r'|HEDDLE_\w*PASS\w*\(\s*"heddle-(?P<name>[a-z-]+)")',
    re.MULTILINE,
)


def listed(path):
    """The folders of tests that there must be."""
    with open(path) as file:
        text = file.read()
    folder = None
    for row in ROW.finditer(text):
        folder = row["comment"] or row["folder"] or folder
        if row["name"]:
            yield folder + "/" + row["name"]


def present(tests):
    for folder in sorted(os.listdir(tests)):
        path = os.path.join(tests, folder)
        if folder != "Inputs" and os.path.isdir(path):
            for name in sorted(os.listdir(path)):
                yield folder + "/" + name


def faults(tests, folder):
    for case in CASES:
        path = os.path.join(tests, folder, case)
        if not os.path.exists(path):
            yield "%s has no %s" % (folder, case)
            continue
        with open(path) as file:
            text = file.read()
        # ptx-opt has the target, by which values differ from thread to thread.
        runs = r"^; RUN: (?:%opt-heddle|ptx-opt) .*heddle-" + folder.split("/")[1] + r"\b"
        if not re.search(runs, text, re.MULTILINE):
            yield "%s/%s does not run the pass" % (folder, case)


def main():
    definitions, tests = sys.argv[1:]
    passes = list(listed(definitions))
    if not passes:
        sys.exit("no passes in " + definitions)
    found = [fault for folder in passes for fault in faults(tests, folder)]
    found += [f + " is of no pass" for f in present(tests) if f not in passes]
    print(*found, sep="\n", end="\n" if found else "")
    print("%d passes" % len(passes))
    sys.exit(bool(found))


main()
