#!/usr/bin/env python3
"""Whether counts survive compilation.

usage: pgo-quality.py [--check] [BIN-FOLDER] [KERNEL...]

Each kernel of benchmarks/inputs/pgo is compiled with the profile of an input and runs
with the same input. The threads that the compiler thinks execute each
instruction of the final code (remarks of heddle-block-counts) are compared with
those that do, as two distributions: the overlap is 100 % if they are the same,
and 0 if they have no instruction in common. Beside it is the overlap of code
without a profile, whose instructions are all taken to be executed alike.
--check: exit with 1 unless all overlaps are at least 80 %.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inputs", "pgo")
sys.path.insert(0, HERE)
import inputs  # noqa: E402

LEAST = 0.8


class Tools:
    def __init__(self, folder):
        self.folder = folder

    def run(self, tool, *arguments):
        return subprocess.run([os.path.join(self.folder, tool), *arguments], check=True,
                              stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "HEDDLE_CACHE_MODE": "off"}).stdout

    def executed(self, manifest, module):
        """Threads by program counter, of the sections' code."""
        report = json.loads(self.run("ptx-run", manifest, "--module", module, "--timing",
                                     "--json"))
        counts = {}
        for launch in report["launches"]:
            for instruction in launch["profile"]["instructions"]:
                place = instruction["section"], instruction["pc"]
                counts[place] = counts.get(place, 0) + instruction["active_threads"]
        return counts

    def places(self, module, function):
        """The program counters of a function's instructions, in their order."""
        text = self.run("ptx-objdump", "--function=" + function, module)
        return [int(pc, 16) for pc in re.findall(r"// (0x[0-9a-f]+)(?:$| )", text, re.MULTILINE)]


def expected(remarks):
    """By function, the count of each instruction."""
    counts = {}
    for remark in re.split("^--- ", remarks, flags=re.MULTILINE):
        if not re.search(r"^Pass: +heddle-block-counts$", remark, re.MULTILINE):
            continue
        field = dict(re.findall(r"(Function|Instructions|Threads): +'?([^'\n]+)'?", remark))
        counts.setdefault(field["Function"], []).extend(
            [int(field["Threads"])] * int(field["Instructions"]))
    return counts


def overlap(a, b):
    sums = sum(a), sum(b)
    if 0 in sums:
        return float(sums == (0, 0))
    return sum(min(x / sums[0], y / sums[1]) for x, y in zip(a, b))


def measure(tools, kernel, folder):
    """The overlap with the profile, and that of all instructions alike."""
    source = os.path.join(HERE, kernel, kernel + ".ptx")
    place = os.path.join(folder, kernel)
    os.mkdir(place)
    manifest, _ = inputs.make(kernel, True, place, source)
    profile, module = os.path.join(place, "prof"), os.path.join(place, "hdo")
    tools.run("ptx-run", manifest, "-X", "-fprofile-probes", "--profile-out", profile)
    options = ["-O3", "-fprofile-use=" + profile, source, "-o"]
    tools.run("ptx-compile", *options, module)
    thought = expected(tools.run("ptx-compile", "--emit=remarks", *options, "-"))
    executed = tools.executed(manifest, module)
    a, b = [], []
    for function, counts in thought.items():
        places = tools.places(module, function)
        if len(places) != len(counts):
            sys.exit("%s: %d instructions of %s, %d in remarks" %
                     (kernel, len(places), function, len(counts)))
        a += counts
        b += [executed.get((".text." + function, pc), 0) for pc in places]
    return overlap(a, b), overlap([1] * len(b), b)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    tools = Tools(arguments[0] if arguments else os.path.join(HERE, "../../build/bin"))
    good = True
    print("%-10s %9s %9s" % ("kernel", "profile", "alike"))
    with tempfile.TemporaryDirectory() as folder:
        for kernel in arguments[1:] or sorted(inputs.INPUTS):
            with_profile, alike = measure(tools, kernel, folder)
            good &= with_profile >= LEAST
            print("%-10s %8.1f%% %8.1f%%" % (kernel, 100 * with_profile, 100 * alike),
                  flush=True)
    sys.exit("--check" in sys.argv and not good)


if __name__ == "__main__":
    main()
