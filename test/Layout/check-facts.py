#!/usr/bin/env python3
"""Checks that what has one place in the sources stands there only.

usage: check-facts.py SOURCE-FOLDER

The names of attributes (heddle/Support/Attributes.def), the triple and the data
layout (heddle/Support/TargetDescription.h), the version (CMakeLists.txt), that of
CUDA (heddle/Support/CUDAVersion.h), the calling convention of kernels
(heddle/IR/Kernels.h), which sources of an operation may change places and how
many registers a system call takes (isa-defs/). Prints one line for each second
place and exits with 1 if there is any.
"""
import os
import re
import sys

ATTRIBUTES = "include/heddle/Support/Attributes.def"
DESCRIPTION = "include/heddle/Support/TargetDescription.h"
# Runtimes of all versions are recognised.
CUDA_VERSIONS = {"include/heddle/Support/CUDAVersion.h",
                 "lib/CUDA/StaticRuntime/Signatures.def"}
KERNELS = "include/heddle/IR/Kernels.h"
# What sets the calling convention, and what looks at that of a call.
CONVENTION_USERS = {
    KERNELS,
    "lib/Compiler/NVVM/Kernels.cpp",
    "lib/Conversion/PTXToLLVM/LowerControl.cpp",
    "lib/Target/Heddle/ISel/HeddleCallLowering.cpp",
}
SYSTEM_CALLS = "isa-defs/HeddleABI.td"
# What carries out system calls: it finds its functions by their names.
SYSTEM_CALL_USERS = {
    "lib/Emulator/Execute/SystemCalls.cpp",
    "lib/Interpreter/SystemCalls.cpp",
}
# A file of the backend that names this many of the operations whose sources may
# change places has a list of them.
MOST_SWAPPED = 6


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def patterns(root):
    """Yields (pattern, places, what to use in its stead)."""
    names = re.findall(r'HEDDLE_ATTRIBUTE\((\w+), "([^"]+)"', read(root, ATTRIBUTES))
    if not names:
        sys.exit("no attributes in " + ATTRIBUTES)
    for name, text in names:
        yield re.compile('"%s"' % re.escape(text)), {ATTRIBUTES}, "attr::" + name
    yield re.compile(r'"[^"]*heddle-unknown-unknown'), {DESCRIPTION}, "TargetTriple"
    yield re.compile(r'"e-p:64:64'), {DESCRIPTION}, "TargetDataLayout"
    yield re.compile(r"\bPTX_Kernel\b"), CONVENTION_USERS, "ir::isKernel"
    calls = re.findall(r'SystemCall<\d+, "(\w+)"', read(root, SYSTEM_CALLS))
    if not calls:
        sys.exit("no system calls in " + SYSTEM_CALLS)
    # C's own functions are called so elsewhere, too.
    yield (re.compile('"(%s)"' % "|".join(c for c in calls if c not in ("malloc", "free"))),
           SYSTEM_CALL_USERS, "isa::systemCalls")
    yield re.compile(r'\b[vV]ersion = 13\d\d0\b|"V?13\.\d'), CUDA_VERSIONS, "CUDAVersion"
    version = re.search(r"project\(Heddle VERSION ([\d.]+)", read(root, "CMakeLists.txt"))
    yield re.compile('"[^"]*%s' % re.escape(version.group(1))), set(), "HEDDLE_VERSION"


def swapped_operations(root):
    """The operations that isa-defs/ says may exchange their sources."""
    names = set()
    for name in sorted(os.listdir(os.path.join(root, "isa-defs"))):
        if name.endswith(".td"):
            names.update(re.findall(r'def OP_(\w+) : ISAOp<[^>]*?\bSWAP_(?!No\b)\w+>',
                                    read(root, "isa-defs/" + name)))
    if not names:
        sys.exit("no operation in isa-defs/ may exchange its sources")
    return names


def sources(root):
    for top in ("cache", "include", "lib", "passes", "tools"):
        for place, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith((".h", ".cpp", ".def")):
                    yield os.path.relpath(os.path.join(place, name), root)


def main():
    root = sys.argv[1]
    rules = list(patterns(root))
    swapped = swapped_operations(root)
    found = []
    for path in sources(root):
        text = read(root, path)
        if path.startswith("lib/Target/"):
            named = swapped.intersection(re.findall(r"\bOp::(\w+)", text))
            if len(named) >= MOST_SWAPPED:
                found.append("%s: use isa::OpInfo::Sources" % path)
        for number, line in enumerate(text.splitlines(), 1):
            code = line.split("//")[0]
            for pattern, places, instead in rules:
                if path not in places and pattern.search(code):
                    found.append("%s:%d: use %s" % (path, number, instead))
    print("\n".join(sorted(found)))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
