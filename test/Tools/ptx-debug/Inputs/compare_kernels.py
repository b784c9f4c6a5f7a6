"""Compares variables at every instruction, as compare_variables.py does, in the
kernels of the tree as nvcc -G and clang -g compile them.

usage: compare_kernels.py KERNELS FOLDER [STEPS]

KERNELS is the folder of the kernels' folders, FOLDER takes the PTX.
"""
import os
import shutil
import subprocess
import sys

from compare_variables import compare, with_module

# For the others the compiler chooses nothing that an interpreter would not. These
# have products that are summed up, which may be fused, and functions with .approx
# instructions: of each result some four units in the last place are uncertain,
# and what is computed of it is four operations away.
ULPS = {"blackscholes": 16, "nbody": 16}


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
            agrees = compare(manifest, 5, steps, ULPS.get(kernel, 0))
            (agree if agrees else differ).append("%s of %s" % (kernel, name))
    print("%d agree; differ: %s" % (len(agree), ", ".join(differ) or "none"))
    return 0 if not differ and len(agree) >= 30 else 1


if __name__ == "__main__":
    sys.exit(main())
