"""A mixture of experts: which tokens go where, and products of each expert's rows."""
import triton
import triton.language as tl

from common import silu


@triton.jit
def moe_gate(logits, ids, weights, tokens, experts, TOP: tl.constexpr, BT: tl.constexpr, BE: tl.constexpr):
    """The TOP experts of each token; their weights are the softmax of their logits."""
    token = tl.program_id(0) * BT + tl.arange(0, BT)
    expert = tl.arange(0, BE)
    inside = (token[:, None] < tokens) & (expert[None, :] < experts)
    scores = tl.load(logits + token[:, None] * experts + expert[None, :], mask=inside, other=float("-inf"))
    scores = scores.to(tl.float32)
    most = tl.max(scores, axis=1)
    # What lies behind the tokens has no largest score to be less than.
    most = tl.where(token < tokens, most, 0.0)
    total = tl.zeros((BT,), tl.float32)
    for rank in tl.static_range(TOP):
        best = tl.max(scores, axis=1)
        where = tl.min(tl.where(scores == best[:, None], expert[None, :], BE - 1), axis=1)
        raised = tl.exp(best - most)
        total += raised
        tl.store(ids + token * TOP + rank, where, mask=token < tokens)
        tl.store(weights + token * TOP + rank, raised, mask=token < tokens)
        scores = tl.where(expert[None, :] == where[:, None], float("-inf"), scores)
    tl.debug_barrier()
    for rank in tl.static_range(TOP):
        raised = tl.load(weights + token * TOP + rank, mask=token < tokens, other=0.0)
        tl.store(weights + token * TOP + rank, raised / total, mask=token < tokens)


@triton.jit
def moe_sort(ids, lists, counts, pairs, capacity, BLOCK: tl.constexpr):
    """The pairs of token and rank that an expert has, in their order; a program for each expert."""
    expert = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    count = 0
    for first in tl.range(0, pairs, BLOCK):
        pair = first + at
        mine = (tl.load(ids + pair, mask=pair < pairs, other=-1) == expert).to(tl.int32)
        place = count + tl.cumsum(mine, axis=0) - 1
        tl.store(lists + expert * capacity + place, pair, mask=mine != 0)
        count += tl.sum(mine, axis=0)
    tl.store(counts + expert, count)


@triton.jit
def moe_gemm(
    x, w, lists, counts, weights, out, n, k, capacity, row_tiles,
    EPILOGUE: tl.constexpr, TOP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    STAGES: tl.constexpr,
):  # fmt: skip
    """A tile of an expert's rows. With silu_mul rows are tokens, and gates lie behind each other; else pairs."""
    column_tiles = tl.cdiv(n, BN)
    expert = tl.program_id(0) // (row_tiles * column_tiles)
    row_tile = tl.program_id(0) % row_tiles
    column_tile = tl.program_id(0) // row_tiles % column_tiles
    count = tl.load(counts + expert)
    if row_tile * BM < count:
        place = row_tile * BM + tl.arange(0, BM)
        present = place < count
        pair = tl.load(lists + expert * capacity + place, mask=present, other=0)
        columns = column_tile * BN + tl.arange(0, BN)
        b_columns = tl.max_contiguous(tl.multiple_of(columns % n, BN), BN)
        inner = tl.arange(0, BK)
        row = (pair // TOP if EPILOGUE == "silu_mul" else pair).to(tl.int64)
        per_expert = n.to(tl.int64) * k * (2 if EPILOGUE == "silu_mul" else 1)
        a_pointers = x + row[:, None] * k + inner[None, :]
        b_pointers = w + expert * per_expert + b_columns[None, :].to(tl.int64) * k + inner[:, None]
        up_offset = n.to(tl.int64) * k
        total = tl.zeros((BM, BN), tl.float32)
        if EPILOGUE == "silu_mul":
            up = tl.zeros((BM, BN), tl.float32)
        for _ in tl.range(0, k, BK, num_stages=STAGES):
            a_tile = tl.load(a_pointers, mask=present[:, None], other=0.0)
            total = tl.dot(a_tile, tl.load(b_pointers).to(a_tile.dtype), total)
            if EPILOGUE == "silu_mul":
                up = tl.dot(a_tile, tl.load(b_pointers + up_offset).to(a_tile.dtype), up)
            a_pointers += BK
            b_pointers += BK
        if EPILOGUE == "silu_mul":
            total = silu(total) * up
        else:
            total *= tl.load(weights + pair, mask=present, other=0.0)[:, None]
        places = pair[:, None].to(tl.int64) * n + columns[None, :]
        tl.store(out + places, total.to(out.dtype.element_ty), mask=present[:, None] & (columns[None, :] < n))


@triton.jit
def moe_sum(parts, out, columns, TOP: tl.constexpr, BLOCK: tl.constexpr):
    """The sum of what a token's experts say."""
    token = tl.program_id(1).to(tl.int64)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < columns
    total = tl.zeros((BLOCK,), tl.float32)
    for rank in tl.static_range(TOP):
        total += tl.load(parts + (token * TOP + rank) * columns + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + token * columns + at, total.to(out.dtype.element_ty), mask=inside)
