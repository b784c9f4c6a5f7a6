#!/usr/bin/env python3
"""Writes the launch manifest of an operator, for ptx-run and ptx-time.

usage: write.py [options] KIND [KEY=VALUE...]

A key is one of the operator's shape or types; `write.py --list` prints what there is.
"""
import argparse
import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parent.parent)

from operators import KINDS, MissingKernel, Operator, OperatorError, write_manifest  # noqa: E402
from operators import Buffer, UserKernelError, UserKernels, plan  # noqa: E402
from operators.library import triton_python  # noqa: E402


def operator_of(kind: str, words: list[str]) -> Operator:
    shape, types = {}, {}
    for word in words:
        key, _, value = word.partition("=")
        if value.isdigit():
            shape[key] = int(value)
        else:
            types[key] = value
    return Operator(kind, shape, types)


def print_kinds() -> None:
    for name, kind in KINDS.items():
        shape = [key if value is None else "%s=%d" % (key, value) for key, value in kind.shape.items()]
        types = ["%s=%s" % (key, "|".join(values)) for key, values in kind.types.items()]
        print(name, *shape, *types)


def print_buffers(op: Operator, target: str) -> None:
    buffers = {a.name: a for step in plan(op, target) for a in step.arguments.values() if isinstance(a, Buffer)}
    for buffer in buffers.values():
        print("%-12s %-8s %-8s %d" % (buffer.name, buffer.role, buffer.type, buffer.count))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", nargs="?", help="the kind of the operator")
    parser.add_argument("keys", nargs="*", metavar="KEY=VALUE", help="its shape and types")
    parser.add_argument("--list", action="store_true", help="print all kinds with their keys")
    parser.add_argument("--folder", default=".", help="where the manifest goes")
    parser.add_argument("--target", default="sm_90", help="the target of the PTX")
    parser.add_argument("--python", default=triton_python(), help="a Python with Triton")
    parser.add_argument("--most-ctas", type=int, help="cut the grids to so many CTAs")
    parser.add_argument("--kernels", metavar="FOLDER", help="kernels of yours in place of ours, by its kernels.toml")
    parser.add_argument("--buffers", action="store_true", help="print the operator's buffers, and write nothing")
    options = parser.parse_args()
    if options.list:
        return print_kinds()
    if options.kind is None:
        parser.error("no kind of operator given")
    try:
        op = operator_of(options.kind, options.keys)
        if options.buffers:
            return print_buffers(op, options.target)
        kernels = UserKernels(options.kernels) if options.kernels else None
        path = write_manifest(
            op, options.folder, options.target, options.python or None, options.most_ctas, kernels=kernels
        )
    except (OperatorError, MissingKernel, UserKernelError) as error:
        sys.exit("write.py: error: %s" % error)
    print("%s: %.3g operations, %.3g bytes" % (path, KINDS[op.kind].flops(op), KINDS[op.kind].bytes(op)))


if __name__ == "__main__":
    main()
