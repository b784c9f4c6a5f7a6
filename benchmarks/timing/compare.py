#!/usr/bin/env python3
"""Times of the model for the launches of launches.py, and how far they are from
times that were recorded on a real GPU.

    ptx-time --json $(benchmarks/timing/launches.py FOLDER) > GPU.json     # where the GPU is
    PATH=build/bin:$PATH benchmarks/timing/compare.py [--recorded GPU.json] [--chip h200-like]

Without recorded times it says so and compares nothing."""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import launches


def model(path, chip, waves):
    """Nanoseconds of a launch, their error, and what limits it."""
    command = ["ptx-prof", "run", str(path), "--chip", chip, "--json", "--no-advice",
               "--timing-sample", str(waves)]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    (launch,) = report["launches"]
    metric = lambda name: launch["metrics"][name]["value"]
    time = metric("gpu__time_duration.sum") * 1e3
    sample = launch["profile"].get("sample")
    error = time * sample["error"] / sample["cycles"] if sample else 0
    return {"ns": time, "error_ns": error,
            "compute": metric("sm__throughput.avg.pct_of_peak_sustained_elapsed"),
            "memory": metric("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed")}


def correlation(xs, ys):
    """Pearson's coefficient."""
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    covariance = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))
    return covariance / math.sqrt(sum((x - mean_x) ** 2 for x in xs)
                                  * sum((y - mean_y) ** 2 for y in ys))


def report(modelled, recorded):
    """The error and the correlation over the launches that both have."""
    names = [n for n in modelled if n in recorded]
    errors = [abs(modelled[n]["ns"] / recorded[n] - 1) for n in names]
    logs = lambda times: [math.log(t) for t in times]
    model_times, real_times = [modelled[n]["ns"] for n in names], [recorded[n] for n in names]
    return {"launches": len(names),
            "mean_absolute_percentage_error": 100 * sum(errors) / len(errors),
            "correlation": correlation(model_times, real_times),
            "correlation_of_logarithms": correlation(logs(model_times), logs(real_times))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recorded", help="what ptx-time --json printed")
    parser.add_argument("--chip", default="h200-like")
    parser.add_argument("--waves", type=int, default=16, help="for --timing-sample")
    parser.add_argument("--json", help="a file for the figures")
    parser.add_argument("names", nargs="*", help="of launches; all if none")
    options = parser.parse_args()
    recorded = {}
    if options.recorded:
        with open(options.recorded) as file:
            recorded = {l["manifest"]: l["median_ns"] for l in json.load(file)["launches"]}
    modelled = {}
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'launch':16} {'model us':>10} {'+-':>8} {'compute %':>9} {'memory %':>8}"
              f" {'real us':>9} {'error %':>8}")
        for path in launches.write(folder):
            if options.names and path.stem not in options.names:
                continue
            m = modelled[path.stem] = model(path, options.chip, options.waves)
            real = recorded.get(path.stem)
            print(f"{path.stem:16} {m['ns'] / 1e3:10.2f} {m['error_ns'] / 1e3:8.2f}"
                  f" {m['compute']:9.1f} {m['memory']:8.1f}"
                  + (f" {real / 1e3:9.2f} {100 * (m['ns'] / real - 1):8.1f}" if real else ""),
                  flush=True)
    result = {"chip": options.chip, "launches": modelled}
    if len(set(recorded) & set(modelled)) > 1:
        result["comparison"] = report(modelled, recorded)
        for name, value in result["comparison"].items():
            print(f"{name}: {value:.4g}")
    else:
        print("no recorded times of a real GPU: nothing is compared")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
