#!/usr/bin/env python3
"""Checks who may include whom (see README.md, "Layout").

usage: check-layering.py SOURCE-FOLDER

Prints one line for each forbidden include and exits with 1 if there is any.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include(?:_next)?\s*([<"])([^>"]+)[>"]')
SOURCE_SUFFIXES = (".h", ".hpp", ".c", ".cpp", ".inc", ".def")

LLVM_CODEGEN = ("llvm/CodeGen/", "llvm/Target/", "llvm/Passes/", "llvm/MC/")
LLVM_AND_MLIR = ("llvm/IR/", "llvm/Analysis/", "llvm/Transforms/", "mlir/") + LLVM_CODEGEN

# (folders, forbidden prefixes, the rule). A folder is matched with its headers:
# lib/X also stands for include/heddle/X. What is included is matched both as
# written and, where it names a file beside the includer, by its path in the
# repository. A table generated from isa-defs/ ends in .inc and is no violation.
RULES = [
    (("cache",), ("heddle/", "llvm/", "mlir/", "clang/", "lib/", "passes/", "tools/"),
     "cache/ includes nothing else of the project, and no LLVM"),
    (("lib/Emulator",), LLVM_AND_MLIR,
     "the emulator uses neither LLVM's IR nor its code generation"),
    (("lib/Interpreter",),
     ("heddle/Target/", "lib/Target/", "heddle/Emulator/", "lib/Emulator/", "heddle/Compiler/",
      "heddle/DeviceLibrary/", "heddle/Conversion/PTXToLLVM", "llvm/IR/", "llvm/Analysis/",
      "llvm/Transforms/") + LLVM_CODEGEN,
     "the interpreter shares nothing with the compiler behind the dialect, nor with the emulator"),
    (("tools/ptx-compile", "lib/JIT", "lib/CUDA", "include/heddle-c"),
     ("heddle/Target/", "lib/Target/") + LLVM_AND_MLIR,
     "the command line and the JIT reach LLVM only behind lib/Compiler"),
    (("tools/ptx-compile", "tools/ptx-link", "tools/ptx-cache", "lib/Driver", "lib/Options"),
     ("llvm/", "mlir/"), "what serves a hit of the cache does not use LLVM"),
    (("tools/ptx-run", "tools/ptx-cache", "tools/ptx-link", "tools/ptx-prof",
      "tools/ptx-tune", "tools/ptx-debug", "lib/Debugger", "lib/Runtime"),
     ("heddle/Target/", "lib/Target/") + LLVM_CODEGEN,
     "LLVM's code generation is reached only behind lib/Compiler"),
    (("tools/ptx-compile", "tools/ptx-link", "tools/ptx-run", "tools/ptx-prof", "tools/ptx-time",
      "tools/ptx-tune", "tools/ptx-debug", "lib/Debugger", "lib/Driver", "lib/Tooling", "lib/JIT",
      "lib/CUDA"),
     ("heddle/Compiler/Compiler.h", "heddle/Compiler/Disassembly.h"),
     "the compiler is reached through the interface of its library"),
    (("passes",),
     ("heddle/Compiler/", "heddle/Driver/", "heddle/Options/", "heddle/PTX/", "heddle/Conversion/",
      "heddle/Dialect/", "heddle/Emulator/", "heddle/Runtime/", "lib/", "mlir/"),
     "passes/ knows neither where LLVM IR comes from nor who runs the passes"),
    (("lib/CUDA", "lib/Conversion", "lib/Debugger", "lib/DeviceLibrary", "lib/Driver", "lib/Emulator", "lib/IR",
      "lib/JIT", "lib/Link", "lib/Metrics", "lib/ProfileData", "lib/Runtime", "lib/Support",
      "lib/Target", "lib/Tuning"),
     ("passes/",), "of lib/, only lib/Compiler runs passes"),
    (("lib", "passes", "cache"), ("tools/",), "libraries do not include tools/"),
    (("include/heddle",), ("lib/", "passes/", "tools/"),
     "public headers do not include private ones"),
]

# What the emulator and the backend share, so that each is an oracle for the
# other in all else: the tables of isa-defs/ with what lib/ISA adds by hand, the
# object format, the layout of probes in it, and helpers without a meaning in
# the ISA.
SHARED = ("heddle/ISA/", "heddle/Object/", "heddle/ProfileData/Probes.h", "heddle/Support/")

# (folder, all that it includes of the project beside its own files, the rule).
ALLOWED = [
    ("lib/Emulator",
     SHARED + ("heddle/Emulator/", "heddle/ProfileData/ProbeCounts.h", "heddle/Runtime/"),
     "the emulator may not use that"),
    ("lib/Target", SHARED + ("heddle/IR/", "heddle/Target/", "heddle/Tuning/"),
     "the backend may not use that"),
]
OURS = ("cache/", "heddle/", "heddle-c/", "isa-defs/", "lib/", "passes/", "tools/")


def folders_of_rule(folders):
    for folder in folders:
        yield folder
        if folder.startswith("lib/"):
            yield "include/heddle/" + folder[len("lib/"):]


def is_in(path, folder):
    return path.startswith(folder + "/")


def sources(root):
    for top in ("cache", "include", "lib", "passes", "tools"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(SOURCE_SUFFIXES):
                    yield os.path.relpath(os.path.join(folder, name), root)


def includes(root, path):
    """Yields (line number, what is included, as written and resolved)."""
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, name = match.groups()
            names = {name}
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            if quote == '"' and os.path.exists(os.path.join(root, beside)):
                names.add(beside)
            yield number, name, names


def violations(root):
    for path in sources(root):
        for folders, forbidden, rule in RULES:
            if not any(is_in(path, folder) for folder in folders_of_rule(folders)):
                continue
            for number, name, names in includes(root, path):
                generated = name.endswith(".inc") and not name.startswith(("llvm/", "mlir/"))
                if not generated and any(n.startswith(forbidden) for n in names):
                    yield "%s:%d: includes %s: %s" % (path, number, name, rule)
        for folder, allowed, rule in ALLOWED:
            own = tuple(f + "/" for f in folders_of_rule([folder]))
            if not path.startswith(own):
                continue
            for number, name, names in includes(root, path):
                ours = [n for n in names if n.startswith(OURS + ("include/",))]
                if not all(n.startswith(own + allowed) for n in ours):
                    yield "%s:%d: includes %s: %s" % (path, number, name, rule)


def main():
    root = sys.argv[1]
    if not any(True for _ in sources(root)):
        sys.exit("no sources under " + root)
    found = sorted(violations(root))
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
