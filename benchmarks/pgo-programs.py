#!/usr/bin/env python3
"""What profiles do to kernels that nobody had in mind, in cycles of the timing model.

usage: pgo-programs.py --suites=DIR --work=DIR [--check] [--bin=FOLDER] [--chip=NAME]
                       [--larger=N] [PROGRAM...]

The rule, set before anything was measured: of the programs of HeCBench in
test/CUDA/programs.txt the first 24 behind the last one that hecbench.py uses that
launch kernels on the emulator and end within a minute, at the sizes that the table
states; of each, the first launch of every kernel. DIR are those of
test/CUDA/survey.py, which builds them.

The profile comes from a run of the whole program with another input: the largest
number of its arguments is halved. A program that has no other number than that of its
repetitions, 1, or does not take that one, has the same input, which the table says.
Launches are captured, so that what they leave in memory is compared with what the
program's kernel left there without a profile, but where that differs between runs
without one already, because sums of floating-point atomics come in any order.

--larger: measures programs whose largest number is N times that of the table, with
profiles of the table's size, and leaves out those that have none.
--check: exit with 1 if cycles of any kernel are more than 1 % higher with its profile.
"""
import argparse
import math
import os
import pathlib
import shutil
import subprocess
import sys
import json

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "CUDA"))
import survey  # noqa: E402

LAST_USED = "atomicReduction-cuda"  # by hecbench.py
PROGRAMS, SECONDS, MOST_LOSS = 24, 60, 0.01


def candidates():
    programs = [p for p in survey.read_programs(ROOT / "test" / "CUDA" / "programs.txt")
                if p.suite == "HeCBench"]
    names = [p.name for p in programs]
    return programs[names.index(LAST_USED) + 1:]


def resized(arguments, times, divisor):
    """The arguments with the largest number times / divisor as large; none if all
    are 1."""
    numbers = [(int(a), n) for n, a in enumerate(arguments) if a.isdigit()]
    if not numbers or max(numbers)[0] < 2:
        return None
    largest, place = max(numbers)
    return [*arguments[:place], str(largest * times // divisor), *arguments[place + 1:]]


def inputs_of(program, larger):
    """The arguments to measure and, or none, others for the profile."""
    if larger == 1:
        return program.arguments, resized(program.arguments, 1, 2)
    return resized(program.arguments, larger, 1), program.arguments


class Tools:
    def __init__(self, options):
        self.options = options
        self.environment = {**os.environ, "HEDDLE_CACHE_MODE": "off"}

    def run(self, tool, *arguments):
        return subprocess.run([os.path.join(self.options.bin, tool), *arguments], check=True,
                              capture_output=True, env=self.environment).stdout

    def execute(self, program, binary, arguments, *options):
        """Whether the program ends well on the emulator in time."""
        folder = os.path.join(self.options.suites, program.suite, program.folder)
        command = [os.path.join(self.options.bin, "ptx-env"), *options, binary, *arguments]
        try:
            return subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL,
                                  env=self.environment).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def cycles(self, manifest, *options):
        """ptx-run fails where a result is not what it should be."""
        report = json.loads(self.run("ptx-run", manifest, "--chip", self.options.chip,
                                     "--timing", "--json", *options))
        return sum(launch["profile"]["cycles"] for launch in report["launches"])


def capture(tools, program, folder):
    """The manifests of the program's launches and its profile, and whether that is of
    another input; none if it does not run."""
    binary, _ = survey.build(program, tools.options)
    shutil.rmtree(folder, ignore_errors=True)
    measured, other = inputs_of(program, tools.options.larger)
    if not binary or measured is None or not tools.execute(
            program, binary, measured, "--capture=%s" % folder):
        return None
    manifests = sorted(folder.glob("*.json"), key=lambda m: int(m.name.split("-")[0]))
    if not manifests:
        return None
    profile = folder / "program.prof"
    option = "--profile-out=%s" % profile
    if other and tools.execute(program, binary, other, option):
        return manifests, profile, True
    profile.unlink(missing_ok=True)
    if not tools.execute(program, binary, measured, option):
        return None
    return manifests, profile, False


def measure(tools, program, folder):
    """Whether the input is another one, and for each kernel its name and both cycles."""
    captured = capture(tools, program, folder)
    if not captured:
        return None
    manifests, profile, other = captured
    rows = []
    for manifest in manifests:
        try:
            plain = tools.cycles(manifest)
        except subprocess.CalledProcessError:
            manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "expect": []}))
            plain = tools.cycles(manifest)
        try:
            used = tools.cycles(manifest, "-X", "-fprofile-use=%s" % profile)
        except subprocess.CalledProcessError as failure:
            sys.exit("%s: %s" % (manifest, failure.stderr.decode(errors="replace")[-300:]))
        rows.append((manifest.stem, plain, used))
    return other, rows


def mean(rows):
    return geometric(used / plain for _, plain, used in rows)


def geometric(ratios):
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms)) - 1


def worst(rows):
    return max(used / plain - 1 for _, plain, used in rows)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--suites", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--bin", default=str(ROOT / "build" / "bin"))
    parser.add_argument("--chip", default="hd100")
    parser.add_argument("--larger", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("programs", nargs="*")
    parser.set_defaults(runtime="shared", toolkit=None)  # what survey.build() asks for
    options = parser.parse_args()
    for folder in ("suites", "work", "bin"):  # programs run in folders of their own
        setattr(options, folder, os.path.abspath(getattr(options, folder)))
    os.makedirs(options.work, exist_ok=True)
    tools, everything, programs = Tools(options), [], []
    print("| program | input | kernels | mean | worst |\n|---|---|---|---|---|")
    for program in candidates():
        name = program.name.removesuffix("-cuda")
        if options.programs and name not in options.programs:
            continue
        measured = measure(tools, program, pathlib.Path(options.work) / "pgo" / name)
        if not measured:
            print("%s: launches nothing, or takes too long" % name, file=sys.stderr)
            continue
        other, rows = measured
        everything += rows
        programs.append(1 + mean(rows))
        print("| %s | %s | %d | %+.1f %% | %+.1f %% |" %
              (name, "another" if other else "the same", len(rows), 100 * mean(rows),
               100 * worst(rows)), flush=True)
        for kernel, plain, used in rows:
            if used > (1 + MOST_LOSS) * plain:
                print("%s: %s: %d cycles, %d with the profile" % (name, kernel, plain, used),
                      file=sys.stderr, flush=True)
        if len(programs) == PROGRAMS:
            break
    if not everything:
        sys.exit("none of the programs could be measured")
    print("| all | | %d | %+.1f %% | %+.1f %% |" %
          (len(everything), 100 * mean(everything), 100 * worst(everything)))
    print("| programs, all counting alike | | %d | %+.1f %% | |" %
          (len(programs), 100 * geometric(programs)))
    sys.exit(options.check and worst(everything) > MOST_LOSS)


main()
