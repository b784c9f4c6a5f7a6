"""Compiles kernels of a folder several times and compares the objects.

usage: same-bytes.py KERNELS-FOLDER OUTPUT NAME..."""

import pathlib
import subprocess
import sys

KERNELS, OUTPUT, *NAMES = sys.argv[1:]
WAYS = [[], [], ["--split-compile=1"], ["--split-compile=4"]]


def compile(source, options):
    subprocess.run(["ptx-compile", "--no-cache", "-w", *options, source, "-o", OUTPUT],
                   check=True)
    return pathlib.Path(OUTPUT).read_bytes()


def main():
    different = 0
    for name in NAMES:
        for source in sorted((pathlib.Path(KERNELS) / name).glob("*.sm_90.ptx")):
            for level in ("-O1", "-O3"):
                objects = {compile(source, [level, *way]) for way in WAYS}
                if len(objects) != 1:
                    print(source.name, level, "gave", len(objects), "objects")
                    different += 1
    sys.exit(different != 0)


main()
