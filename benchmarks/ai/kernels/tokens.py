"""From tokens to rows, and from rows of logits to tokens."""
import triton
import triton.language as tl


@triton.jit
def embedding(tokens, table, positions, out, columns, length, POSITIONS: tl.constexpr, BLOCK: tl.constexpr):
    """The row of a token; with POSITIONS, plus that of its place in a sequence of some length."""
    row = tl.program_id(1).to(tl.int64)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < columns
    token = tl.load(tokens + row).to(tl.int64)
    values = tl.load(table + token * columns + at, mask=inside, other=0.0)
    if POSITIONS:
        place = (row % length) * columns
        values = (values.to(tl.float32) + tl.load(positions + place + at, mask=inside, other=0.0).to(tl.float32)).to(
            out.dtype.element_ty
        )
    tl.store(out + row * columns + at, values, mask=inside)


@triton.jit
def largest_of_part(logits, largest, places, vocabulary, parts, BLOCK: tl.constexpr, PER_PART: tl.constexpr):
    """The largest logit of a part of a row, and where it is; the first of equal ones."""
    part, row = tl.program_id(0), tl.program_id(1).to(tl.int64)
    at = tl.arange(0, BLOCK)
    most = tl.full((BLOCK,), float("-inf"), tl.float32)
    where = tl.zeros((BLOCK,), tl.int32)
    for first in tl.range(part * PER_PART, part * PER_PART + PER_PART, BLOCK):
        here = first + at
        values = tl.load(logits + row * vocabulary + here, mask=here < vocabulary, other=float("-inf")).to(tl.float32)
        larger = values > most
        most = tl.where(larger, values, most)
        where = tl.where(larger, here, where)
    best = tl.max(most, axis=0)
    tl.store(largest + row * parts + part, best)
    tl.store(places + row * parts + part, tl.min(tl.where(most == best, where, 2147483647), axis=0))


@triton.jit
def largest_of_row(largest, places, out, parts, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < parts
    values = tl.load(largest + row * parts + at, mask=inside, other=float("-inf"))
    where = tl.load(places + row * parts + at, mask=inside, other=2147483647)
    best = tl.max(values, axis=0)
    tl.store(out + row, tl.min(tl.where(values == best, where, 2147483647), axis=0))
