#!/usr/bin/env python3
"""Compiles kernels with each decision on loops and loads, and runs them, with
hazards checked.

usage: loads.py KERNELS PREFIX NAME ...
"""
import json
import pathlib
import subprocess
import sys

KERNELS, PREFIX, *NAMES = sys.argv[1:]
OUTPUT = PREFIX + ".hdo"


def compile(manifest, values):
    """The bytes of the object."""
    description = json.loads(manifest.read_text())
    launches = description.get("launches", [description])
    document = {"heddle_tuning": 1, "kernels": {launch["entry"]: values for launch in launches}}
    subprocess.run(["ptx-compile", "--no-cache", "-w", manifest.parent / description["module"],
                    "--tuning=" + json.dumps(document), "-o", OUTPUT], check=True)
    return pathlib.Path(OUTPUT).read_bytes()


def main():
    # Not what the compiler sees fit, which is some of it.
    without = {"loop-passes": 1, "hoist-loads": 1, "pipeline-loads": 1, "early-loads": 1}
    for name, value in (("loop-passes", 2), ("hoist-loads", 24), ("pipeline-loads", 16),
                        ("early-loads", 2)):
        values = {**without, name: value}
        changed = 0
        for kernel in NAMES:
            manifest = pathlib.Path(KERNELS) / kernel / (kernel + ".json")
            changed += compile(manifest, without) != compile(manifest, values)
            run = subprocess.run(["ptx-run", "--module", OUTPUT, manifest], capture_output=True,
                                 text=True)
            if run.returncode:
                print("failed:", kernel, name, run.stdout, run.stderr)
        print(name, "changes", changed, "of", len(NAMES))


main()
