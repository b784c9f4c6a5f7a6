#!/usr/bin/env python3
"""Checks that the project's C++ sources are as clang-format leaves them.

usage: check-format.py SOURCE-FOLDER CLANG-FORMAT [FILE...]

With files, only those are checked. Prints where the layout differs and exits
with 1 if it does anywhere. To repair: `git clang-format-22`, or
`clang-format-22 -i FILE`.
"""
import concurrent.futures
import os
import subprocess
import sys

from sources import list_sources

FILES_AT_ONCE = 20


def check(root, program, paths):
    command = [program, "--dry-run", "-Werror", "--style=file"] + paths
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return done.returncode, done.stderr


def main():
    root, program = sys.argv[1:3]
    paths = sys.argv[3:] or list_sources(root, (".cpp", ".h", ".c"))
    if not paths:
        sys.exit("no sources under " + root)
    batches = [paths[i : i + FILES_AT_ONCE] for i in range(0, len(paths), FILES_AT_ONCE)]
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for status, errors in pool.map(lambda batch: check(root, program, batch), batches):
            sys.stdout.write(errors)
            failed |= status != 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
