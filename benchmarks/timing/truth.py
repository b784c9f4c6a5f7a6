#!/usr/bin/env python3
"""How far the timing model is from what others have measured on GPUs and published
(published/*.csv), for each class of programs, apart for the half that the model may be
calibrated by and for the unseen half.

    PATH=build/bin:$PATH benchmarks/timing/truth.py [--half calibration]
        [--every 4 [--skip 2]] [--only stream] [--json RESULTS]
        [--picture docs/pictures/timing-published.svg]

With --json, rows that the file has are taken from it, and others are added to it."""

import argparse
import csv
import hashlib
import json
import math
import os
import pathlib
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import curves
from compare import correlation
import kernels
import programs
import reductions

# The chip that stands for a device. Rows of a device without one are not run.
CHIPS = {"H200 SXM": "h200-like", "H100 SXM": "h100-sxm-like",
         "H100 PCIe": "h100-pcie-like", "A100 80GB SXM": "a100-like",
         "L40": "l40-like", "RTX 4090": "rtx4090-like"}

# Series whose values had been looked at before the halves were divided.
LOOKED_AT = {("H200 SXM", "stream"), ("H200 SXM", "strides"), ("H200 SXM", "roofline"),
             ("H100 PCIe", "stream"), ("H100 PCIe", "cache"), ("H100 PCIe", "latency")}

# Files whose values were seen while the model was changed.
SEEN_SINCE = {"kernels.csv"}


def class_of(program):
    if program == "l2-cache":
        return program
    return re.match("[a-z0-9]*?(?=32k|-|$)", program)[0]


def half_of(row):
    """A series, which is a program on a device, is in one half as a whole: rows that are
    neighbours in a series say nearly the same."""
    device, program = row["device"], row["program"]
    if row["file"] in SEEN_SINCE or (device, class_of(program)) in LOOKED_AT:
        return "calibration"
    first = hashlib.sha256(f"{device} {program}".encode()).digest()[0]
    return "calibration" if first < 32 else "unseen"


def key_of(row):
    return " ".join(row[name] for name in ("source", "device", "program", "size"))


def read_rows():
    """All measurements, each with its class and its half."""
    rows = []
    for path in sorted((HERE / "published").glob("*.csv")):
        with open(path, newline="") as file:
            rows += [{**row, "file": path.name} for row in csv.DictReader(file)]
    for row in rows:
        row["class"], row["half"] = class_of(row["program"]), half_of(row)
        row["value"], row["key"] = float(row["value"]), key_of(row)
    return rows


def run(row, figures):
    """The model's value for a row."""
    chip = CHIPS[row["device"]]
    with tempfile.TemporaryDirectory() as folder:
        for module in programs, kernels, reductions:
            value = module.measure(row["program"], int(row["size"]), chip, figures[chip], folder)
            if value is not None:
                return value
    return None


def is_possible(row, figures):
    """Whether a chip with the data sheet's figures could have the value at all: the rates
    of multiply-adds that some rows come to are above the peak, since the program's
    compiler left some out."""
    if row["class"] != "roofline":
        return True
    chip = figures[CHIPS[row["device"]]]
    operations = row["value"] * (2 + 2 * int(row["size"])) / 16
    peak = 2 * 128 / chip["f64_interval"] * chip["Cores"] * chip["ClockMHz"] / 1e3
    return operations <= peak


def chip_figures():
    """What isa-defs/ states, with the interval of double precision."""
    found = {}
    text = curves.CHIPS.read_text().splitlines()
    head = next(line for line in text if line.startswith("| class |"))
    f64 = next(line for line in text if line.startswith("| F64 |"))
    columns = [c.strip() for c in head.split("|")]
    for chip in CHIPS.values():
        found[chip] = curves.figures(chip)
        at = columns.index(f"{chip} latency") + 1
        found[chip]["f64_interval"] = int(f64.split("|")[at])
    return found


def errors_of(rows, results):
    return [results[row["key"]] / row["value"] - 1 for row in rows]


def summarise(title, rows, results):
    """A line for each class and one for all."""
    classes = sorted({row["class"] for row in rows})
    print(f"| {title} | rows | mean absolute error, % | bias, % | correlation of logarithms |")
    print("|---|---|---|---|---|")
    for name in classes + ["all"]:
        some = [row for row in rows if name in (row["class"], "all")]
        errors = errors_of(some, results)
        logs = ([math.log(row["value"]) for row in some],
                [math.log(results[row["key"]]) for row in some])
        varies = len({row["value"] for row in some}) > 2
        print(f"| {name} | {len(some)} | {100 * sum(map(abs, errors)) / len(errors):.1f}"
              f" | {100 * sum(errors) / len(errors):+.1f}"
              f" | {f'{correlation(*logs):.3f}' if varies else ''} |")
    print()


COLOURS = ["#c44", "#46c", "#2a2", "#a3a", "#c80", "#088", "#555", "#b55"]


def draw(path, rows, results):
    """Published against modelled, each as a part of the greatest of its unit: full dots
    are of the calibration half, rings of the unseen one."""
    width, height, margin = 640, 640, 60
    top = {unit: max(row["value"] for row in rows if row["unit"] == unit)
           for unit in {row["unit"] for row in rows}}
    low, high = 1e-3, 2.0
    place = lambda v: margin + math.log(min(max(v, low), high) / low) / math.log(high / low) * (
        width - 2 * margin)
    classes = sorted({row["class"] for row in rows})
    parts = []
    for row in rows:
        x = place(row["value"] / top[row["unit"]])
        y = height - place(results[row["key"]] / top[row["unit"]])
        colour = COLOURS[classes.index(row["class"]) % len(COLOURS)]
        fill = colour if row["half"] == "calibration" else "none"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{fill}" '
                     f'stroke="{colour}"/>')
    for number, name in enumerate(classes):
        parts.append(f'<text x="{margin + 10}" y="{margin + 18 * (number + 1)}" '
                     f'fill="{COLOURS[number % len(COLOURS)]}">{name}</text>')
    corner, end = place(low), place(high)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'style="background:#fff" font-family="sans-serif" font-size="12">'
        f'<rect x="{margin}" y="{margin}" width="{width - 2 * margin}" '
        f'height="{height - 2 * margin}" fill="none" stroke="#aaa"/>'
        f'<line x1="{corner}" y1="{height - corner}" x2="{end}" y2="{height - end}" '
        'stroke="#aaa"/>'
        f'<text x="{margin}" y="30" font-size="14">Published and modelled, as parts of the '
        'greatest published value of the unit</text>'
        f'<text x="{width / 2}" y="{height - 20}" text-anchor="middle">published</text>'
        f'<text x="{margin}" y="{margin - 8}">modelled</text>' + "".join(parts) + "</svg>\n")


def measure_all(rows, results, options):
    """Runs the model for the rows that have no result; keeps results as they come."""
    figures = chip_figures()

    def one(row):
        value = run(row, figures)
        return row, value

    todo = [row for row in rows if row["device"] in CHIPS and row["key"] not in results
            and is_possible(row, figures)]
    with ThreadPoolExecutor(options.jobs) as pool:
        for row, value in pool.map(one, todo):
            if value is None:
                continue
            results[row["key"]] = value
            print(f"{row['key']}: {value:.4g} for {row['value']:.4g} {row['unit']} "
                  f"({100 * (value / row['value'] - 1):+.1f} %)", file=sys.stderr, flush=True)
            if options.json:
                with open(options.json, "w") as file:
                    json.dump(results, file, indent=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=["calibration", "unseen"])
    parser.add_argument("--only", help="rows in whose key this stands")
    parser.add_argument("--every", type=int, default=1, help="one of so many rows")
    parser.add_argument("--skip", type=int, default=0, help="so many rows before the first")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", help="a file of results")
    parser.add_argument("--picture", type=pathlib.Path)
    parser.add_argument("--no-run", action="store_true", help="only what --json has")
    options = parser.parse_args()
    rows = [row for row in read_rows() if options.half in (None, row["half"])
            and (options.only or "") in row["key"]][options.skip::options.every]
    results = {}
    if options.json and os.path.exists(options.json):
        with open(options.json) as file:
            results = json.load(file)
    if not options.no_run:
        measure_all(rows, results, options)
    have = [row for row in rows if row["key"] in results]
    print(f"{len(rows)} rows, the model runs {len(have)} of them\n")
    for half in ("calibration", "unseen"):
        some = [row for row in have if row["half"] == half]
        if some:
            summarise(half, some, results)
    if options.picture and have:
        draw(options.picture, have, results)


if __name__ == "__main__":
    main()
