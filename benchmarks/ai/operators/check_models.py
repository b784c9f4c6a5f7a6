#!/usr/bin/env python3
"""Runs small models of each family on the device and compares them with PyTorch in double precision.

usage: check_models.py [--driver LIBRARY] [MODEL...]

A row for each result: the length of its error, in units of that of what is expected, and the
error that is allowed. With --operators FILE, writes the operators of all models there, as
kernels/regenerate.py takes them. Exits with 1 if an error is larger than allowed.
"""
import argparse
import json
import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parent.parent)

import numpy as np  # noqa: E402

from operators.chain import Chain  # noqa: E402
from operators.device import Device  # noqa: E402
from operators.library import triton_python  # noqa: E402
from operators.small import MODELS  # noqa: E402

# Rounding to half precision, and to bfloat16, from operator to operator.
ALLOWED = {"gpt2": 3e-2}
USUAL = 4e-3


def error_of(found: np.ndarray, expected: np.ndarray) -> float:
    found, expected = found.reshape(-1).astype(float), expected.reshape(-1).astype(float)
    error = np.linalg.norm(found - expected) / np.linalg.norm(expected)
    return float(error) if np.isfinite(error) else float("inf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", help="only these models: " + ", ".join(MODELS))
    parser.add_argument("--driver", default="libcuda.so.1", help="the driver to load")
    parser.add_argument("--target", default="sm_90", help="the target of the PTX")
    parser.add_argument("--python", default=triton_python(), help="a Python with Triton")
    parser.add_argument("--operators", metavar="FILE", help="write what operators the models take")
    options = parser.parse_args()
    unknown = set(options.models) - set(MODELS)
    if unknown:
        parser.error("no model is called %s" % ", ".join(sorted(unknown)))
    device = Device(options.driver)
    failed, operators = 0, []
    print("%-10s %-28s %9s %9s" % ("model", "result", "error", "allowed"))
    for name in options.models or MODELS:
        chain = Chain(device, options.target, options.python or None)
        for what, (found, expected) in MODELS[name](chain).items():
            error, allowed = error_of(found, expected), ALLOWED.get(name, USUAL)
            failed += not error <= allowed
            verdict = "" if error <= allowed else "  TOO LARGE"
            print("%-10s %-28s %9.2e %9.2e%s" % (name, what, error, allowed, verdict), flush=True)
        operators += chain.operators
    if options.operators:
        rows = [json.dumps([op.kind, dict(op.shape), dict(op.types)]) for op in operators]
        pathlib.Path(options.operators).write_text("[\n " + ",\n ".join(rows) + "\n]\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
