#!/usr/bin/env python3
"""What code of -O0 costs beside code of -O1, kernel by kernel.

Usage: benchmarks/levels.py [--chip hd100] [--json FILE] [FILE.ptx...]

Three columns: -O1, -O0, which generates functions in one pass (docs/compile-time.md),
and -O0 by LLVM's code generator. Of each kernel the cycles that the timing model
counts over all launches, the registers and the bytes of spills. Without files: the
kernels of test/kernels and benchmarks/inputs/kernels for sm_90 that have a manifest
or a launch in benchmarks/timing/launches.py. The last lines are geometric means of
ratios to -O1, and sums.

ptx-compile, ptx-objdump and ptx-run are looked for in PATH.
"""
import argparse
import glob
import importlib
import json
import os
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(SOURCE, "benchmarks"))
quality = importlib.import_module("code-quality")

LEVELS = {
    "-O1": ["-O1"],
    "-O0": ["-O0"],
    "LLVM -O0": ["-O0", "--single-pass=false"],
}


def measure(path, options, work, arguments):
    """Figures by kernel of the code that options make."""
    built = os.path.join(work, "x.hdo")
    done = quality.run("ptx-compile", "-w", *options, "--chip=" + arguments.chip, path,
                       "-o", built)
    if done.returncode:
        sys.exit(f"{path}: {done.stderr.strip()}")
    report = json.loads(quality.run("ptx-objdump", "--json", built).stdout)
    rows = {kernel["name"]: {
        "registers": kernel["registers"],
        "spill_bytes": kernel["spill_store_bytes"] + kernel["spill_load_bytes"],
    } for kernel in report["kernels"]}
    for name, cycles in quality.cycles_of(path, built, work, arguments).items():
        rows[name]["cycles"] = cycles
    return rows


def files():
    found = []
    for folder in ("test/kernels", "benchmarks/inputs/kernels"):
        found += glob.glob(os.path.join(SOURCE, folder, "*", "*.nvcc.sm_90*.ptx"))
    return sorted(found)


def show(rows):
    print(f"{'kernel':40}", *(f"{level + ': cycles':>20} regs spills" for level in LEVELS))
    for row in rows:
        print(f"{row['kernel'][:40]:40}",
              *(f"{row[level].get('cycles', '-'):>20} {row[level]['registers']:4}"
                f" {row[level]['spill_bytes']:6}" for level in LEVELS))
    for level in LEVELS:
        timed = [row for row in rows if "cycles" in row[level] and "cycles" in row["-O1"]]
        ratio = {key: quality.geometric_mean(row[level][key] / row["-O1"][key]
                                             for row in rows_of if row["-O1"].get(key))
                 for key, rows_of in (("cycles", timed), ("registers", rows))}
        print(f"{level}: {len(timed)} kernels, cycles {ratio['cycles'] or 0:.2f} of -O1,"
              f" registers {ratio['registers']:.2f} of -O1, at most"
              f" {max(row[level]['registers'] for row in rows)},"
              f" spills {sum(row[level]['spill_bytes'] for row in rows)} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chip", default="hd100")
    parser.add_argument("--json")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for path in arguments.files or files():
            by_level = {level: measure(path, options, work, arguments)
                        for level, options in LEVELS.items()}
            rows += [{"file": path, "kernel": kernel,
                      **{level: by_level[level][kernel] for level in LEVELS}}
                     for kernel in by_level["-O1"]]
    show(rows)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
