#!/usr/bin/env python3
"""Checks how large an installed tree is.

usage: check-size.py FOLDER MEGABYTES

Prints the sum of all files' sizes, and if it is over the limit, which is in units
of 10^6 bytes, the largest files too. The exit status is then 1.
"""
import os
import sys

SHOWN = 10


def main():
    root, limit = sys.argv[1], int(sys.argv[2]) * 10**6
    sizes = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                sizes[os.path.relpath(path, root)] = os.path.getsize(path)
    total = sum(sizes.values())
    print("%d files, %.1f MB of %s" % (len(sizes), total / 1e6, sys.argv[2]))
    if total <= limit and sizes:
        return 0
    for path in sorted(sizes, key=sizes.get, reverse=True)[:SHOWN]:
        print("%12d %s" % (sizes[path], path))
    return 1


if __name__ == "__main__":
    sys.exit(main())
