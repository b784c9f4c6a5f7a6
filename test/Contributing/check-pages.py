#!/usr/bin/env python3
"""Checks that each page of docs/contributing has a test that replays it.

usage: check-pages.py PAGES TESTS
"""
import os
import re
import sys


def replayed_by(test):
    with open(test, encoding="utf-8") as file:
        return re.findall(r"replay\.py %source/docs/contributing/(\S+)", file.read())


def main():
    folder, tests = sys.argv[1:]
    pages = [name for name in sorted(os.listdir(folder)) if name.endswith(".md")]
    missing = []
    for page in pages:
        path = os.path.join(tests, os.path.splitext(page)[0] + ".test")
        if not os.path.exists(path) or page not in replayed_by(path):
            missing.append("%s is not replayed" % page)
    print(*missing, sep="\n", end="\n" if missing else "")
    print("%d pages" % len(pages))
    sys.exit(1 if missing or not pages else 0)


main()
