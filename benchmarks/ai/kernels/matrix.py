"""Products of matrices: tiles with an epilogue, and thin products whose weights stream by.

Weights lie as PyTorch's Linear keeps them, a row for each output column, unless LAYOUT says
otherwise. All sums are in single precision.
"""
import triton
import triton.language as tl

from common import gelu, silu


@triton.jit
def load_tile(pointers, inner, k, EVEN: tl.constexpr, COLUMNS: tl.constexpr):
    """A tile of an operand; what lies behind k counts as zero."""
    if EVEN:
        return tl.load(pointers)
    elif COLUMNS:
        return tl.load(pointers, mask=inner[None, :] < k, other=0.0)
    else:
        return tl.load(pointers, mask=inner[:, None] < k, other=0.0)


@triton.jit
def tile_of_grid(tile, m, n, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """Row and column of a tile, in groups of rows that share columns in L2."""
    rows = tl.cdiv(m, BM)
    in_group = GROUP * tl.cdiv(n, BN)
    first = tile // in_group * GROUP
    height = min(rows - first, GROUP)
    return first + tile % in_group % height, tile % in_group // height


@triton.jit
def gemm(
    a, b, bias, residual, out, m, n, k, alpha,
    LAYOUT: tl.constexpr, EPILOGUE: tl.constexpr, EVEN: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """out = epilogue(alpha A B). LAYOUT nt: A is m by k, B n by k; nn: B is k by n; tn: A is k by m, B k by n."""
    row, column = tile_of_grid(tl.program_id(0), m, n, BM, BN, GROUP)
    rows = row * BM + tl.arange(0, BM)
    columns = column * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    # Rows behind the end are those at the beginning, so that no load of them needs a mask.
    a_rows = tl.max_contiguous(tl.multiple_of(rows % m, BM), BM)
    b_columns = tl.max_contiguous(tl.multiple_of(columns % n, BN), BN)
    if LAYOUT == "tn":
        a_pointers = a + inner[None, :].to(tl.int64) * m + a_rows[:, None]
        a_step = BK * m.to(tl.int64)
    else:
        a_pointers = a + a_rows[:, None].to(tl.int64) * k + inner[None, :]
        a_step = BK
    if LAYOUT == "nt":
        b_pointers = b + b_columns[None, :].to(tl.int64) * k + inner[:, None]
        b_step = BK
    else:
        b_pointers = b + inner[:, None].to(tl.int64) * n + b_columns[None, :]
        b_step = BK * n.to(tl.int64)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    if EPILOGUE == "silu_mul":
        up_offset = n.to(tl.int64) * k
        up = tl.zeros((BM, BN), dtype=tl.float32)
    for at in tl.range(0, k, BK, num_stages=STAGES):
        a_tile = load_tile(a_pointers, at + inner, k, EVEN, True)
        b_tile = load_tile(b_pointers, at + inner, k, EVEN, False)
        total = tl.dot(a_tile, b_tile, total)
        if EPILOGUE == "silu_mul":
            up = tl.dot(a_tile, load_tile(b_pointers + up_offset, at + inner, k, EVEN, False), up)
        a_pointers += a_step
        b_pointers += b_step
    total *= alpha
    if EPILOGUE == "silu_mul":
        total = silu(total) * (up * alpha)
    if BM * BN >= 128 * 128 and EPILOGUE != "bias":
        # Half of the columns at a time, as what follows the product takes registers, too.
        first, second = tl.split(tl.permute(tl.reshape(total, (BM, 2, BN // 2)), (0, 2, 1)))
        columns = column * BN + tl.arange(0, BN // 2)
        finish(first, rows, columns, bias, residual, out, m, n, EPILOGUE)
        finish(second, rows, columns + BN // 2, bias, residual, out, m, n, EPILOGUE)
    else:
        finish(total, rows, columns, bias, residual, out, m, n, EPILOGUE)


@triton.jit
def finish(total, rows, columns, bias, residual, out, m, n, EPILOGUE: tl.constexpr):
    """Stores some columns of a product with what is added to them."""
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    places = rows[:, None].to(tl.int64) * n + columns[None, :]
    if EPILOGUE == "bias" or EPILOGUE == "bias_gelu" or EPILOGUE == "bias_residual":
        total += tl.load(bias + columns, mask=columns < n, other=0.0).to(tl.float32)[None, :]
    if EPILOGUE == "bias_gelu":
        total = gelu(total)
    if EPILOGUE == "residual" or EPILOGUE == "bias_residual":
        total += tl.load(residual + places, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + places, total.to(out.dtype.element_ty), mask=inside)


@triton.jit
def single(values):
    """Values in single precision. Those of eight bits (e4m3, no NaN) by their bits, as few conversions go through a
    chip: exponent and fraction at their new places, and the difference of the exponents' biases as a factor."""
    if values.dtype == tl.float8e4nv:
        bits = (values.to(tl.int8, bitcast=True).to(tl.int32) << 20) & -2014314496
        return bits.to(tl.int32).to(tl.float32, bitcast=True) * 1.329227995784916e36
    else:
        return values.to(tl.float32)


@triton.jit
def gemv(
    x, w, bias, residual, out, n, k, alpha,
    EPILOGUE: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """One row times the weights; each program has BN columns."""
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    kept = tl.minimum(columns, n - 1)
    inner = tl.arange(0, BK)
    total = tl.zeros((BN, BK), dtype=tl.float32)
    if EPILOGUE == "silu_mul":
        up = tl.zeros((BN, BK), dtype=tl.float32)
    for at in tl.range(0, k, BK, num_stages=STAGES):
        places = kept[:, None].to(tl.int64) * k + at + inner[None, :]
        inside = at + inner < k
        weights = tl.load(w + places, mask=inside[None, :], other=0.0, eviction_policy="evict_first")
        values = tl.load(x + at + inner, mask=inside, other=0.0).to(tl.float32)[None, :]
        total += single(weights) * values
        if EPILOGUE == "silu_mul":
            others = tl.load(w + n.to(tl.int64) * k + places, mask=inside[None, :], other=0.0)
            up += single(others) * values
    result = tl.sum(total, axis=1) * alpha
    inside = columns < n
    if EPILOGUE == "bias" or EPILOGUE == "bias_gelu" or EPILOGUE == "bias_residual":
        result += tl.load(bias + columns, mask=inside, other=0.0).to(tl.float32)
    if EPILOGUE == "bias_gelu":
        result = gelu(result)
    if EPILOGUE == "silu_mul":
        result = silu(result) * (tl.sum(up, axis=1) * alpha)
    if EPILOGUE == "residual" or EPILOGUE == "bias_residual":
        result += tl.load(residual + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + columns, result.to(out.dtype.element_ty), mask=inside)


@triton.jit
def halves(quads):
    """Four bits, less eight, as numbers of half precision: the lowest bits of 1024's fraction count ones."""
    return (quads.to(tl.int16) | 0x6400).to(tl.float16, bitcast=True) - 1032.0


@triton.jit
def gemv_i4(
    x, w, scales, bias, residual, out, n, k,
    EPILOGUE: tl.constexpr, GROUP: tl.constexpr, BN: tl.constexpr, GROUPS: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """One row times weights of four bits. A byte has two of a group: one of its first half, one of its second."""
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    kept = tl.minimum(columns, n - 1)
    HALF: tl.constexpr = GROUP // 2
    group = tl.arange(0, GROUPS)[None, :, None]
    byte = tl.arange(0, HALF)[None, None, :]
    row = kept[:, None, None].to(tl.int64)
    low = group * GROUP + byte
    other_half = n.to(tl.int64)
    total = tl.zeros((BN, GROUPS, HALF), dtype=tl.float32)
    if EPILOGUE == "silu_mul":
        up = tl.zeros((BN, GROUPS, HALF), dtype=tl.float32)
    for at in tl.range(0, k, GROUP * GROUPS, num_stages=STAGES):
        inside = at + group * GROUP < k
        first = tl.load(x + at + low, mask=inside, other=0.0).to(tl.float32)
        second = tl.load(x + at + low + HALF, mask=inside, other=0.0).to(tl.float32) * 0.0625
        places = row * (k // 2) + at // 2 + group * HALF + byte
        scaled = row * (k // GROUP) + at // GROUP + group
        pairs = tl.load(w + places, mask=inside, other=0, eviction_policy="evict_first")
        scale = tl.load(scales + scaled, mask=inside, other=0.0).to(tl.float32)
        total += sum_of_pairs(pairs, first, second) * scale
        if EPILOGUE == "silu_mul":
            pairs = tl.load(w + other_half * (k // 2) + places, mask=inside, other=0)
            scale = tl.load(scales + other_half * (k // GROUP) + scaled, mask=inside, other=0.0).to(tl.float32)
            up += sum_of_pairs(pairs, first, second) * scale
    result = tl.sum(tl.sum(total, axis=2), axis=1)
    inside = columns < n
    if EPILOGUE == "bias" or EPILOGUE == "bias_gelu" or EPILOGUE == "bias_residual":
        result += tl.load(bias + columns, mask=inside, other=0.0).to(tl.float32)
    if EPILOGUE == "bias_gelu":
        result = gelu(result)
    if EPILOGUE == "silu_mul":
        result = silu(result) * tl.sum(tl.sum(up, axis=2), axis=1)
    if EPILOGUE == "residual" or EPILOGUE == "bias_residual":
        result += tl.load(residual + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + columns, result.to(out.dtype.element_ty), mask=inside)


@triton.jit
def sum_of_pairs(pairs, first, second):
    """Both weights of a byte, times a number of each half; `second` is a sixteenth of it.

    Numbers come from bits without a conversion, of which few go through a chip: the lowest bits of 2^23's
    fraction count ones, and those of the upper weight sixteens.
    """
    bits = pairs.to(tl.int32)
    lower = ((bits & 15) | 0x4B000000).to(tl.float32, bitcast=True) - 8388616.0
    upper = ((bits & 240) | 0x4B000000).to(tl.float32, bitcast=True) - 8388736.0
    return lower * first + upper * second


@triton.jit
def thin_gemm(
    x, w, scales, bias, residual, out, m, n, k, alpha,
    EPILOGUE: tl.constexpr, GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    STAGES: tl.constexpr,
):  # fmt: skip
    """Up to BM rows times the weights, which each program reads once; GROUP: of weights of four bits, else 0."""
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    kept = tl.minimum(columns, n - 1).to(tl.int64)
    rows = (tl.program_id(1) * BM + tl.arange(0, BM)).to(tl.int64)
    present = rows[:, None] < m
    total = tl.zeros((BM, BN), dtype=tl.float32)
    if EPILOGUE == "silu_mul":
        up = tl.zeros((BM, BN), dtype=tl.float32)
    if GROUP:
        HALF: tl.constexpr = BK // 2
        inner = tl.arange(0, HALF)
        for at in tl.range(0, k, BK, num_stages=STAGES):
            low = tl.load(x + rows[:, None] * k + at + inner[None, :], mask=present, other=0.0)
            high = tl.load(x + rows[:, None] * k + at + HALF + inner[None, :], mask=present, other=0.0)
            places = kept[None, :] * (k // 2) + at // 2 + inner[:, None]
            scaled = kept * (k // GROUP) + at // GROUP
            pairs = tl.load(w + places)
            scale = tl.load(scales + scaled).to(tl.float32)[None, :]
            # The sum of a group is exact in what its weights are, and takes the scale as a whole.
            part = tl.dot(low, halves(pairs & 15).to(low.dtype))
            total += tl.dot(high, halves(pairs >> 4).to(low.dtype), part) * scale
            if EPILOGUE == "silu_mul":
                pairs = tl.load(w + n.to(tl.int64) * (k // 2) + places)
                scale = tl.load(scales + n.to(tl.int64) * (k // GROUP) + scaled).to(tl.float32)[None, :]
                part = tl.dot(low, halves(pairs & 15).to(low.dtype))
                up += tl.dot(high, halves(pairs >> 4).to(low.dtype), part) * scale
    else:
        inner = tl.arange(0, BK)
        for at in tl.range(0, k, BK, num_stages=STAGES):
            values = tl.load(x + rows[:, None] * k + at + inner[None, :], mask=present, other=0.0)
            places = kept[None, :] * k + at + inner[:, None]
            total = tl.dot(values, tl.load(w + places).to(values.dtype), total)
            if EPILOGUE == "silu_mul":
                others = tl.load(w + n.to(tl.int64) * k + places)
                up = tl.dot(values, others.to(values.dtype), up)
    total *= alpha
    inside = present & (columns[None, :] < n)
    places = rows[:, None] * n + columns[None, :]
    if EPILOGUE == "bias" or EPILOGUE == "bias_gelu" or EPILOGUE == "bias_residual":
        total += tl.load(bias + columns, mask=columns < n, other=0.0).to(tl.float32)[None, :]
    if EPILOGUE == "bias_gelu":
        total = gelu(total)
    if EPILOGUE == "silu_mul":
        total = silu(total) * (up * alpha)
    if EPILOGUE == "residual" or EPILOGUE == "bias_residual":
        total += tl.load(residual + places, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + places, total.to(out.dtype.element_ty), mask=inside)
