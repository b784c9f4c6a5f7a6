"""Normalisation of rows, after a sum with a residual where there is one, and of groups of channels."""
import triton
import triton.language as tl

from common import silu


@triton.jit
def norm(
    x, residual, weight, bias, out, total, columns, epsilon,
    CENTRE: tl.constexpr, RESIDUAL: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """out = the row over its deviation, less its mean with CENTRE; total = x + residual."""
    place = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + place + at, mask=inside, other=0.0).to(tl.float32)
    if RESIDUAL:
        values += tl.load(residual + place + at, mask=inside, other=0.0).to(tl.float32)
        tl.store(total + place + at, values.to(total.dtype.element_ty), mask=inside)
    if CENTRE:
        values = tl.where(inside, values - tl.sum(values, axis=0) / columns, 0.0)
    scale = tl.rsqrt(tl.sum(values * values, axis=0) / columns + epsilon)
    result = values * scale * tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    if CENTRE:
        result += tl.load(bias + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + place + at, result.to(out.dtype.element_ty), mask=inside)


@triton.jit
def softmax(x, out, columns, scale, BLOCK: tl.constexpr):
    """Rows of any length, in pieces of BLOCK."""
    place = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    most = tl.full((BLOCK,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in tl.range(0, columns, BLOCK):
        values = tl.load(x + place + first + at, mask=first + at < columns, other=float("-inf")).to(tl.float32) * scale
        larger = tl.maximum(most, values)
        shift = tl.where(larger == float("-inf"), 0.0, larger)
        total = total * tl.exp(most - shift) + tl.exp(values - shift)
        most = larger
    largest = tl.max(most, axis=0)
    inverse = 1.0 / tl.sum(total * tl.exp(most - largest), axis=0)
    for first in tl.range(0, columns, BLOCK):
        inside = first + at < columns
        values = tl.load(x + place + first + at, mask=inside, other=0.0).to(tl.float32) * scale
        tl.store(out + place + first + at, (tl.exp(values - largest) * inverse).to(out.dtype.element_ty), mask=inside)
