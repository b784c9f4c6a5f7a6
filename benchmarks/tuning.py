#!/usr/bin/env python3
"""How many cycles ptx-tune saves on the kernels of the tree.

usage: tuning.py [--evaluations N] [--chip NAME] [--json] [MANIFEST ...]

Tunes each kernel that the manifests launch (all of test/kernels without any) and
prints its cycles untuned and tuned, and the geometric mean of the ratios. ptx-tune
must be on the PATH.
"""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "test" / "kernels"


def tune(manifest, arguments, folder):
    command = ["ptx-tune", str(manifest), "--json", "--evaluations", str(arguments.evaluations),
               "--chip", arguments.chip, "--output", folder + "/tuning.json"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return [], run.stderr.strip().splitlines()[-1]
    return json.loads(run.stdout)["kernels"], run.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("manifests", nargs="*", type=pathlib.Path)
    parser.add_argument("--evaluations", type=int, default=100)
    parser.add_argument("--chip", default="hd100")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = []
    for manifest in arguments.manifests or sorted(KERNELS.glob("*/*.json")):
        with tempfile.TemporaryDirectory() as folder:
            kernels, message = tune(manifest, arguments, folder)
        if message and not arguments.json:
            print(f"{manifest.name}: {message}")
        for kernel in kernels:
            rows.append(kernel)
            if not arguments.json:
                decisions = " ".join(f"{k}={v}" for k, v in kernel["decisions"].items())
                print(f"{kernel['kernel']:24} {kernel['untuned_cycles']:9} "
                      f"{kernel['tuned_cycles']:9} {kernel['cost']:7.3f} "
                      f"{kernel['seconds']:6.1f} s  {decisions}", flush=True)
    mean = math.exp(sum(math.log(row["cost"]) for row in rows) / len(rows))
    if arguments.json:
        print(json.dumps({"geometric_mean": mean, "kernels": rows}, indent=2))
    else:
        print(f"geometric mean of {len(rows)} kernels: {mean:.3f}")


if __name__ == "__main__":
    main()
