#!/usr/bin/env python3
"""Counts the instructions that the compiler executes for fixed inputs.

usage: count-instructions.py measure BIN-FOLDER LIB-FOLDER STRIP KERNELS-FOLDER OUT.json
       count-instructions.py compare MEASURED.json RECORDED.json

measure runs ptx-compile under valgrind's cachegrind, which counts exactly and
whatever else the machine does. compare fails if an input takes over 3 % more than
is recorded, and says how to record new figures.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# A short kernel; shared memory and barriers; a long straight one with many
# comparisons; floating-point math; and several kernels, at a low level.
INPUTS = {
    "saxpy": ["saxpy/saxpy.nvcc.sm_90.ptx"],
    "softmax": ["softmax/softmax.nvcc.sm_90.ptx"],
    "bitonic": ["bitonic/bitonic.nvcc.sm_90.ptx"],
    "blackscholes": ["blackscholes/blackscholes.nvcc.sm_90.ptx"],
    "fptable -O1": ["fptable/fptable.nvcc.sm_90.ptx", "-O1"],
}
ALLOWED = 1.03


def measure(bins, libs, strip, kernels, out):
    counts = {}
    with tempfile.TemporaryDirectory() as work:
        # valgrind stumbles over the debug information in LLVM's archives.
        os.mkdir(work + "/bin")
        os.mkdir(work + "/lib")
        shutil.copy(bins + "/ptx-compile", work + "/bin")
        subprocess.run([strip, "--strip-debug", libs + "/libheddle-compiler.so",
                        "-o", work + "/lib/libheddle-compiler.so"], check=True)
        environment = {"PATH": os.environ["PATH"], "HOME": work}
        for name, (source, *options) in INPUTS.items():
            done = subprocess.run(
                ["valgrind", "--tool=cachegrind", "--cache-sim=no",
                 "--cachegrind-out-file=/dev/null", work + "/bin/ptx-compile", "--no-cache",
                 *options, os.path.join(kernels, source), "-o", work + "/x.o"],
                env=environment, capture_output=True, text=True, check=False)
            found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
            if done.returncode or not found:
                sys.exit("%s: %s" % (name, done.stderr))
            counts[name] = int(found.group(1).replace(",", ""))
    with open(out, "w", encoding="utf-8") as file:
        json.dump(counts, file, indent=2)
        file.write("\n")


def compare(measured_file, recorded_file):
    with open(measured_file, encoding="utf-8") as file:
        measured = json.load(file)
    with open(recorded_file, encoding="utf-8") as file:
        recorded = json.load(file)
    if measured.keys() != recorded.keys():
        sys.exit("other inputs than recorded; ninja update-instruction-counts")
    grown = 0
    for name, count in measured.items():
        ratio = count / recorded[name]
        print("%-14s %6.1f million instructions, %+.1f %%"
              % (name, count / 1e6, 100 * (ratio - 1)))
        grown += ratio > ALLOWED
    print("%d inputs, %d grew by more than %.0f %%" % (len(measured), grown, 100 * (ALLOWED - 1)))
    if grown:
        sys.exit("If it is worth it: ninja update-instruction-counts, and commit the figures.")


if __name__ == "__main__":
    {"measure": measure, "compare": compare}[sys.argv[1]](*sys.argv[2:])
