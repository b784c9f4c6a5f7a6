"""Attention forward: whole sequences by tiles with a running softmax, and one query over a paged cache."""
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def attend(
    total, norm, most, query, k, v, first, last, rows, columns, past, length, stride, scale,
    MASKED: tl.constexpr, CAUSAL: tl.constexpr, BN: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """Goes over the keys from first to last; keeps the sum of values, of weights and the largest score."""
    for at in tl.range(first, last, BN, num_stages=STAGES):
        keys = at + columns
        if MASKED:
            key = tl.load(k + keys[None, :] * stride, mask=keys[None, :] < length, other=0.0)
        else:
            key = tl.load(k + keys[None, :] * stride)
        scores = tl.dot(query, key) * scale
        if MASKED:
            seen = keys[None, :] < length
            if CAUSAL:
                seen = seen & (keys[None, :] <= rows[:, None] + past)
            scores = tl.where(seen, scores, -1.0e30)
        larger = tl.maximum(most, tl.max(scores, axis=1))
        weights = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(most - larger)
        norm = norm * shrink + tl.sum(weights, axis=1)
        if MASKED:
            value = tl.load(v + keys[:, None] * stride, mask=keys[:, None] < length, other=0.0)
        else:
            value = tl.load(v + keys[:, None] * stride)
        total = tl.dot(weights.to(value.dtype), value, total * shrink[:, None])
        most = larger
    return total, norm, most


@triton.jit
def prefill(
    q, k, v, out, logsum, heads, kv_heads, queries, keys, q_stride, kv_stride, scale,
    CAUSAL: tl.constexpr, LOGSUM: tl.constexpr, DIMENSION: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """A tile of queries of a head over all their keys. Strides are from one token to the next."""
    tiles = tl.cdiv(queries, BM)
    # The last rows see the most keys, and begin first.
    tile = tiles - 1 - tl.program_id(0) % tiles if CAUSAL else tl.program_id(0) % tiles
    head = tl.program_id(0) // tiles % heads
    batch = (tl.program_id(0) // tiles // heads).to(tl.int64)
    kv_head = head // (heads // kv_heads)
    rows = tile * BM + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    inner = tl.arange(0, DIMENSION)
    k += batch * keys * kv_stride + kv_head * DIMENSION + inner[:, None]
    v += batch * keys * kv_stride + kv_head * DIMENSION + inner[None, :]
    q_places = (batch * queries + rows)[:, None] * q_stride + head * DIMENSION + inner[None, :]
    query = tl.load(q + q_places, mask=rows[:, None] < queries, other=0.0)
    total = tl.zeros((BM, DIMENSION), tl.float32)
    norm = tl.zeros((BM,), tl.float32)
    most = tl.full((BM,), -1.0e30, tl.float32)
    past = keys - queries
    if CAUSAL:
        last = tl.minimum(tile * BM + BM + past, keys)
        whole = tl.minimum(tile * BM + past, keys) // BN * BN
    else:
        last = keys
        whole = keys // BN * BN
    by = scale * LOG2_E
    total, norm, most = attend(
        total, norm, most, query, k, v, 0, whole, rows, columns, past, keys, kv_stride, by, False, CAUSAL, BN, STAGES
    )
    total, norm, most = attend(
        total, norm, most, query, k, v, whole, last, rows, columns, past, keys, kv_stride, by, True, CAUSAL, BN, STAGES
    )
    total /= norm[:, None]
    places = ((batch * queries + rows)[:, None] * heads + head) * DIMENSION + inner[None, :]
    tl.store(out + places, total.to(out.dtype.element_ty), mask=rows[:, None] < queries)
    if LOGSUM:
        at = (batch * heads + head) * queries + rows
        tl.store(logsum + at, most + tl.log2(norm), mask=rows < queries)


@triton.jit
def halves_of_words(words):
    """Two numbers of eight bits (e4m3, no NaN), in the upper bytes of a word's halves, as numbers of half precision times
    2^-8: sign, exponent and fraction at their new places."""
    return (words & -2147450880) | ((words >> 1) & 0x3F803F80)


@triton.jit
def lower_half(words):
    return words.to(tl.int16).to(tl.float16, bitcast=True)


@triton.jit
def upper_half(words):
    return (words >> 16).to(tl.int16).to(tl.float16, bitcast=True)


@triton.jit
def values_of_words(words, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Words of four numbers of eight bits as rows of numbers of half precision times 2^-8. Loaded by words they are made
    larger before they are turned for a product; numbers of eight bits would be turned one by one."""
    even = halves_of_words((words & 0x00FF00FF) << 8)
    odd = halves_of_words(words & -16711936)
    firsts = tl.join(lower_half(even), upper_half(even))
    seconds = tl.join(lower_half(odd), upper_half(odd))
    return tl.reshape(tl.join(firsts, seconds), (ROWS, COLUMNS))


@triton.jit
def decode_part(
    q, k_cache, v_cache, table, lengths, sums, logsum, heads, kv_heads, q_stride, pages, parts, per_part, scale,
    PAGE: tl.constexpr, DIMENSION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """The query heads that share a head of keys, over a part of the cache: a sum and its weight's logarithm."""
    part, kv_head, batch = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    shared = heads // kv_heads
    row, inner, columns = tl.arange(0, BM), tl.arange(0, DIMENSION), tl.arange(0, BN)
    EIGHT_BITS: tl.constexpr = v_cache.dtype.element_ty == tl.float8e4nv
    head = kv_head * shared + row
    present = row < shared
    query = tl.load(
        q + batch * q_stride + head[:, None] * DIMENSION + inner[None, :], mask=present[:, None], other=0.0
    )
    length = tl.load(lengths + batch)
    first = part * per_part
    last = tl.minimum(first + per_part, length)
    total = tl.zeros((BM, DIMENSION), tl.float32)
    norm = tl.zeros((BM,), tl.float32)
    most = tl.full((BM,), -1.0e30, tl.float32)
    for at in tl.range(first, last, BN, num_stages=STAGES):
        keys = at + columns
        seen = keys < last
        page = tl.load(table + batch * pages + keys // PAGE, mask=seen, other=0).to(tl.int64)
        place = ((page * PAGE + keys % PAGE) * kv_heads + kv_head) * DIMENSION
        key = tl.load(k_cache + place[None, :] + inner[:, None], mask=seen[None, :], other=0.0)
        scores = tl.where(seen[None, :], tl.dot(query, key.to(query.dtype)) * (scale * LOG2_E), -1.0e30)
        larger = tl.maximum(most, tl.max(scores, axis=1))
        weights = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(most - larger)
        norm = norm * shrink + tl.sum(weights, axis=1)
        if EIGHT_BITS:
            quads = tl.arange(0, DIMENSION // 4)
            words = tl.load(v_cache.to(tl.pointer_type(tl.int32), bitcast=True) + (place // 4)[:, None] + quads[None, :],
                            mask=seen[:, None], other=0)  # fmt: skip
            value = values_of_words(words, BN, DIMENSION).to(query.dtype)
        else:
            value = tl.load(v_cache + place[:, None] + inner[None, :], mask=seen[:, None], other=0.0).to(query.dtype)
        total = tl.dot(weights.to(query.dtype), value, total * shrink[:, None])
        most = larger
    if EIGHT_BITS:
        total *= 256.0
    some = norm > 0
    total = total / tl.where(some, norm, 1.0)[:, None]
    at = (batch * heads + head) * parts + part
    tl.store(sums + at[:, None] * DIMENSION + inner[None, :], total, mask=present[:, None])
    tl.store(logsum + at, tl.where(some, most + tl.log2(tl.where(some, norm, 1.0)), -1.0e30), mask=present)


@triton.jit
def decode_sum(sums, logsum, out, parts, DIMENSION: tl.constexpr, BP: tl.constexpr):
    """Joins the parts of a head."""
    head = tl.program_id(0).to(tl.int64)
    part, inner = tl.arange(0, BP), tl.arange(0, DIMENSION)
    present = part < parts
    weight = tl.load(logsum + head * parts + part, mask=present, other=-1.0e30)
    weight = tl.where(present, tl.exp2(weight - tl.max(weight, axis=0)), 0.0)
    places = (head * parts + part)[:, None] * DIMENSION + inner[None, :]
    values = tl.load(sums + places, mask=present[:, None], other=0.0)
    result = tl.sum(values * weight[:, None], axis=0) / tl.sum(weight, axis=0)
    tl.store(out + head * DIMENSION + inner, result.to(out.dtype.element_ty))
