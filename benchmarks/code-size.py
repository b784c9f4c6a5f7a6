#!/usr/bin/env python3
"""Instructions of our code, and of ptxas's for the same PTX where it is installed.

Usage: benchmarks/code-size.py [--chip hd100] [-O 3] [--json] FILE.ptx...
       benchmarks/code-size.py test/kernels/*/*.nvcc.sm_90.ptx

Counts everything in the text sections: kernels, functions and what was linked
in from the device library. Of SASS the padding behind the last branch to itself
is left out. The ratio is ours over SASS; the last line is the geometric mean.
"""
import argparse
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SASS_OPCODE = 0xFFF
SASS_NOP = 0x918
SASS_BRA = 0x947


def text_sections(path):
    """The contents of the sections of an ELF64 file whose names start with .text."""
    with open(path, "rb") as file:
        data = file.read()
    table, = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
    strings = sections[names][4]
    for section in sections:
        start = strings + section[0]
        if data[start:].startswith(b".text."):
            yield data[section[4]:section[4] + section[5]]


def sass_instructions(ptx, work):
    target = re.search(r"^\.target\s+(\w+)", open(ptx).read(), re.MULTILINE).group(1)
    cubin = os.path.join(work, "x.cubin")
    subprocess.run(["ptxas", "-arch=" + target, ptx, "-o", cubin], check=True)
    total = 0
    for text in text_sections(cubin):
        opcodes = [word & SASS_OPCODE for word, in struct.iter_unpack("<H14x", text)]
        while opcodes and opcodes[-1] == SASS_NOP:
            opcodes.pop()
        if opcodes and opcodes[-1] == SASS_BRA:
            opcodes.pop()
        total += len(opcodes)
    return total


def our_instructions(ptx, work, arguments):
    built = os.path.join(work, "x.hdo")
    subprocess.run(["ptx-compile", "-w", "-O" + arguments.level, "--chip=" + arguments.chip,
                    ptx, "-o", built], check=True)
    return sum(len(text) // 16 for text in text_sections(built))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--chip", default="hd100")
    parser.add_argument("-O", dest="level", default="3")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    has_ptxas = shutil.which("ptxas") is not None
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for path in arguments.files:
            row = {"file": path, "instructions": our_instructions(path, work, arguments)}
            if has_ptxas:
                row["sass"] = sass_instructions(path, work)
                row["ratio"] = row["instructions"] / row["sass"]
            rows.append(row)
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None
    if arguments.json:
        json.dump({"files": rows, "geometric_mean": mean}, sys.stdout, indent=1)
        print()
        return
    for row in rows:
        print(f"{row['instructions']:8}", end="")
        if "ratio" in row:
            print(f" {row['sass']:8} {row['ratio']:6.2f}", end="")
        print(" ", row["file"])
    if mean:
        print(f"geometric mean of the ratios: {mean:.3f}")


if __name__ == "__main__":
    main()
