#!/usr/bin/env python3
"""How long compiling takes, beside ptxas where it is installed.

Usage: benchmarks/compile-time.py [--runs 3] [--json FILE] [--no-growth] [--unoptimized]
                                  [--ptxas PATH] [FILE.ptx...]

Without files: all PTX of test/kernels and benchmarks/inputs/kernels for sm_90. For each
file the processor time (user and system) and the peak memory of a process of
ptx-compile at -O3 and at -O1 and of ptxas at -O3, the least of some runs that
take turns, without the cache; then the geometric means of the ratios to ptxas.
Growth: the same for the inputs of shapes.py that double in size, such as a kernel
of up to 100,000 instructions and a file of up to 2,000 kernels; the last column is
the growth of -O3 for twice the input. With --unoptimized, -O0 of both in place of
these levels.

ptx-compile is looked for in PATH, and ptxas where --ptxas does not name one.
"""
import argparse
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading

import oracle
import shapes

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT_SECONDS = 300
OPTIMIZED = (("O3", "O1"), "O3")  # our levels, and that of ptxas
UNOPTIMIZED = (("O0",), "O0")

GROWTH = ((shapes.straight_line, "instructions", (25000, 50000, 100000)),
          (shapes.many_kernels, "kernels", (500, 1000, 2000)),
          (shapes.branches, "branches", (5000, 10000, 20000)),
          (shapes.one_register, "branches on one register", (1000, 2000, 4000)),
          (shapes.sums, "loads into one sum", (2500, 5000, 10000)),
          (shapes.live_values, "live values", (250, 500, 1000)),
          (shapes.nested, "nested conditions", (500, 1000, 2000)),
          (shapes.cases, "labels of a jump", (2500, 5000, 10000)))


# --- Measuring --------------------------------------------------------------


def cost(command):
    """(seconds of processor time, MiB at most) of a process, or None if it failed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # No program in between: what it costs would count.
    limit = threading.Timer(LIMIT_SECONDS, process.kill)
    limit.start()
    _, status, usage = os.wait4(process.pid, 0)
    limit.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        return None
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def commands(path, work, ptxas, levels):
    with open(path) as file:
        target = re.search(r"^\.target\s+(\w+)", file.read(), re.MULTILINE).group(1)
    out = os.path.join(work, "out")
    ours = ["ptx-compile", "-w", "--no-cache", path, "-o", out]
    found = {level: ours + ["-" + level] for level in levels[0]}
    if ptxas:
        found["ptxas"] = [ptxas, "-" + levels[1], "-arch=" + target, path, "-o", out]
    return found


def measure(path, work, runs, ptxas, levels):
    row = {}
    for _ in range(runs):
        for name, command in commands(path, work, ptxas, levels).items():
            now = cost(command)
            if now:
                best = row.get(name, now)
                row[name] = [min(a, b) for a, b in zip(best, now)]
    return row


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def show(name, row, levels, growth=None):
    cells = []
    for which in (*levels[0], "ptxas"):
        seconds, mebibytes = row.get(which, (None, None))
        cells.append("    not done" if seconds is None
                     else f"{seconds:7.3f} s {mebibytes:5.0f} MiB")
    print("  ".join(cells), f"{growth:5.2f}" if growth else " " * 5, name, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-growth", action="store_true")
    parser.add_argument("--unoptimized", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    oracle.add_option(parser)
    arguments = parser.parse_args()
    ptxas, version = oracle.find(arguments.ptxas)
    files = arguments.files or sorted(
        glob.glob(os.path.join(SOURCE, "test", "kernels", "*", "*.sm_90.ptx"))
        + glob.glob(os.path.join(SOURCE, "benchmarks", "inputs", "kernels", "*", "*.sm_90.ptx")))
    levels = UNOPTIMIZED if arguments.unoptimized else OPTIMIZED
    result = {"files": {}, "growth": {}, "ratios": {}, "ptxas": version}
    if version:
        print(f"ptxas {version}")
    print("  ".join(f"{title:>19}" for title in
                    [*("-" + level for level in levels[0]), "ptxas -" + levels[1]]))
    with tempfile.TemporaryDirectory() as work:
        for path in files:
            row = result["files"][path] = measure(path, work, arguments.runs, ptxas, levels)
            show(os.path.relpath(path), row, levels)
        for make, unit, sizes in () if arguments.no_growth else GROWTH:
            before = None
            for size in sizes:
                path = os.path.join(work, "input.ptx")
                with open(path, "w") as file:
                    file.write(make(size))
                row = result["growth"][f"{size} {unit}"] = measure(path, work, 1, ptxas, levels)
                now = row.get(levels[0][0])
                show(f"{size} {unit}", row, levels, now[0] / before[0] if now and before else None)
                before = now
    rows = result["files"].values()
    for which in levels[0]:
        for index, what in enumerate(("time", "memory")):
            mean = geometric_mean(row[which][index] / row["ptxas"][index] for row in rows
                                  if which in row and "ptxas" in row)
            if mean:
                result["ratios"][f"{which} {what}"] = mean
                print(f"geometric mean of the {what} of -{which} over ptxas"
                      f" -{levels[1]}: {mean:.3f}")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
