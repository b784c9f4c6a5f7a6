#!/usr/bin/env python3
"""Checks that lines of the pages fit a screen: at most 120 characters.

usage: check-docs.py SOURCE-FOLDER

Rows of tables, code and links that cannot be broken may be longer, and pages
that programs write. Prints one line for each other line that is longer, and
exits with 1 if there is any.
"""
import glob
import os
import sys

MOST = 120
MADE = ("docs/cuda-functions.md", "docs/ptx-coverage.md")


def long_lines(path):
    is_code = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("```"):
                is_code = not is_code
            is_text = not is_code and not line.startswith(("|", "    "))
            if is_text and len(line) > MOST and " " in line.strip():
                yield number, len(line)


def main():
    root = sys.argv[1]
    found, checked = [], 0
    for pattern in ("*.md", "docs/*.md", "docs/contributing/*.md", "docs/decisions/*.md"):
        for path in sorted(glob.glob(os.path.join(root, pattern))):
            name = os.path.relpath(path, root)
            checked += 1
            if name not in MADE:
                for number, length in long_lines(path):
                    found.append("%s:%d: %d characters" % (name, number, length))
    print("\n".join(found))
    sys.exit(1 if found or not checked else 0)


if __name__ == "__main__":
    main()
