"""Compares variables at every instruction, as compare_variables.py does, in the
kernels of the tree as nvcc -G and clang -g compile them.

usage: compare_kernels.py KERNELS FOLDER [STEPS]

KERNELS is the folder of the kernels' folders, FOLDER takes the PTX.
"""
import json
import os
import shutil
import subprocess
import sys

from compare_variables import compare, with_module

# For the others the compiler chooses nothing that an interpreter would not. These
# have products that are summed up, which may be fused, and functions with .approx
# instructions: of each result some four units in the last place are uncertain,
# and what is computed of it is four operations away.
ULPS = {"blackscholes": 16, "nbody": 16, "softmax": 16}
# In the first warp much is zero that is another number elsewhere. In nbody parts of
# the sums of thread 37 cancel, and lose more places than that.
THREADS = (37, 5)
FIRST_WARP = {"nbody"}


def compilers(source, cuda):
    """By name, the command lines that make PTX with variables of a source."""
    return {
        "nvcc": [os.path.join(cuda, "bin/nvcc"), "-ptx", "-arch=sm_90", "-G", source],
        "clang": [
            "clang++-22", "-x", "cuda", "--cuda-path=" + cuda, "-I" + os.path.join(cuda, "include/cccl"),
            "-Wno-unknown-cuda-version", "--cuda-device-only", "--cuda-gpu-arch=sm_90",
            "--cuda-noopt-device-debug", "-O2", "-g", "-S", source,
        ],
    }


def least_width(manifest):
    """How many threads blocks have in x, of all launches."""
    with open(manifest) as file:
        content = json.load(file)
    return min(launch["block"][0] for launch in content.get("launches", [content]))


def main():
    kernels, folder = sys.argv[1:3]
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 3000
    cuda = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("nvcc"))))
    os.makedirs(folder, exist_ok=True)
    agree, differ = [], []
    for kernel in sorted(os.listdir(kernels)):
        source = os.path.join(kernels, kernel, kernel + ".cu")
        if not os.path.exists(source):
            continue
        for name, command in compilers(source, cuda).items():
            module = os.path.join(folder, "%s.%s.ptx" % (kernel, name))
            subprocess.run([*command, "-o", module], check=True)
            manifest = with_module(os.path.join(kernels, kernel, kernel + ".json"), module, folder)
            width = 1 + min(THREADS) if kernel in FIRST_WARP else least_width(manifest)
            thread = next(t for t in THREADS if t < width)
            agrees = compare(manifest, thread, steps, ULPS.get(kernel, 0))
            (agree if agrees else differ).append("%s of %s" % (kernel, name))
    print("%d agree; differ: %s" % (len(agree), ", ".join(differ) or "none"))
    return 0 if not differ and len(agree) >= 30 else 1


if __name__ == "__main__":
    sys.exit(main())
