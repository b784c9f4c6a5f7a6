#!/usr/bin/env python3
"""Compares the counters and the probes of a kernel.

usage: compare-producers.py MANIFEST FOLDER [option of ptx-run ...]

Runs the manifest with code of -fprofile-generate and of -fprofile-probes and
fails unless both profiles have the same counts of edges, turns of loops and
arguments, and the same threads at each branch. Which threads run together is
the compiler's choice, which counting has influence on.
"""
import os
import re
import subprocess
import sys

FIRST_ADDRESS = 1 << 32  # of global memory


def profile(manifest, folder, producer, options):
    path = os.path.join(folder, producer + ".prof")
    if os.path.exists(path):
        os.remove(path)
    subprocess.run(
        ["ptx-run", manifest, "-X", "-fprofile-" + producer, "--profile-out", path] + options,
        check=True, stdout=subprocess.DEVNULL)
    records = {}
    for side in ([], ["--showcs", "--memop-sizes"]):
        text = subprocess.run(
            ["llvm-profdata", "show", "--all-functions", "--counts"] + side + [path],
            check=True, capture_output=True, text=True).stdout
        name = None
        for line in text.splitlines():
            if match := re.match(r"  (\S.*):$", line):
                name = match.group(1)
            elif match := re.match(r"    (Hash|Block counts|Function count): (.*)", line):
                records.setdefault(name, []).append((match.group(1), match.group(2)))
            elif match := re.match(r"\s+\[\s*(\d+),\s*(\d+),\s*(\d+) \]", line):
                argument, value, count = map(int, match.groups())
                # Counters take memory, so that buffers are elsewhere.
                records.setdefault(name, []).append(
                    (argument, min(value, FIRST_ADDRESS), count))
    return {name: lanes_only(name, record) for name, record in records.items()}


def lanes_only(name, record):
    """Of a branch's counts, warps, divergent warps and threads, the last."""
    if not name.startswith("heddle.divergence;"):
        return record
    return [(key, re.findall(r"\d+", text)[2::3] if key == "Block counts" else text)
            for key, text in record]


def main():
    manifest, folder, *options = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    counters = profile(manifest, folder, "generate", options)
    probes = profile(manifest, folder, "probes", options)
    for name in sorted(counters.keys() | probes.keys()):
        if counters.get(name) != probes.get(name):
            print(name, "counters:", counters.get(name), "probes:", probes.get(name), sep="\n  ")
            sys.exit(1)
    print(len(counters), "records are the same")


main()
