#!/usr/bin/env python3
"""Runs operators on the emulator and compares what they compute with NumPy in double precision.

usage: check.py [--small] [KIND...]

Prints a row for each operator: the error of each output, in units of its size, the error that
is allowed, and how much of the output is compared. With --small, shapes that take seconds; else
the shapes of models, of large ones some tiles of the grid. Exits with 1 if an error is larger
than allowed.
"""
import argparse
import dataclasses
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

import numpy as np  # noqa: E402

from operators import Buffer, Launch, MissingKernel, Operator, OperatorError  # noqa: E402
from operators import UserKernels, launches  # noqa: E402
from operators.cases import Case, cases  # noqa: E402
from operators.device import Device  # noqa: E402
from operators.library import triton_python  # noqa: E402
from operators.manifest import cut, element_count  # noqa: E402
from operators.elements import decode, element_type, encode  # noqa: E402
from operators.kinds import size  # noqa: E402
from operators.reference import REFERENCES  # noqa: E402

# Errors in units of the expected number and the root of the mean square of all: what rounding an
# output to its type, and inputs of matrix units to theirs, comes to.
ALLOWED = {"f16": 2e-3, "bf16": 1.2e-2, "f32": 2e-5, "i32": 0.0}
TF32_ALLOWED = 2e-3
ROW = "%-84s %-8s %9.2e %9.2e %5.1f %%%s"


def buffers_of(made: list[Launch]) -> dict[str, Buffer]:
    found: dict[str, Buffer] = {}
    for launch in made:
        for argument in launch.arguments:
            if isinstance(argument, Buffer):
                found.setdefault(argument.name, argument)
    return found


def input_of(buffer: Buffer) -> np.ndarray:
    """The elements of an input: those that a manifest would have, but numbers of eight bits of both signs."""
    kind = element_type(buffer.type)
    if isinstance(buffer.init, tuple):
        return np.array(buffer.init, kind)
    if buffer.init == "zero" or buffer.init is None:
        return np.zeros(element_count(buffer), kind)
    spec = buffer.init["random"]
    draw = np.random.default_rng(spec["seed"])
    if buffer.type == "i32":
        return draw.integers(spec["low"], spec["high"] + 1, buffer.count, dtype=np.int32)
    if buffer.type == "i4":
        return draw.integers(0, 256, element_count(buffer), dtype=np.uint8)
    return encode(draw.uniform(spec["low"], spec["high"], buffer.count), buffer.type)


def errors_of(op: Operator, found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Differences in units of the expected number and the size of its like: of attention those of its row."""
    expected = expected.astype(np.float64)
    row = op.shape.get("head_dim", 0)
    alike = expected.reshape(-1, row) if row and len(expected) % row == 0 else expected[None]
    unit = np.sqrt(np.mean(np.square(alike), axis=1, keepdims=True))
    return np.abs(found - expected) / (np.abs(expected) + np.broadcast_to(unit, alike.shape).reshape(-1) + 1e-30)


def allowed_for(op: Operator, kind: str) -> float:
    loose = {"tf32", "f16", "f8e4m3"} & set(op.types.values())
    if kind == "f32" and (loose or op.kind in ("gemm", "conv2d") or "bf16" in op.types.values()):
        return TF32_ALLOWED
    return ALLOWED[kind]


def unwritten(buffer: Buffer) -> np.ndarray:
    """Bits that are no number in any type of real numbers."""
    kind = np.dtype(element_type(buffer.type))
    return np.full(buffer.count * kind.itemsize // 2, 0x7FFB, np.uint16).view(kind)


def run(device: Device, made: list[Launch]) -> tuple[dict, dict]:
    """The inputs and the outputs of launches, by the names of their buffers."""
    inputs, addresses, outputs = {}, {}, {}
    buffers = buffers_of(made)
    for name, buffer in buffers.items():
        addresses[name] = device.allocate(int(size(buffer.count, buffer.type)))
        if buffer.role in ("input", "both"):
            data = input_of(buffer)
            device.upload(addresses[name], data)
            inputs[name] = decode(data, buffer.type)
        elif buffer.role == "output":
            device.upload(addresses[name], unwritten(buffer))
    for launch in made:
        device.run(launch, addresses)
    device.wait()
    for name, buffer in buffers.items():
        if buffer.role in ("output", "both"):
            data = device.download(addresses[name], buffer.count, element_type(buffer.type))
            outputs[name] = decode(data, buffer.type)
        device.free(addresses[name])
    return inputs, outputs


def compared(found: np.ndarray, expected: np.ndarray, case: Case) -> np.ndarray:
    """Which elements count: all, or what a part of the grid has written."""
    if case.ctas is None or not np.issubdtype(found.dtype, np.floating):
        return np.ones(len(expected), bool)
    return ~np.isnan(found)


def check(device: Device, case: Case, target: str, python: str | None, kernels: UserKernels | None) -> bool:
    """Prints the errors of an operator, and says whether all are allowed."""
    op = case.op
    made = launches(op, target, python, kernels)
    made = [dataclasses.replace(launch, grid=tuple(cut(launch.grid, case.ctas))) for launch in made]
    inputs, outputs = run(device, made)
    buffers, good = buffers_of(made), True
    for name, values in REFERENCES[op.kind](op, inputs).items():
        counts = compared(outputs[name], values, case)
        errors = errors_of(op, outputs[name], values)[counts]
        error = float(errors.max()) if len(errors) and np.isfinite(errors).all() else float("inf")
        allowed = allowed_for(op, buffers[name].type)
        good &= error <= allowed
        verdict = "" if error <= allowed else "  TOO LARGE"
        print(ROW % (op.name, name, error, allowed, 100 * counts.mean(), verdict), flush=True)
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", help="only operators of these kinds")
    parser.add_argument("--small", action="store_true", help="shapes that take seconds")
    parser.add_argument("--driver", default="libcuda.so.1", help="the driver to load")
    parser.add_argument("--target", default="sm_90", help="the target of the PTX")
    parser.add_argument("--python", default=triton_python(), help="a Python with Triton")
    parser.add_argument("--kernels", metavar="FOLDER", help="kernels of yours in place of ours, by its kernels.toml")
    options = parser.parse_args()
    kernels = UserKernels(options.kernels) if options.kernels else None
    chosen = [case for case in cases(options.small) if not options.kinds or case.op.kind in options.kinds]
    if not chosen:
        parser.error("no operator of these kinds")
    device = Device(options.driver)
    print("%-84s %-8s %9s %9s %s" % ("operator", "output", "error", "allowed", "compared"))
    failed = skipped = 0
    for case in chosen:
        try:
            failed += not check(device, case, options.target, options.python or None, kernels)
        except (MissingKernel, OperatorError) as error:
            skipped += 1
            print("%-84s not run: %s" % (case.op.name, error))
    sys.exit(1 if failed or skipped == len(chosen) else 0)


if __name__ == "__main__":
    main()
