#!/usr/bin/env python3
"""Writes each function of the device library as bitcode of its own.

usage: embed.py TOOLS-FOLDER LIBRARY.bc BYTES FUNCTIONS

What a module calls is then read without the rest of the library. BYTES are the
elements of a C array, all bitcodes one after another; FUNCTIONS has for each, in
the order of names, {name, first byte, number of bytes}.
"""
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def main():
    tools, library, bytes_file, functions_file = sys.argv[1:]
    listed = run(tools + "/llvm-nm", "--defined-only", "--extern-only", "--just-symbol-name", library)
    data = bytearray()
    with open(functions_file, "w", encoding="ascii") as file:
        for name in sorted(listed.decode().split()):
            bitcode = run(tools + "/opt", "-passes=internalize,globaldce,strip-dead-prototypes",
                          "-internalize-public-api-list=" + name, library, "-o", "-")
            file.write('{"%s", %d, %d},\n' % (name, len(data), len(bitcode)))
            data += bitcode
    with open(bytes_file, "w", encoding="ascii") as file:
        for start in range(0, len(data), 20):
            file.write(",".join(map(str, data[start : start + 20])) + ",\n")


if __name__ == "__main__":
    main()
