#!/usr/bin/env python3
"""How far the predicted times of collectives (ptx-time --collectives) are from what others
have measured and published (published.csv), row by row and for each class.

    PATH=build/bin:$PATH benchmarks/collectives/compare.py [--half calibration|unseen]
        [--table] [--check PERCENT]

The model may be changed by what the calibration half says, and never by what the unseen
half says. A series, which is a collective of one source on one group of devices, is in one
half as a whole, by the SHA-256 of its name."""

import argparse
import csv
import hashlib
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SMALL, LARGE = 64 << 10, 256 << 20


def series_of(row):
    return " ".join(row[name] for name in ("source", "device", "ranks", "collective"))


def half_of(row):
    """Of 123 rows that were there when the bound was chosen 63 are for calibration."""
    first = hashlib.sha256(series_of(row).encode()).digest()[0]
    return "calibration" if first < 92 else "unseen"


def size_class(size):
    return "up to 64 KiB" if size <= SMALL else "between" if size < LARGE else "from 256 MiB"


def host_class(row):
    return "one host" if row["hosts"] == "1" else "several hosts"


def predict(rows):
    """Sets what the model says of the rows of a series."""
    first = rows[0]
    hosts = int(first["hosts"])
    result = subprocess.run(
        ["ptx-time", "--collectives", str(HERE / "machines" / (first["machine"] + ".json")),
         "--ranks", "%dx%d" % (hosts, int(first["ranks"]) // hosts),
         "--devices-per-thread", first["devices_per_thread"],
         "--collective", first["collective"],
         "--size", ",".join(row["bytes"] for row in rows), "--json"],
        capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit("%s: %s" % (series_of(first), result.stderr.strip()))
    for row, item in zip(rows, json.loads(result.stdout)["collectives"], strict=True):
        row["predicted"] = item["time_us"]
        row["way"] = "%s %s" % (item["algorithm"], item["protocol"])
        row["error"] = 100 * (item["time_us"] / float(row["time_us"]) - 1)


def mean(errors):
    return sum(map(abs, errors)) / len(errors)


def print_rows(rows):
    for row in rows:
        print("%-11s %-16s %4s x%-3s %-10s %12s %11.2f %11.2f %+7.1f %%  %s" % (
            row["half"], row["machine"], row["ranks"], row["hosts"], row["collective"],
            row["bytes"], float(row["time_us"]), row["predicted"], row["error"], row["way"]))


def size_text(size):
    for unit, name in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if size % unit == 0:
            return "%d%s" % (size // unit, name)
    return str(size)


def print_table(rows):
    """The table of docs/collective-times.md."""
    print("| machine | ranks | collective | half | size: published, predicted in us (error) |")
    print("|---|---|---|---|---|")
    series = {}
    for row in rows:
        series.setdefault(series_of(row), []).append(row)
    for group in series.values():
        first = group[0]
        points = ("%s: %.4g, %.4g (%+.0f %%)" % (
            size_text(int(row["bytes"])), float(row["time_us"]), row["predicted"], row["error"])
            for row in group)
        print("| %s | %s of %s | %s | %s | %s |" % (
            first["machine"], first["ranks"], first["hosts"], first["collective"], first["half"],
            "; ".join(points)))


def print_classes(rows):
    """The mean absolute error of each class, and its bias; returns that of all."""
    print("%-32s %5s %8s %8s" % ("class", "rows", "error", "bias"))
    classes = {}
    for row in rows:
        for name in ("all", "half: " + row["half"], "size: " + size_class(int(row["bytes"])),
                     "hosts: " + host_class(row), "collective: " + row["collective"],
                     "machine: " + row["machine"]):
            classes.setdefault(name, []).append(row["error"])
    for name, errors in sorted(classes.items()):
        print("%-32s %5d %6.1f %% %+6.1f %%" % (
            name, len(errors), mean(errors), sum(errors) / len(errors)))
    return mean(classes["all"])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("calibration", "unseen"))
    parser.add_argument("--table", action="store_true", help="print the table of the page")
    parser.add_argument("--check", type=float, metavar="PERCENT",
                        help="exit with 1 if the mean error is above that")
    options = parser.parse_args()
    with open(HERE / "published.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    series = {}
    for row in rows:
        row["half"] = half_of(row)
        if options.half in (None, row["half"]):
            series.setdefault(series_of(row), []).append(row)
    for group in series.values():
        predict(group)
    rows = [row for group in series.values() for row in group]
    if options.table:
        print_table(rows)
    else:
        print_rows(rows)
    error = print_classes(rows)
    if options.check is not None and error > options.check:
        sys.exit("compare: a mean error of %.1f %% is above %g %%" % (error, options.check))


if __name__ == "__main__":
    main()
