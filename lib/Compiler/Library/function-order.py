#!/usr/bin/env python3
"""The order in which functions stand in the compiler's library.

usage: function-order.py record BIN-FOLDER LIB-FOLDER STRIP SOURCE-FOLDER ORDER.gz
       function-order.py expand ORDER.gz ORDER
       function-order.py check NM LIBRARY ORDER.gz

The functions that compilations execute stand side by side, those first that most
of them do. Otherwise nearly all pages of the library would be read, since each has
a few such functions. record compiles some kernels under valgrind's callgrind to
find them; expand writes the list as the linker takes it. A name that is not there
(any more) does no harm; check fails if many are not, or if the functions do not
stand side by side.
"""
import collections
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

# What together executes most of the compiler.
INPUTS = (
    ("test/kernels/saxpy/saxpy.nvcc", "-O0"),
    ("test/kernels/softmax/softmax.nvcc", "-O0"),
    ("test/kernels/recursion/recursion.nvcc", "-O0"),
    ("test/kernels/stencil/stencil.nvcc", "-O0"),
    ("benchmarks/inputs/kernels/image/image.clang", "-O0"),
    ("benchmarks/inputs/kernels/physics/physics.nvcc", "-O0"),
    ("test/kernels/saxpy/saxpy.nvcc", "-O1"),
    ("test/kernels/softmax/softmax.nvcc", "-O1"),
    ("test/kernels/saxpy/saxpy.nvcc", "-O3"),
    ("test/kernels/softmax/softmax.nvcc", "-O3"),
    ("test/kernels/printf/printf.clang", "-O3"),
    ("test/kernels/bitonic/bitonic.nvcc", "-O3"),
    ("test/kernels/recursion/recursion.nvcc", "-O3"),
    ("test/kernels/blackscholes/blackscholes.nvcc", "-O3"),
    ("test/kernels/spinlock/spinlock.nvcc", "-O3"),
    ("test/kernels/stencil/stencil.nvcc", "-O3"),
    ("test/kernels/histogram/histogram.nvcc", "-O3"),
    ("benchmarks/inputs/kernels/gemm/gemm.nvcc", "-O3"),
    ("benchmarks/inputs/kernels/graph/graph.nvcc", "-O3"),
    ("benchmarks/inputs/kernels/image/image.clang", "-O3"),
    ("benchmarks/inputs/kernels/physics/physics.nvcc", "-O3"),
    ("benchmarks/inputs/kernels/network/network.nvcc", "-O3"),
    ("benchmarks/inputs/kernels/signal/signal.nvcc", "-O3"),
    ("benchmarks/inputs/kernels/hash/hash.clang", "-O3"),
    ("benchmarks/inputs/kernels/sort/sort.nvcc", "-O3"),
)
# Of the functions listed, how many the library has at least; and what they may take
# in place of their own size.
LEAST_FOUND = 0.9
LARGEST_SPREAD = 1.5
FUNCTION = re.compile(r"c?fn=\(\d+\) (_\S+)$")


def executed(program, source, level, work):
    """Mangled names of the functions that a compilation executes."""
    profile = os.path.join(work, "profile")
    subprocess.run(
        ["valgrind", "--tool=callgrind", "--demangle=no", "--callgrind-out-file=" + profile,
         program, "-w", "--no-cache", level, source, "-o", os.path.join(work, "out")],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(profile, encoding="utf-8") as file:
        found = (FUNCTION.match(line) for line in file)
        # 'N marks recursion.
        return {match.group(1).split("'")[0] for match in found if match}


def record(bins, libs, strip, sources, order):
    uses = collections.Counter()
    with tempfile.TemporaryDirectory() as work:
        # valgrind stumbles over the debug information in LLVM's archives.
        os.mkdir(work + "/bin")
        os.mkdir(work + "/lib")
        shutil.copy(bins + "/ptx-compile", work + "/bin")
        subprocess.run([strip, "--strip-debug", libs + "/libheddle-compiler.so",
                        "-o", work + "/lib/libheddle-compiler.so"], check=True)
        for name, level in INPUTS:
            source = os.path.join(sources, name + ".sm_90.ptx")
            uses.update(executed(work + "/bin/ptx-compile", source, level, work))
            print(name, level, len(uses), "functions", flush=True)
    names = sorted(uses, key=lambda name: (-uses[name], name))
    with open(order, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write("".join(name + "\n" for name in names).encode())


def expand(packed, order):
    with gzip.open(packed, "rb") as file, open(order, "wb") as out:
        shutil.copyfileobj(file, out)


def check(nm, library, packed):
    with gzip.open(packed, "rt") as file:
        listed = set(file.read().split())
    symbols = subprocess.run([nm, "--defined-only", "--print-size", library],
                             check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in symbols.splitlines()]
    found = {int(row[0], 16): int(row[1], 16) for row in rows
             if len(row) == 4 and row[2] in "tTwW" and row[3] in listed}
    names = {row[3] for row in rows if len(row) == 4} & listed
    spread = (max(found) - min(found)) / sum(found.values())
    print("%.0f %% of the functions are there, in %.2f times their size"
          % (100 * len(names) / len(listed), spread))
    if len(names) < LEAST_FOUND * len(listed) or spread > LARGEST_SPREAD:
        sys.exit("If much has changed: ninja update-function-order")


if __name__ == "__main__":
    {"record": record, "expand": expand, "check": check}[sys.argv[1]](*sys.argv[2:])
