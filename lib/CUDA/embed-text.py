#!/usr/bin/env python3
"""Writes a text as the elements of a C array that a zero ends.

usage: embed.py TEXT ELEMENTS
"""
import pathlib
import sys


def main():
    text, elements = map(pathlib.Path, sys.argv[1:])
    data = text.read_bytes() + b"\0"
    lines = [",".join(map(str, data[start:start + 20])) for start in range(0, len(data), 20)]
    elements.write_text(",\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
