#!/usr/bin/env python3
"""Makes the PTX of ptx/ again: every specialisation that the operators of workloads take.

usage: regenerate.py PYTHON [OPERATORS.json...]

PYTHON has Triton. Each file lists more operators as [kind, shape, types]; workloads.json beside
this program has those of the workloads. Files of ptx/ that no operator takes are removed.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

from operators import Operator, plan  # noqa: E402
from operators.library import compile_all  # noqa: E402

TARGET = "sm_90"


def operators(paths: list[str]) -> list[Operator]:
    files = [HERE / "workloads.json", *map(pathlib.Path, paths)]
    return [Operator(*entry) for path in files for entry in json.loads(path.read_text())]


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__.split("\n\n")[1])
    folder = HERE / "ptx" / TARGET
    kernels = {step.kernel.name: step.kernel for op in operators(sys.argv[2:]) for step in plan(op, TARGET)}
    compile_all(list(kernels.values()), TARGET, folder, sys.argv[1])
    for path in folder.iterdir():
        if path.stem not in kernels:
            path.unlink()
    total = sum(path.stat().st_size for path in folder.iterdir())
    print("%d kernels, %.2f MB" % (len(kernels), total / 1e6))


if __name__ == "__main__":
    main()
