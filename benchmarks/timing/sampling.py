#!/usr/bin/env python3
"""How well --timing-sample estimates: launches of launches.py timed as a whole and
by samples, and whether the difference is in the error that the estimate states.

    PATH=build/bin:$PATH benchmarks/timing/sampling.py [--chip hd10] [--waves 16] [NAMES]

Launches that the chip holds in less waves than the sample asks for are left out."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import launches


def profile(path, chip, *options):
    """The profile of a launch, and the processor time that it took."""
    start = os.times()
    report = json.loads(subprocess.run(
        ["ptx-prof", "run", str(path), "--chip", chip, "--json", "--no-advice", *options],
        check=True, capture_output=True, text=True).stdout)
    end = os.times()
    return (report["launches"][0]["profile"],
            end.children_user - start.children_user)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chip", default="hd10")
    parser.add_argument("--waves", type=int, default=16)
    parser.add_argument("--limit", type=float, default=0,
                        help="seconds after which no further launch is begun")
    parser.add_argument("names", nargs="*", help="of launches; all if none")
    options = parser.parse_args()
    began, inside, trials, differences, errors = time.time(), 0, 0, [], []
    print(f"{'launch':16} {'CTAs':>6} {'timed %':>8} {'cycles':>10} {'estimate':>10}"
          f" {'off %':>7} {'error %':>8} {'faster':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for path in launches.write(folder):
            if options.names and path.stem not in options.names:
                continue
            if options.limit and time.time() - began > options.limit:
                break
            sampled, short = profile(path, options.chip, "--timing-sample", str(options.waves))
            sample = sampled.get("sample")
            if not sample:
                continue
            whole, long = profile(path, options.chip)
            off = sample["cycles"] / whole["cycles"] - 1
            error = sample["error"] / sample["cycles"]
            trials += 1
            inside += abs(sample["cycles"] - whole["cycles"]) <= sample["error"]
            differences.append(abs(off))
            errors.append(error)
            print(f"{path.stem:16} {sample['ctas']:6} {100 * sample['timed_ctas'] / sample['ctas']:8.1f}"
                  f" {whole['cycles']:10} {sample['cycles']:10} {100 * off:+7.1f}"
                  f" {100 * error:8.1f} {long / short:7.1f}", flush=True)
    if trials:
        print(f"{inside} of {trials} in their error; off by {100 * sum(differences) / trials:.1f} %"
              f" on average, stated {100 * sum(errors) / trials:.1f} %")


if __name__ == "__main__":
    main()
