#!/usr/bin/env python3
"""Compares CodeGenPasses.def with the pipeline that LLVM was given.

usage: check-order.py CODEGEN-PASSES-DEF < OUTPUT

OUTPUT is what `llc -debug-pass=Arguments` prints. The passes of Heddle in it, each
where it stands first, must be the rows, in their order, and all of them. Prints
the faults and exits with 1 if there is any.
"""
import re
import sys

ROW = re.compile(r'^HEDDLE_CODEGEN_\w+\(\s*"([a-z-]+)"', re.MULTILINE)
ARGUMENTS = re.compile(r"^Pass Arguments: (.*)", re.MULTILINE)


def order_of(listed, output):
    """The passes that are listed, or ought to be, each once."""
    names = [a[1:] for text in ARGUMENTS.findall(output) for a in text.split()]
    own = [n for n in names if n in listed or n.startswith("heddle-")]
    return list(dict.fromkeys(own))


def faults(listed, order):
    for name in listed:
        if name not in order:
            yield name + " does not run"
    for name in order:
        if name not in listed:
            yield name + " is not listed"
    rows = [name for name in listed if name in order]
    runs = [name for name in order if name in listed]
    for row, run in zip(rows, runs):
        if row != run:
            yield "%s is listed where %s runs" % (row, run)
            return


def main():
    with open(sys.argv[1]) as file:
        listed = ROW.findall(file.read())
    if not listed:
        sys.exit("no passes in " + sys.argv[1])
    found = list(faults(listed, order_of(listed, sys.stdin.read())))
    print(*found, sep="\n", end="\n" if found else "")
    print("%d passes" % len(listed))
    sys.exit(bool(found))


main()
