#!/usr/bin/env python3
"""What a timeline costs a PyTorch program of many small launches, in instructions of the host or in time.

usage: timeline-torch.py [--wall ROUNDS] [--steps N] PYTHON [BUILD-FOLDER]

PYTHON has PyTorch and Triton. A network of four small layers is trained for some steps (5; 60 for times), of which each
makes some 1,200 calls of CUDA and 83 launches. Instructions are valgrind's count of those steps alone: of all threads
but the one that writes the file, and of that one. They tell more than times, which differ by several per cent from run
to run: with --wall runs without a timeline and with one in each format take turns, and a second row of runs without
one, `again`, says what differences mean nothing. `processor` is the time of all threads, the writer's among them.
"""
import argparse
import glob
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FORMATS = ("pftrace", "json", "sqlite")
PROGRAM = """
import os
import subprocess
import sys
import time
import torch
from torch.nn import GELU, LayerNorm, Linear, Sequential, functional

torch.manual_seed(0)
model = Sequential(Linear(64, 128), GELU(), LayerNorm(128), Linear(128, 10)).cuda()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
images, labels = torch.randn(64, 64, device="cuda"), torch.randint(0, 10, (64,), device="cuda")


def train(steps):
    for _ in range(steps):
        optimiser.zero_grad()
        functional.cross_entropy(model(images), labels).backward()
        optimiser.step()
    torch.cuda.synchronize()


def count(switch):
    if sys.argv[2] == "counted":
        subprocess.run(["callgrind_control", "--instr=" + switch, str(os.getpid())], check=True, capture_output=True)


train(3)
count("on")
begin = time.perf_counter(), time.process_time()
train(int(sys.argv[1]))
print(time.perf_counter() - begin[0], time.process_time() - begin[1])
count("off")
"""


def run(options, folder, timeline, counts=None):
    if timeline:
        timeline = os.path.join(folder, "run." + timeline)
        if os.path.exists(timeline):
            os.remove(timeline)
    command = [os.path.join(options.build, "bin/ptx-env"), *(["--timeline=" + timeline] if timeline else [])]
    if counts:
        command += ["valgrind", "--tool=callgrind", "--separate-threads=yes", "--instr-atstart=no",
                    "--callgrind-out-file=" + counts]
    way = "counted" if counts else "timed"
    done = subprocess.run([*command, options.python, "-c", PROGRAM, str(options.steps), way], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return [float(word) for word in done.stdout.split()]


def instructions(options, folder, timeline):
    """Of all threads but the one that writes the file, and of that one."""
    counts = os.path.join(folder, "counts")
    run(options, folder, timeline, counts)
    sums = [0, 0]
    for name in glob.glob(counts + "*"):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        os.remove(name)
        if total := re.search(r"^totals: (\d+)", text, re.M):
            sums["EventLog::write()" in text] += int(total.group(1))
    return sums


def count(options, folder):
    base = sum(instructions(options, folder, None))
    print("%-8s %12d instructions" % ("without", base), flush=True)
    print("%-8s %10s %10s %10s" % ("", "program", "writer", "both"))
    for way in FORMATS:
        program, writer = instructions(options, folder, way)
        parts = (program - base, writer, program + writer - base)
        print("%-8s" % way + "".join(" %+8.2f %%" % (100 * part / base) for part in parts), flush=True)


def measure(options, folder):
    ways = ("without", "again", *FORMATS)
    times = {way: [] for way in ways}
    for number in range(options.wall):
        # No way always follows the same one.
        for way in ways[number % len(ways):] + ways[:number % len(ways)]:
            times[way].append(run(options, folder, way if way in FORMATS else None))
    medians = {way: [statistics.median(column) for column in zip(*found)] for way, found in times.items()}
    print("%-8s %10s %10s" % ("", "time", "processor"))
    print("%-8s %8.2f s %8.2f s" % ("without", *medians["without"]))
    for way in ways[1:]:
        print("%-8s" % way + "".join(" %+8.1f %%" % (100 * (a / b - 1))
                                     for a, b in zip(medians[way], medians["without"])))


def main():
    parser = argparse.ArgumentParser(usage="timeline-torch.py [--wall ROUNDS] [--steps N] PYTHON [BUILD-FOLDER]")
    parser.add_argument("--wall", type=int, default=0)
    parser.add_argument("--steps", type=int)
    parser.add_argument("python")
    parser.add_argument("build", nargs="?", default=os.path.join(HERE, "../build"))
    options = parser.parse_args()
    options.steps = options.steps or (60 if options.wall else 5)
    with tempfile.TemporaryDirectory() as folder:
        (measure if options.wall else count)(options, folder)


main()
