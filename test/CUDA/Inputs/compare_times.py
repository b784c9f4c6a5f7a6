#!/usr/bin/env python3
"""Whether times of collectives are the model's.

usage: compare_times.py OUTPUT MODEL

OUTPUT is collective_ways.py's in virtual time, MODEL what `ptx-time --collectives --json`
says of the same sizes. What one thread takes to launch all ranks comes on top, the same
for each size.
"""
import json
import re
import sys

MOST_LAUNCHES, SPREAD = 40, 1.5  # microseconds


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        measured = [float(time) for time in re.findall(r": ([\d.]+) us, right", file.read())]
    with open(sys.argv[2], encoding="utf-8") as file:
        rows = json.load(file)
    modelled = [row["time_us"] for row in (rows["collectives"])]
    launches = [time - model for time, model in zip(measured, modelled, strict=True)]
    print("behind the model:", *[f"{time:.1f}" for time in launches])
    if min(launches) < 0 or max(launches) > MOST_LAUNCHES or max(launches) - min(launches) > SPREAD:
        sys.exit("these are no times of the model")


if __name__ == "__main__":
    main()
