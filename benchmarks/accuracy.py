#!/usr/bin/env python3
"""Measures the errors of approximating instructions and of CUDA's functions.

usage: accuracy.py [--bin DIR] [--libdevice NAME=FILE]... [--nvcc NAME=PROGRAM]...
                   [--count N] --results DIR [--write PAGE]

Runs heddle-accuracy over the approximating instructions of PTX, over the
functions of each libdevice, and over those that each nvcc compiles, without and
with --use_fast_math. What it prints stays in DIR, and is not measured again.
--write puts the tables of all that DIR has between the marks of PAGE
(docs/accuracy.md).
"""
import argparse
import collections
import os
import re
import subprocess
import sys

FIELDS = "name promise error most arguments result samples specials verdict"
Row = collections.namedtuple("Row", FIELDS)


def run(program, arguments, out):
    """Runs heddle-accuracy unless its results are there."""
    if os.path.exists(out):
        return
    command = [program, "--out=" + out + ".part"] + arguments
    print(" ".join(command), flush=True)
    code = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    if not os.path.exists(out + ".part"):
        sys.exit("accuracy.py: heddle-accuracy failed with %d" % code)
    os.rename(out + ".part", out)


def measure(args):
    program = os.path.join(args.bin, "heddle-accuracy")
    count = ["--count=%d" % args.count]
    place = lambda name: os.path.join(args.results, name + ".tsv")
    run(program, count, place("instructions"))
    for item in args.libdevice:
        name, file = item.split("=", 1)
        run(program, count + ["--libdevice=" + file], place("libdevice-" + name))
    source = os.path.join(args.results, "functions.cu")
    for item in args.nvcc:
        name, nvcc = item.split("=", 1)
        with open(source, "w") as file:
            subprocess.run([program, "--print-cuda"], stdout=file, check=True)
        for kind, options in ("nvcc-", []), ("fast-", ["--use_fast_math"]):
            ptx = os.path.join(args.results, kind + name + ".ptx")
            subprocess.run([nvcc, "-ptx", "-arch=sm_90", *options, source, "-o", ptx], check=True)
            fast = ["--fast-math"] if options else []
            run(program, count + fast + ["--module=" + ptx], place(kind + name))


def read(path):
    """The rows of a file by name and promise, in their order."""
    with open(path, encoding="utf-8") as file:
        rows = (Row(*line.rstrip("\n").split("\t")) for line in file)
        return {(row.name, row.promise): row for row in rows}


def size(row):
    """What the errors of a function are compared by."""
    power = re.match(r"2\^(.*)", row.error)
    if power:
        return 2.0 ** float(power.group(1))
    inside = re.search(r"\((.*)\)", row.error)
    return float(inside.group(1) if inside else row.error)


def table(columns, keep):
    """Markdown of what columns, name to rows, found for the functions to keep."""
    lines = ["| | promised | " + " | ".join(columns) + " | at | arguments |",
             "|---" * (len(columns) + 4) + "|"]
    keys = dict.fromkeys(key for rows in columns.values() for key in rows)
    last = None
    for key in keys:
        found = [rows[key] for rows in columns.values() if key in rows]
        if not keep(found[0]):
            continue
        worst = max(found, key=size)
        name = "" if key[0] == last else "`%s`" % key[0]
        last = key[0]
        # The bound there, where it grows with the argument.
        promise = key[1]
        if "floor" in promise or " n ulp" in promise:
            promise += " (%s there)" % worst.most
        cells = [rows[key].error if key in rows else "" for rows in columns.values()]
        samples = max(int(row.samples) for row in found)
        lines.append("| %s | %s | %s | %s | %s |" % (
            name, promise, " | ".join(cells), worst.arguments, format(samples, ",")))
    return "\n".join(lines)


def is_half(name):
    return name.endswith((", half", ", bfloat16"))


def is_double(name):
    base = name.split(",")[0]
    return ("double" in name or base.startswith(("__d", "__fma_"))
            or not (base.endswith("f") or base.startswith("__f") or "x" in base.split()))


def tables(results):
    """The tables by the names of their marks, and whether a promise is broken."""
    files = sorted(name[:-4] for name in os.listdir(results) if name.endswith(".tsv"))
    columns = {name: read(os.path.join(results, name + ".tsv")) for name in files}
    broken = [(name, row) for name, rows in columns.items()
              for row in rows.values() if row.verdict != "kept"]
    for name, row in broken:
        print("broken:", name, *row, sep="\t")
    standard = {name.replace("-", " "): rows for name, rows in columns.items()
                if name.startswith(("libdevice-", "nvcc-"))}
    fast = {name.replace("fast-", "nvcc "): rows for name, rows in columns.items()
            if name.startswith("fast-")}
    instructions = {"measured": columns.get("instructions", {})}
    compiled = {name: rows for name, rows in standard.items() if name.startswith("nvcc")}
    is_single = lambda row: not is_double(row.name) and not is_half(row.name)
    changed = lambda row: is_single(row) and not row.name.startswith("__")
    return {
        "instructions": table(instructions, lambda row: True),
        "half": table(compiled, lambda row: is_half(row.name)),
        "single": table(standard, is_single),
        "double": table(standard, lambda row: is_double(row.name) and not is_half(row.name)),
        "fast": table(fast, changed),
    }, not broken


def write(page, parts):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for name, part in parts.items():
        begin, end = "<!-- begin: %s -->\n" % name, "<!-- end: %s -->" % name
        before, rest = text.split(begin)
        text = before + begin + part + "\n" + end + rest.split(end)[1]
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--libdevice", action="append", default=[])
    parser.add_argument("--nvcc", action="append", default=[])
    parser.add_argument("--count", type=int, default=1 << 20)
    parser.add_argument("--results", required=True)
    parser.add_argument("--write")
    args = parser.parse_args()
    os.makedirs(args.results, exist_ok=True)
    measure(args)
    parts, good = tables(args.results)
    if args.write:
        write(args.write, parts)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
