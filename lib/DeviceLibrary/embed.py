#!/usr/bin/env python3
"""Writes a file as the elements of a C array: embed.py INPUT OUTPUT."""
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
with open(sys.argv[2], "w", encoding="ascii") as file:
    for start in range(0, len(data), 20):
        file.write(",".join(map(str, data[start : start + 20])) + ",\n")
