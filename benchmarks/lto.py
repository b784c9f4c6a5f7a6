#!/usr/bin/env python3
"""What link-time optimisation gives, in cycles of the timing model.

usage: lto.py [--check] [BIN-FOLDER] [PROGRAM...]

Each program of benchmarks/inputs/lto is made in four ways: its files compiled apart
and linked, linked with -dlto, with -dlto --thin-lto, and compiled as one file
(by nvcc, too). Every result is compared with the interpreter's. --check: exit
with 1 unless for six programs LTO, full and thin, is at least 20 % better than
without and at most 3 % behind the whole program.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inputs", "lto")
LEAST_GAIN, MOST_LOSS, LEAST_PROGRAMS = 0.20, 0.03, 6


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def cycles(bin_folder, manifest, module):
    """Of all launches; ptx-run fails where a result is not what it should be."""
    report = json.loads(run(os.path.join(bin_folder, "ptx-run"), manifest,
                            "--module", module, "--timing", "--json"))
    return sum(launch["profile"]["cycles"] for launch in report["launches"])


def measure(bin_folder, program, folder):
    source = os.path.join(HERE, program, "ptx")
    parts = sorted(os.path.join(source, name) for name in os.listdir(source)
                   if name != "whole.ptx")
    manifest = os.path.join(HERE, program, "run.json")
    linker = os.path.join(bin_folder, "ptx-link")
    result = {}
    for way, command in (
            ("apart", [linker, *parts]),
            ("lto", [linker, "-dlto", *parts]),
            ("thin", [linker, "-dlto", "--thin-lto", *parts]),
            ("whole", [os.path.join(bin_folder, "ptx-compile"),
                       os.path.join(source, "whole.ptx")])):
        module = os.path.join(folder, program + "." + way + ".hdo")
        run(*command, "--no-cache", "-o", module)
        result[way] = cycles(bin_folder, manifest, module)
    return result


def figures(c, way):
    """The part of the cycles that a way of linking saves, and how far behind
    compilation as one file it is."""
    return 1 - c[way] / c["apart"], c[way] / c["whole"] - 1


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    bin_folder = arguments[0] if arguments else os.path.join(HERE, "../../build/bin")
    programs = arguments[1:] or sorted(
        name for name in os.listdir(HERE) if os.path.isdir(os.path.join(HERE, name)))
    good = {"lto": 0, "thin": 0}
    print("%-10s %9s %9s %9s %9s %8s %8s %10s %10s" %
          ("program", "apart", "LTO", "thin", "whole", "LTO", "thin",
           "LTO/whole", "thin/whole"))
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            c = measure(bin_folder, program, folder)
            gains, losses = zip(*(figures(c, way) for way in good))
            for way, gain, loss in zip(good, gains, losses):
                good[way] += gain >= LEAST_GAIN and loss <= MOST_LOSS
            print("%-10s %9d %9d %9d %9d %7.1f%% %7.1f%% %+9.1f%% %+9.1f%%" %
                  (program, c["apart"], c["lto"], c["thin"], c["whole"],
                   *(100 * x for x in gains + losses)))
    sys.exit("--check" in sys.argv and min(good.values()) < LEAST_PROGRAMS)


if __name__ == "__main__":
    main()
