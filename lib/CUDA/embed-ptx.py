#!/usr/bin/env python3
"""Writes PTX as the elements of a C array that a zero ends, without what only people
read of it: comments and indentation.

usage: embed-ptx.py PTX ELEMENTS
"""
import pathlib
import re
import sys


def shorten(text):
    """What is in quotes stays, and so does its line."""
    lines = (line if '"' in line else re.sub(r"//.*", "", line) for line in text.splitlines())
    return "".join(line + "\n" for line in map(str.strip, lines) if line)


def main():
    ptx, elements = map(pathlib.Path, sys.argv[1:])
    data = shorten(ptx.read_text(encoding="ascii")).encode() + b"\0"
    lines = [",".join(map(str, data[start:start + 20])) for start in range(0, len(data), 20)]
    elements.write_text(",\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
