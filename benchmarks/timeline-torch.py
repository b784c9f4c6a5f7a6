#!/usr/bin/env python3
"""What a timeline costs a PyTorch program of many small launches, in time and in the processor time of all its threads.

usage: timeline-torch.py PYTHON [BUILD-FOLDER [ROUNDS]]

PYTHON has PyTorch and Triton. A network of four small layers is trained for 60 steps, of which the loop is timed, in
turns without a timeline and with one in each format; medians of ROUNDS (4).
"""
import os
import statistics
import subprocess
import sys
import tempfile

FORMATS = ("pftrace", "json", "sqlite")
PROGRAM = """
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


train(3)
begin = time.perf_counter(), time.process_time()
train(60)
print(time.perf_counter() - begin[0], time.process_time() - begin[1])
"""


def run(launcher, python, timeline):
    done = subprocess.run([launcher, *(["--timeline=" + timeline] if timeline else []), python, "-c", PROGRAM],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return [float(word) for word in done.stdout.split()]


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    here = os.path.dirname(os.path.abspath(__file__))
    build = sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "../build")
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    launcher, times = os.path.join(build, "bin/ptx-env"), {way: [] for way in (None, *FORMATS)}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for way, found in times.items():
                found.append(run(launcher, sys.argv[1], way and os.path.join(folder, "run." + way)))
    medians = {way: [statistics.median(column) for column in zip(*found)] for way, found in times.items()}
    print("%-8s %10s %10s" % ("", "time", "processor"))
    print("%-8s %8.2f s %8.2f s" % ("without", *medians[None]))
    for way in FORMATS:
        print("%-8s %+8.1f %% %+8.1f %%" % (way, *(100 * (a / b - 1) for a, b in zip(medians[way], medians[None]))))


main()
