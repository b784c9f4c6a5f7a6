"""Checks what programs with runtimes of several versions printed.

usage: check-counts.py OUTPUT...

Behind each line `program VERSION` stands what Inputs/loading.c prints for `count
fork` with our runtime.
"""
import re
import sys

OURS = ["1, code 0 (no error)", "0, code 3 (initialization error)"]


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="ascii") as file:
            programs = file.read().split("program ")[1:]
        if not programs:
            sys.exit(path + " tells of no program")
        for program in programs:
            counts = re.findall("^count: (.*)$", program, re.M)
            if counts != OURS:
                sys.exit("%s: %s" % (program.split()[0], counts))


if __name__ == "__main__":
    main()
