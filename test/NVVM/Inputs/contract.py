"""Writes LLVM IR with a kernel for each intrinsic of the CONTRACT rows.

usage: contract.py INTRINSICS.DEF
"""
import itertools
import re
import sys

TYPES = {
    "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "f32": "float", "f64": "double",
    "f16": "half", "bf16": "bfloat", "v2f16": "<2 x half>", "v2bf16": "<2 x bfloat>",
}  # fmt: skip
THREE = ("fshl", "fshr", "fma")
TWO = ("smin", "smax", "umin", "umax", "minimumnum", "maximumnum")
WITH_FLAG = ("ctlz", "cttz", "abs")


def expand(pattern):
    parts = re.split(r"\{([^}]*)\}", pattern)
    choices = [part.split("|") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


def signature(name):
    """The types of the result and of the arguments."""
    words = name.split(".")
    if words[0] in ("fptosi", "fptoui"):
        return TYPES[words[2]], [TYPES[words[3]]]
    element = TYPES[words[-1]]
    if "overflow" in words:
        return "{ %s, i1 }" % element, [element] * 2
    if words[0] in WITH_FLAG:
        return element, [element, "i1"]
    count = 3 if words[0] in THREE else 2 if words[0] in TWO or "sat" in words else 1
    return element, [element] * count


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = re.findall(r'^HEDDLE_CONTRACT\("(.*)"\)$', file.read(), re.M)
    print('target triple = "nvptx64-nvidia-cuda"')
    names = [name for row in rows for name in expand(row)]
    # Statements, and what LLVM does not have.
    names = [n for n in names if "." in n and n != "bswap.i8"]
    for name in names:
        result, arguments = signature(name)
        given = [f"{t} %a{i}" for i, t in enumerate(arguments) if t != "i1"]
        passed = ", ".join(given + ["i1 false"] * arguments.count("i1"))
        kernel = "test." + name
        print(f"declare {result} @llvm.{name}({', '.join(arguments)})")
        print(f"define ptx_kernel void @{kernel}(ptr addrspace(1) %p, {', '.join(given)}) {{")
        print(f"  %r = call {result} @llvm.{name}({passed})")
        print(f"  store {result} %r, ptr addrspace(1) %p\n  ret void\n}}")


main()
