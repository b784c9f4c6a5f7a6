"""Checks what programs with runtimes of several versions printed.

usage: check-counts.py OUTPUT...

Behind each line `program VERSION` stands what Inputs/loading.c prints for `count
fork`: those of version 11 have the runtime that does not work, all others ours.
"""
import re
import sys

THEIRS = ["-1, code 999 (theirs)"] * 2
OURS = ["1, code 0 (no error)", "0, code 3 (initialization error)"]


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="ascii") as file:
            programs = file.read().split("program ")[1:]
        if not programs:
            sys.exit(path + " tells of no program")
        for program in programs:
            counts = re.findall("^count: (.*)$", program, re.M)
            if counts != (THEIRS if program.startswith("110") else OURS):
                sys.exit("%s: %s" % (program.split()[0], counts))


if __name__ == "__main__":
    main()
