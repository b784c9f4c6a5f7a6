#!/usr/bin/env python3
"""Checks that compiling twice the input takes about twice the instructions.

usage: growth.py PTX-COMPILE BENCHMARKS-FOLDER WORK-FOLDER

PTX-COMPILE must be of a tree that valgrind can read (count-instructions.py makes
one). Prints the growth of each shape and fails if one is above its limit.
"""
import importlib.util
import os
import re
import subprocess
import sys

# Shape, size, and the growth that twice the size may bring. Values beyond the
# registers are spilled, which fewer are not.
CASES = (("sums", 2500, 2.5), ("nested", 150, 3.2), ("live_values", 150, 12))


def load_shapes(folder):
    spec = importlib.util.spec_from_file_location("shapes", os.path.join(folder, "shapes.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def count(compiler, text, work):
    path = os.path.join(work, "shape.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
         compiler, "--no-cache", "-w", "-O1", path, "-o", os.path.join(work, "shape.o")],
        capture_output=True, text=True, check=False)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode or not found:
        sys.exit(done.stderr)
    return int(found.group(1).replace(",", ""))


def main():
    compiler, folder, work = sys.argv[1:]
    shapes = load_shapes(folder)
    empty = count(compiler, shapes.sums(1), work)
    bad = 0
    for name, size, limit in CASES:
        once, twice = (count(compiler, getattr(shapes, name)(n), work) - empty
                       for n in (size, 2 * size))
        bad += twice / once > limit
        print("%s: %d take %.1f times the instructions of %d, at most %.1f may be"
              % (name, 2 * size, twice / once, size, limit))
    print("%d shapes, %d grew too much" % (len(CASES), bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
