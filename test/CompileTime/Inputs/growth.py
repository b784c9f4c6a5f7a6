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

# Shape, options, size, and the growth that twice the size may bring. Values
# beyond the registers are spilled, which fewer are not. Of divisions, so many
# need more than 32 registers, so that both sizes are compiled again with fewer.
LOOP_PASSES = '--tuning={"heddle_tuning":1,"kernels":{"k":{"loop-passes":2}}}'
CASES = (("sums", "-O3", 1500, 2.4), ("updates", "-O3", 500, 2.6), ("nested", "-O1", 400, 2.4),
         ("one_register", "-O1", 400, 2.4), ("live_values", "-O1", 350, 3.0),
         ("matrices", "-O1", 600, 2.3), ("loops", "-O3", 128, 2.3),
         ("array_loops", "-O3", 64, 2.4), ("nested_loops", "-O3", 64, 3.0),
         ("divisions", "-O3", 160, 2.4), ("places", "-O1", 400, 2.3),
         ("calls", "-O1", 64, 2.3), ("calls", "-O3 " + LOOP_PASSES, 64, 3.5),
         ("cases", "-O1", 1200, 2.4), ("exits", "-O1", 300, 2.2), ("quads", "-O3", 100, 2.8),
         ("constants", "-O1", 160, 2.4), ("shared_arrays", "-O3", 600, 2.4),
         ("surfaces", "-O3", 640, 2.6), ("small_blocks", "-O1", 400, 2.4))


def load_shapes(folder):
    spec = importlib.util.spec_from_file_location("shapes", os.path.join(folder, "shapes.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def count(compiler, options, text, work):
    path = os.path.join(work, "shape.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
         compiler, "--no-cache", "-w", *options.split(), path, "-o", os.path.join(work, "shape.o")],
        capture_output=True, text=True, check=False)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode or not found:
        sys.exit(done.stderr)
    return int(found.group(1).replace(",", ""))


def main():
    compiler, folder, work = sys.argv[1:]
    shapes = load_shapes(folder)
    empty = {level: count(compiler, level, shapes.sums(1), work) for level in ("-O1", "-O3")}
    bad = 0
    for name, options, size, limit in CASES:
        level = options.split()[0]
        once, twice = (count(compiler, options, getattr(shapes, name)(n), work) - empty[level]
                       for n in (size, 2 * size))
        bad += twice / once > limit
        print("%s: at %s %d take %.2f times the instructions of %d, at most %.1f may be"
              % (name, options, 2 * size, twice / once, size, limit))
    print("%d shapes, %d grew too much" % (len(CASES), bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
