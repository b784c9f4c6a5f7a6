#!/usr/bin/env python3
"""What making a profile costs, in cycles of the timing model.

usage: pgo-cost.py [BIN-FOLDER] [MANIFEST...]

Each kernel is run as it is, with counters in device memory (all CTAs, one of
16), and with probes. The figures are times the cycles without.
"""
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = ["bitonic", "blackscholes", "histogram", "jacobi", "mandelbrot", "nbody", "reduce", "saxpy",
           "scan", "sgemm", "softmax", "spmv", "stencil"]
WAYS = {"counters": ["-fprofile-generate"],
        "of 1 in 16": ["-fprofile-generate", "-fprofile-sample-ctas=16"],
        "probes": ["-fprofile-probes"]}


def cycles(bin_folder, manifest, options):
    command = [os.path.join(bin_folder, "ptx-run"), manifest, "--timing", "--json"]
    for option in options:
        command += ["-X", option]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return sum(launch["profile"]["cycles"] for launch in report["launches"])


def main():
    arguments = sys.argv[1:]
    bin_folder = arguments[0] if arguments else os.path.join(HERE, "../build/bin")
    manifests = arguments[1:] or [
        os.path.join(HERE, "../test/kernels", name, name + ".json") for name in KERNELS]
    print("%-14s %10s" % ("kernel", "cycles") + "".join("%12s" % way for way in WAYS))
    logs = {way: 0.0 for way in WAYS}
    for manifest in manifests:
        plain = cycles(bin_folder, manifest, [])
        line = "%-14s %10d" % (os.path.basename(manifest).split(".")[0], plain)
        for way, options in WAYS.items():
            ratio = cycles(bin_folder, manifest, options) / plain
            logs[way] += math.log(ratio)
            line += "%12.3f" % ratio
        print(line, flush=True)
    print("%-25s" % "geometric mean" +
          "".join("%12.3f" % math.exp(total / len(manifests)) for total in logs.values()))


main()
