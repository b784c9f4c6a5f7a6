#!/usr/bin/env python3
"""Runs public CUDA programs in several ways of execution and says what they take.

The programs, how they are built and when they pass are survey.py's; those that it
can build run emulated, translated for the first time, and again with what the
cache has of that:

    test/CUDA/executions.py --suites=DIR --work=DIR [--runtime=KIND] [--only=REGEX] [--write]

Seconds are of the processor. What was found is kept in the work folder; --write puts
all of it into docs/native.md. Exits with 1 if a program passes emulated and not
translated.
"""
import argparse
import os
import re
import sys
import tempfile

import survey

TABLE_BEGIN = "<!-- Written by test/CUDA/executions.py. -->\n"
TABLE_END = "<!-- End of that. -->\n"
KEPT = "executions.tsv"
# By the heads of the table; the last two share a cache.
WAYS = {"emulated": "emulate", "translated": "translate", "translated again": "translate"}


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--suites", required=True, help="where the suites are")
    parser.add_argument("--work", required=True, help="where programs are built")
    parser.add_argument("--libraries", default=os.path.join(survey.ROOT, "build", "lib"))
    parser.add_argument("--programs", default=os.path.join(survey.HERE, "programs.txt"))
    parser.add_argument("--only", default="", help="a regular expression of names")
    parser.add_argument("--timeout", type=int, default=120, help="processor seconds a run")
    parser.add_argument("--runtime", choices=("shared", *survey.RUNTIMES), default="shared")
    parser.add_argument("--write", action="store_true", help="docs/native.md")
    chosen = parser.parse_args()
    chosen.suites, chosen.work = os.path.abspath(chosen.suites), os.path.abspath(chosen.work)
    chosen.toolkit = None
    os.makedirs(chosen.work, exist_ok=True)
    return chosen


def measure(program, binary, chosen):
    """By way: (whether the program passed, what went wrong, seconds)."""
    found = {}
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(HEDDLE_CACHE_MODE="on", HEDDLE_CACHE_DIR=cache)
        # What compiling takes is not the question.
        os.environ["HEDDLE_EXECUTION"] = "emulate"
        survey.run(program, binary, chosen, skip=False)
        for head, way in WAYS.items():
            os.environ["HEDDLE_EXECUTION"] = way
            found[head] = survey.run(program, binary, chosen, skip=False)
    return found


def cell(ran):
    passed, why, seconds = ran
    return "%.2f s" % seconds if passed else why[:80]


def known_rows(chosen):
    """The cells of each program that was run, by suite and name."""
    try:
        with open(os.path.join(chosen.work, KEPT), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
    except FileNotFoundError:
        return {}
    return {(row[0], row[1]): row[2:] for row in rows}


def keep(program, found, chosen):
    rows = known_rows(chosen)
    rows[program.suite, program.name] = [cell(ran) for ran in found.values()]
    with open(os.path.join(chosen.work, KEPT), "w", encoding="utf-8") as file:
        for key, cells in rows.items():
            file.write("\t".join([*key, *cells]) + "\n")


def write_table(programs, chosen, path):
    """Replaces the table of a document."""
    with open(path, encoding="utf-8") as file:
        head, marker, rest = file.read().partition(TABLE_BEGIN)
    _, end, tail = rest.partition(TABLE_END)
    if not marker or not end:
        sys.exit("%s has no line %r" % (path, TABLE_BEGIN))
    lines = ["\n| suite | program | %s |\n|---|---|%s\n" % (" | ".join(WAYS), "---|" * len(WAYS))]
    rows = known_rows(chosen)
    for program in programs:
        key = program.suite, program.name
        if key in rows:
            lines.append("| %s | %s | %s |\n" % (*key, " | ".join(rows[key])))
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + marker + "".join(lines) + "\n" + end + tail)


def main():
    chosen = options()
    programs = survey.read_programs(chosen.programs)
    number, wrong = 0, 0
    for program in programs:
        if not re.search(chosen.only, program.name):
            continue
        binary, _ = survey.build(program, chosen)
        if not binary:
            continue
        found = measure(program, binary, chosen)
        passed = [ran[0] for ran in found.values()]
        if not passed[0]:
            continue  # survey.py says why.
        keep(program, found, chosen)
        number += 1
        print("%-14s %-30s" % (program.suite, program.name)
              + "".join("%8.2f s" % ran[2] for ran in found.values()), flush=True)
        if not all(passed):
            wrong += 1
            print("  " + ", ".join(ran[1] for ran in found.values() if ran[1]), flush=True)
    print("%d of %d pass translated" % (number - wrong, number))
    if chosen.write:
        write_table(programs, chosen, os.path.join(survey.ROOT, "docs", "native.md"))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
