#!/usr/bin/env python3
"""What a profile gives, in cycles of the timing model.

usage: pgo.py [--check] [BIN-FOLDER] [KERNEL...]

Each kernel of benchmarks/inputs/pgo is profiled with one input and measured with
another (benchmarks/inputs/pgo/inputs.py), at -O3 without and with its profile. What
both leave in memory is compared with what the interpreter leaves there.
--check: exit with 1 unless the geometric mean of the cycles is at least 10 %
lower with profiles, and those of no kernel are more than 1 % higher.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inputs", "pgo")
sys.path.insert(0, HERE)
import inputs  # noqa: E402

LEAST_GAIN, MOST_LOSS = 0.10, 0.01


class Tools:
    def __init__(self, folder):
        self.folder = folder

    def run(self, tool, *arguments):
        return subprocess.run([os.path.join(self.folder, tool), *arguments], check=True,
                              stdout=subprocess.PIPE,
                              env={**os.environ, "HEDDLE_CACHE_MODE": "off"}).stdout

    def results(self, manifest, outputs, *arguments):
        """What a launch leaves in its buffers."""
        return [self.run("ptx-run", manifest, "--dump", name, *arguments) for name in outputs]

    def cycles(self, manifest, module):
        report = json.loads(self.run("ptx-run", manifest, "--module", module, "--timing",
                                     "--json"))
        return sum(launch["profile"]["cycles"] for launch in report["launches"])


def measure(tools, kernel, folder):
    """Cycles without and with the profile, and whether the results are right."""
    module = os.path.join(HERE, kernel, kernel + ".ptx")
    places = [os.path.join(folder, kernel + suffix) for suffix in (".profiled", ".measured")]
    for place in places:
        os.mkdir(place)
    training, _ = inputs.make(kernel, True, places[0], module)
    manifest, outputs = inputs.make(kernel, False, places[1], module)
    profile = os.path.join(folder, kernel + ".prof")
    tools.run("ptx-run", training, "-X", "-fprofile-probes", "--profile-out", profile)
    expected = tools.results(manifest, outputs, "--interpret")
    cycles, same = [], True
    for name, options in (("plain", []), ("profile", ["-fprofile-use=" + profile])):
        made = os.path.join(folder, "%s.%s.hdo" % (kernel, name))
        tools.run("ptx-compile", "-O3", *options, module, "-o", made)
        cycles.append(tools.cycles(manifest, made))
        same &= tools.results(manifest, outputs, "--module", made) == expected
    return (*cycles, same)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    tools = Tools(arguments[0] if arguments else os.path.join(HERE, "../../build/bin"))
    kernels = arguments[1:] or sorted(inputs.INPUTS)
    ratios, good = [], True
    print("%-10s %9s %9s %8s  %s" % ("kernel", "-O3", "profile", "cycles", "results"))
    with tempfile.TemporaryDirectory() as folder:
        for kernel in kernels:
            plain, profiled, same = measure(tools, kernel, folder)
            ratios.append(profiled / plain)
            good &= same and ratios[-1] <= 1 + MOST_LOSS
            print("%-10s %9d %9d %+7.1f%%  %s" %
                  (kernel, plain, profiled, 100 * (ratios[-1] - 1),
                   "same" if same else "DIFFERENT"), flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print("geometric mean %+.1f%%" % (100 * (mean - 1)))
    sys.exit("--check" in sys.argv and not (good and mean <= 1 - LEAST_GAIN))


if __name__ == "__main__":
    main()
