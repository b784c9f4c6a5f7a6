#!/usr/bin/env python3
"""Compiles with each option that is not in the cache's key, and compares objects.

usage: no-effect.py OPTION-TABLE PTX-FILE WORK-FOLDER

Takes the options whose rows say Report or None; their values are those that the
row enumerates, or a number. Each object must be that without the option.
"""
import os
import re
import shutil
import subprocess
import sys

TABLE, PTX, WORK = sys.argv[1:]
ROW = re.compile(r'^HEDDLE_OPTION\(\w+, "([^"]+)", "[^"]*", (\w+), "([^"]*)", "[^"]*", (Report|None),',
                 re.MULTILINE)


def compiled(*options):
    path = os.path.join(WORK, "x.o")
    subprocess.run(["ptx-compile", *options, PTX, "-o", path], check=True, capture_output=True)
    with open(path, "rb") as file:
        return file.read()


def spellings(name, kind, values):
    if kind == "Flag":
        return ["--" + name]
    if name == "W":
        return ["-Wall", "-Wno-all"]
    choices = values.split("|") if "|" in values else ["2"]
    return ["--%s=%s" % (name, "2" if value in ("N", "") else value) for value in choices]


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    with open(TABLE, encoding="utf-8") as file:
        rows = ROW.findall(file.read())
    plain, tried, wrong = compiled(), 0, []
    for name, kind, values, _ in rows:
        for option in spellings(name, kind, values):
            tried += 1
            if compiled(option) != plain:
                wrong.append(option)
    for option in wrong:
        print("another object with %s, which is not in the key" % option)
    print("%d spellings of %d options, %d wrong" % (tried, len(rows), len(wrong)))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
