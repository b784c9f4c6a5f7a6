#!/usr/bin/env python3
"""Checks that no program needs the distribution's LLVM or MLIR at run time.

usage: check-dynamic-deps.py READELF FILE-OR-FOLDER...

A program that linked LLVM statically and also loads libLLVM.so has two LLVMs in
one process, which crashes; and loading it costs more than a cache hit may take.
LLVM's archives name Z3 as well, which nothing of ours uses and which costs more
to load than a short kernel to compile.
The compiler is in one library, which programs load when there is something to
compile: a program that has LLVM's code generation in it is one more compiler to
install. Those of CONTAINERS are for who works on the compiler.
The libraries with NVIDIA's names are loaded into every child of a program that
uses one, compilers for example: they may need the C library only.
Prints each forbidden dependency and each other compiler, and exits with 1 if there is any.
"""
import mmap
import os
import re
import subprocess
import sys

FORBIDDEN = re.compile(r"lib(LLVM|MLIR|clang|z3)[-.\w]*\.so")
THIN = re.compile(r"lib(cuda|cudart|nvJitLink|heddle-audit)\.so")
C_LIBRARY = re.compile(r"(libc|ld-linux[-\w]*)\.so")
NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")

# A symbol that all code generators have.
CODE_GENERATION = b"_ZTVN4llvm10AsmPrinterE\0"
CONTAINERS = {
    "libheddle-compiler.so",
    "libheddle-native.so",
    "ptx-opt",
    "heddle-forms",
    "heddle-random-ptx",
    "HeddleLLC.so",
}


def generates_code(path):
    with open(path, "rb") as file, mmap.mmap(
        file.fileno(), 0, access=mmap.ACCESS_READ
    ) as contents:
        return contents.find(CODE_GENERATION) >= 0


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
        if os.path.basename(path) not in CONTAINERS and generates_code(path):
            print("%s: has LLVM's code generation in it" % path)
            failed = True
    print("%d programs and libraries checked" % checked)
    sys.exit(1 if failed or not checked else 0)


if __name__ == "__main__":
    main()
