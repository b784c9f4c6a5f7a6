"""Softmax of rows: Triton's compiler makes the PTX, Heddle runs it.

Needs `pip install triton`; no GPU and no PyTorch. Triton wants to assemble the
PTX that it makes, for which it gets our compiler:

    TRITON_PTXAS_PATH=build/bin/ptx-compile python triton_softmax.py
"""
import math
import random

import heddle
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

ROWS, COLUMNS, BLOCK = 5, 100, 128


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    place = row * columns + column
    values = tl.load(x + place, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + place, powers / tl.sum(powers, axis=0), mask=inside)


def compile_kernel():
    signature = {"out": "*fp32", "x": "*fp32", "columns": "i32", "BLOCK": "constexpr"}
    source = ASTSource(fn=softmax, signature=signature, constexprs={(3,): BLOCK})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32))


def expected(x):
    result = []
    for row in range(ROWS):
        values = x[row * COLUMNS : (row + 1) * COLUMNS]
        powers = [math.exp(v - max(values)) for v in values]
        result += [p / sum(powers) for p in powers]
    return result


def main():
    kernel = compile_kernel()
    device = heddle.Device()
    launch = device.load(kernel.asm["ptx"]).kernel(kernel.metadata.name)
    random.seed(1)
    x = device.array("f", [random.uniform(-5, 5) for _ in range(ROWS * COLUMNS)])
    out = device.array("f", [0] * (ROWS * COLUMNS))
    arguments = [out, x, COLUMNS]
    # Triton adds pointers to memory of its own, which this kernel does not use.
    arguments += [0] * (len(launch._params) - len(arguments))
    launch(
        grid=ROWS, block=32 * kernel.metadata.num_warps, shared=kernel.metadata.shared
    )(*arguments)
    worst = max(abs(a - b) for a, b in zip(out.read(), expected(x.read())))
    print("largest error: %.3g" % worst)
    print("PASS" if worst < 1e-6 else "FAIL")
    return not worst < 1e-6


if __name__ == "__main__":
    raise SystemExit(main())
