"""Triton kernels of the test, and how their PTX is made: needs triton (3.9.0 was
used) and ptxas, no GPU. Usage: triton_kernels.py FOLDER"""

import os
import re
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        at = start + inner
        x = tl.load(a + rows[:, None] * k + at[None, :], mask=(rows[:, None] < m) & (at[None, :] < k), other=0.0)
        y = tl.load(b + at[:, None] * n + columns[None, :], mask=(at[:, None] < k) & (columns[None, :] < n), other=0.0)
        total = tl.dot(x, y, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def softmax(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * columns + at, v / tl.sum(v, axis=0), mask=at < columns)


@triton.jit
def attention(q, k, v, o, length, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """o = softmax(q k^T scale) v, over blocks of keys, a running maximum and sum."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    x = tl.load(q + rows[:, None] * D + d[None, :], mask=rows[:, None] < length, other=0.0)
    largest = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    result = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, length, BN):
        at = start + tl.arange(0, BN)
        y = tl.load(k + at[None, :] * D + d[:, None], mask=at[None, :] < length, other=0.0)
        s = tl.dot(x, y) * scale
        s = tl.where(at[None, :] < length, s, -float("inf"))
        new = tl.maximum(largest, tl.max(s, axis=1))
        p = tl.exp(s - new[:, None])
        factor = tl.exp(largest - new)
        total = total * factor + tl.sum(p, axis=1)
        z = tl.load(v + at[:, None] * D + d[None, :], mask=at[:, None] < length, other=0.0)
        result = result * factor[:, None]
        result = tl.dot(p.to(tl.float16), z, result)
        largest = new
    tl.store(o + rows[:, None] * D + d[None, :], result / total[:, None], mask=rows[:, None] < length)


HALF, FLOAT = "*fp16", "*fp32"
KERNELS = [
    (matmul, {"a": HALF, "b": HALF, "c": FLOAT, "m": "i32", "n": "i32", "k": "i32"}, {"BM": 64, "BN": 64, "BK": 32}),
    (softmax, {"x": FLOAT, "y": FLOAT, "columns": "i32"}, {"BLOCK": 256}),
    (attention, {"q": HALF, "k": HALF, "v": HALF, "o": FLOAT, "length": "i32", "scale": "fp32"}, {"BM": 64, "BN": 32, "D": 32}),
]


def main():
    for kernel, types, constants in KERNELS:
        # Pointers are aligned to 16 bytes, and so are extents, to whole vectors.
        names = list(types)
        attrs = {(i,): [["tt.divisibility", 16]] for i, n in enumerate(names) if types[n][0] == "*" or n in ("n", "k", "columns")}
        signature = {**types, **{c: "constexpr" for c in constants}}
        for sm in (80, 90):
            source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attrs)
            done = triton.compile(source, target=GPUTarget("cuda", sm, 32), options={"num_warps": 4, "num_stages": 3})
            name = "triton_%s.sm_%d.ptx" % (kernel.__name__, sm)
            # Without places in this file.
            text = done.asm["ptx"].split("\t.section\t.debug")[0]
            text = re.sub(r"^\s*\.(loc|file)\b.*\n", "", text, flags=re.M)
            with open(os.path.join(sys.argv[1], name), "w") as f:
                f.write("// triton_kernels.py, triton %s; %d bytes of shared memory\n" % (triton.__version__, done.metadata.shared))
                f.write(text)
            print(name, done.metadata.shared)


main()
