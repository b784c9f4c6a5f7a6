#!/usr/bin/env python3
"""Checks that each pass of the code generator has a test of its own.

usage: check-codegen-passes.py CODEGEN-PASSES-DEF TESTS

TESTS has a file NAME.mir or NAME.test for each pass heddle-NAME of the list that
the target machine makes: analyses, selection and printing have none; a file
NAME-limits may have more of its cases. The file NAME runs the pass by itself
through `llc -run-pass` and has a comment that begins with `Does:`, one with
`Leaves alone:` and one with `Limit:`, each with checks behind it. Prints what is
missing, and what files are of no pass, and exits with 1 if there is anything.
"""
import os
import re
import sys

ROW = re.compile(
    r'^HEDDLE_CODEGEN_(?:MODULE_PASS|FUNCTION_PASS|MACHINE_PASS|MACHINE_PASS_WITH_UNDO)'
    r'\(\s*"heddle-([a-z-]+)"',
    re.MULTILINE,
)
CASES = ("Does", "Leaves alone", "Limit")
# What compares the list with the pipeline.
OF_NO_PASS = ("order.test",)
# What may stand in front of a comment in MIR, in LLVM IR and in lit's own tests.
COMMENT = r"^\s*(?:[#;] )?"
CHECK = re.compile(COMMENT + r"[A-Z]+(?:-[A-Z]+)*(?:-\d+)?:", re.MULTILINE)


def file_of(tests, name):
    for suffix in (".mir", ".test"):
        path = os.path.join(tests, name + suffix)
        if os.path.exists(path):
            return path
    return None


def faults(tests, name):
    path = file_of(tests, name)
    if path is None:
        yield name + " has no test"
        return
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not re.search(r"RUN:.*-run-pass=(?:[a-z-]+,)*heddle-%s[, ]" % name, text):
        yield name + " is not run by its test"
    cases = re.split(COMMENT + r"(%s): " % "|".join(CASES), text, flags=re.MULTILINE)
    checked = {
        case for case, behind in zip(cases[1::2], cases[2::2]) if CHECK.search(behind)
    }
    for case in CASES:
        if case not in checked:
            yield '%s has no checks behind "%s:"' % (name, case)


def present(tests):
    for file in sorted(os.listdir(tests)):
        name, suffix = os.path.splitext(file)
        if suffix in (".mir", ".test") and file not in OF_NO_PASS:
            yield name


def main():
    definitions, tests = sys.argv[1:]
    with open(definitions, encoding="utf-8") as file:
        passes = ROW.findall(file.read())
    if not passes:
        sys.exit("no passes in " + definitions)
    found = [fault for name in passes for fault in faults(tests, name)]
    found += [name + " is of no pass" for name in present(tests)
              if name not in passes and name.removesuffix("-limits") not in passes]
    print(*found, sep="\n", end="\n" if found else "")
    print("%d passes" % len(passes))
    sys.exit(bool(found))


main()
