#!/usr/bin/env python3
"""Checks the banner on top of each C++ and TableGen file.

usage: check-banner.py SOURCE-FOLDER [FILE...]

A banner names the file and the licence and says, in at least one sentence, what
the file is for. Prints what is missing and exits with 1 if anything is.
"""
import os
import sys

from sources import list_sources

RULE = "//===----------------------------------------------------------------------===//"
LICENCE = [
    "// Part of the Heddle Project, under the Apache License v2.0 with LLVM",
    "// Exceptions. See LICENSE for license information.",
    "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
]


def faults(path, lines):
    name = os.path.basename(path)
    if not lines or not lines[0].startswith("//===- " + name + " - "):
        yield "line 1 does not start with '//===- %s - '" % name
    if lines[2:5] != LICENCE:
        yield "lines 3 to 5 are not the licence"
    if RULE not in lines[5:9]:
        yield "no rule after the licence"
        return
    purpose = lines[lines.index(RULE) + 1 :]
    if not any(line.startswith("// ") for line in purpose[:2]):
        yield "no sentence on what the file is for"


def main():
    root = sys.argv[1]
    paths = sys.argv[2:] or list_sources(root, (".cpp", ".h", ".c", ".td"))
    if not paths:
        sys.exit("no sources under " + root)
    failed = False
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for fault in faults(path, file.read().splitlines()):
                print("%s: %s" % (path, fault))
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
