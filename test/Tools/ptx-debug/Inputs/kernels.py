"""Runs kernels of the tree under the debugger, straight on and back and forth.

usage: kernels.py FOLDER

Fails unless what their manifests expect holds.
"""
import os
import subprocess
import sys

KERNELS = ["bitonic", "histogram", "jacobi", "printf", "recursion", "reduce", "scan", "spinlock", "spmv"]
WALKS = {
    "straight": ["run"],
    "back": ["catch launch", "run", "delete", "stepi 30", "reverse-stepi 20", "next", "reverse-continue",
             "stepi 5", "continue"],
    "others": ["set scheduler-locking off", "catch launch", "run", "delete", "stepi 30", "cuda warp 1", "next 3",
               "reverse-next", "reverse-continue", "continue"],
}


def main():
    folder, failed = sys.argv[1], []
    for kernel in KERNELS:
        for name, commands in WALKS.items():
            line = ["ptx-debug", "-batch"]
            for command in commands:
                line += ["-ex", command]
            line.append(os.path.join(folder, kernel, kernel + ".json"))
            output = subprocess.run(line, capture_output=True, text=True, check=True).stdout
            if "what it expects holds]" not in output or "cannot" in output:
                failed.append("%s, %s:\n%s" % (kernel, name, output))
    if failed:
        sys.exit("\n".join(failed))


main()
