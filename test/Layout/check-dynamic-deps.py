#!/usr/bin/env python3
"""Checks that no program needs the distribution's LLVM or MLIR at run time.

usage: check-dynamic-deps.py READELF FILE-OR-FOLDER...

A program that linked LLVM statically and also loads libLLVM.so has two LLVMs in
one process, which crashes; and loading it costs more than a cache hit may take.
LLVM's archives name Z3 as well, which nothing of ours uses and which costs more
to load than a short kernel to compile.
The libraries with NVIDIA's names are loaded into every child of a program that
uses one, compilers for example: they may need the C library only.
Prints each forbidden dependency and exits with 1 if there is any.
"""
import os
import re
import subprocess
import sys

FORBIDDEN = re.compile(r"lib(LLVM|MLIR|clang|z3)[-.\w]*\.so")
THIN = re.compile(r"lib(cuda|cudart|nvJitLink)\.so")
C_LIBRARY = re.compile(r"(libc|ld-linux[-\w]*)\.so")
NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")


def elf_files(paths):
    for path in paths:
        names = [path]
        if os.path.isdir(path):
            names = [os.path.join(path, name) for name in sorted(os.listdir(path))]
        for name in names:
            if os.path.isfile(name):
                with open(name, "rb") as file:
                    if file.read(4) == b"\x7fELF":
                        yield name


def main():
    readelf, *paths = sys.argv[1:]
    checked, failed = 0, False
    for path in elf_files(paths):
        listed = subprocess.run(
            [readelf, "-d", path], capture_output=True, text=True, check=True
        )
        checked += 1
        is_thin = THIN.match(os.path.basename(path))
        for library in NEEDED.findall(listed.stdout):
            if FORBIDDEN.match(library) or (is_thin and not C_LIBRARY.match(library)):
                print("%s: needs %s" % (path, library))
                failed = True
    print("%d programs and libraries checked" % checked)
    sys.exit(1 if failed or not checked else 0)


if __name__ == "__main__":
    main()
