#!/usr/bin/env python3
"""The order in which functions stand in the compiler's library.

usage: function-order.py record BIN-FOLDER LIB-FOLDER STRIP SOURCE-FOLDER ORDER.gz
       function-order.py expand ORDER.gz ORDER

The functions that compilations execute stand side by side, those first that most
of them do. Otherwise nearly all pages of the library would be read, since each has
a few such functions. record compiles some kernels under valgrind's callgrind to
find them; expand writes the list as the linker takes it. A name that is not there
(any more) does no harm.
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
    ("benchmarks/kernels/gemm/gemm.nvcc", "-O3"),
    ("benchmarks/kernels/graph/graph.nvcc", "-O3"),
    ("benchmarks/kernels/image/image.clang", "-O3"),
    ("benchmarks/kernels/physics/physics.nvcc", "-O3"),
    ("benchmarks/kernels/network/network.nvcc", "-O3"),
    ("benchmarks/kernels/signal/signal.nvcc", "-O3"),
    ("benchmarks/kernels/hash/hash.clang", "-O3"),
    ("benchmarks/kernels/sort/sort.nvcc", "-O3"),
)
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


if __name__ == "__main__":
    {"record": record, "expand": expand}[sys.argv[1]](*sys.argv[2:])
