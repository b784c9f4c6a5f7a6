"""What training does beside the forward operators: gradients and the optimizer."""
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def layernorm_backward(
    x, gradient, weight, dx, dweight, dbias, rows, columns, per_part, epsilon, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    """A part's rows, ROWS at a time: their gradients, and their part of those of weights and biases."""
    part = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    exists = at < columns
    scale = tl.load(weight + at, mask=exists, other=0.0).to(tl.float32)[None, :]
    weights = tl.zeros((ROWS, BLOCK), tl.float32)
    biases = tl.zeros((ROWS, BLOCK), tl.float32)
    for first in tl.range(part * per_part, tl.minimum(part * per_part + per_part, rows), ROWS):
        row = first + tl.arange(0, ROWS)[:, None]
        inside = (row < rows) & exists[None, :]
        place = row.to(tl.int64) * columns + at[None, :]
        values = tl.load(x + place, mask=inside, other=0.0).to(tl.float32)
        given = tl.load(gradient + place, mask=inside, other=0.0).to(tl.float32)
        values = tl.where(inside, values - tl.sum(values, axis=1)[:, None] / columns, 0.0)
        inverse = tl.rsqrt(tl.sum(values * values, axis=1)[:, None] / columns + epsilon)
        normal = values * inverse
        scaled = given * scale
        mean = tl.sum(scaled, axis=1)[:, None] / columns
        along = tl.sum(scaled * normal, axis=1)[:, None] / columns
        result = (scaled - mean - normal * along) * inverse
        tl.store(dx + place, result.to(dx.dtype.element_ty), mask=inside)
        weights += given * normal
        biases += given
    tl.store(dweight + part * columns + at, tl.sum(weights, axis=0), mask=exists)
    tl.store(dbias + part * columns + at, tl.sum(biases, axis=0), mask=exists)


@triton.jit
def weight_gradient(
    a, b, sums, m, n, per_part, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr
):
    """Of A's transpose and B, a part of whose rows each second index of the grid has: A is rows by m, B rows by n.
    The sums have a product for each part."""
    tiles = tl.cdiv(n, BN)
    rows = tl.program_id(0) // tiles * BM + tl.arange(0, BM)
    columns = tl.program_id(0) % tiles * BN + tl.arange(0, BN)
    part, inner = tl.program_id(1).to(tl.int64), tl.arange(0, BK)
    first = part * per_part + inner
    # Rows behind the end are those at the beginning, so that no load of them needs a mask.
    a_rows = tl.max_contiguous(tl.multiple_of(rows % m, BM), BM)
    b_columns = tl.max_contiguous(tl.multiple_of(columns % n, BN), BN)
    a_pointers = a + first[None, :] * m + a_rows[:, None]
    b_pointers = b + first[:, None] * n + b_columns[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in tl.range(0, per_part, BK, num_stages=STAGES):
        total = tl.dot(tl.load(a_pointers), tl.load(b_pointers), total)
        a_pointers += BK * m.to(tl.int64)
        b_pointers += BK * n.to(tl.int64)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    places = (part * m + rows[:, None]) * n + columns[None, :]
    tl.store(sums + places, total, mask=inside)


@triton.jit
def sum_of_rows(x, out, rows, columns, per_part, ROWS: tl.constexpr, BC: tl.constexpr):
    """Sums of columns over a part of the rows; out has a row for each part."""
    part, column = tl.program_id(1), tl.program_id(0) * BC + tl.arange(0, BC)
    row = tl.arange(0, ROWS)
    total = tl.zeros((ROWS, BC), tl.float32)
    last = tl.minimum(part * per_part + per_part, rows)
    for first in tl.range(part * per_part, last, ROWS):
        inside = (first + row[:, None] < last) & (column[None, :] < columns)
        source = (first + row[:, None]).to(tl.int64) * columns + column[None, :]
        total += tl.load(x + source, mask=inside, other=0.0).to(tl.float32)
    result = tl.sum(total, axis=0).to(out.dtype.element_ty)
    tl.store(out + part * columns + column, result, mask=column < columns)


@triton.jit
def cross_entropy(logits, targets, losses, gradient, vocabulary, row_length, scale, BLOCK: tl.constexpr):
    """The loss of a row and the gradient of the mean loss; what lies behind the vocabulary gets 0."""
    row = tl.program_id(0).to(tl.int64)
    logits += row * row_length
    gradient += row * row_length
    at = tl.arange(0, BLOCK)
    most = tl.full((BLOCK,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in tl.range(0, vocabulary, BLOCK):
        values = tl.load(logits + first + at, mask=first + at < vocabulary, other=float("-inf")).to(tl.float32)
        larger = tl.maximum(most, values)
        shift = tl.where(larger == float("-inf"), 0.0, larger)
        total = total * tl.exp(most - shift) + tl.exp(values - shift)
        most = larger
    largest = tl.max(most, axis=0)
    whole = tl.sum(total * tl.exp(most - largest), axis=0)
    target = tl.load(targets + row)
    tl.store(losses + row, tl.log(whole) + largest - tl.load(logits + target).to(tl.float32))
    inverse = scale / whole
    for first in tl.range(0, row_length, BLOCK):
        here = first + at
        values = tl.load(logits + here, mask=here < vocabulary, other=float("-inf")).to(tl.float32)
        result = tl.exp(values - largest) * inverse - tl.where(here == target, scale, 0.0)
        tl.store(gradient + here, result.to(gradient.dtype.element_ty), mask=here < row_length)


@triton.jit
def adamw(
    parameter, master, gradient, first_moment, second_moment, elements, rate, beta1, beta2, correction1, correction2,
    epsilon, decay, MASTER: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """A step of AdamW. With MASTER the parameters are rounded copies of others."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < elements
    kept = master if MASTER else parameter
    slope = tl.load(gradient + at, mask=inside, other=0.0).to(tl.float32)
    first = tl.load(first_moment + at, mask=inside, other=0.0)
    second = tl.load(second_moment + at, mask=inside, other=0.0)
    value = tl.load(kept + at, mask=inside, other=0.0).to(tl.float32)
    first = beta1 * first + (1.0 - beta1) * slope
    second = beta2 * second + (1.0 - beta2) * slope * slope
    tl.store(first_moment + at, first, mask=inside)
    tl.store(second_moment + at, second, mask=inside)
    step = (first / correction1) / (tl.sqrt_rn(second / correction2) + epsilon)
    value -= rate * (step + decay * value)
    tl.store(parameter + at, value.to(parameter.dtype.element_ty), mask=inside)
    if MASTER:
        tl.store(master + at, value, mask=inside)


@triton.jit
def embedding_backward(tokens, gradient, dtable, columns, BLOCK: tl.constexpr):
    """Adds each token's row to that of the table."""
    row = tl.program_id(1).to(tl.int64)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < columns
    token = tl.load(tokens + row).to(tl.int64)
    values = tl.load(gradient + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    tl.atomic_add(dtable + token * columns + at, values, mask=inside, sem="relaxed")


@triton.jit
def row_products(out, gradient, delta, heads, queries, DIMENSION: tl.constexpr, BM: tl.constexpr):
    """The product of each row of the attention's output with its gradient."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    head, batch = tl.program_id(1), tl.program_id(2)
    inner = tl.arange(0, DIMENSION)
    inside = row[:, None] < queries
    places = ((batch * queries + row)[:, None].to(tl.int64) * heads + head) * DIMENSION + inner[None, :]
    values = tl.load(out + places, mask=inside, other=0.0).to(tl.float32)
    given = tl.load(gradient + places, mask=inside, other=0.0).to(tl.float32)
    tl.store(delta + (batch * heads + head) * queries + row, tl.sum(values * given, axis=1), mask=row < queries)


@triton.jit
def attention_dkv(
    q, k, v, gradient, logsum, delta, dk, dv, heads, length, stride, scale,
    CAUSAL: tl.constexpr, DIMENSION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Gradients of a tile of keys and values, over all queries that see them."""
    key = tl.program_id(0) * BN + tl.arange(0, BN)
    head, batch = tl.program_id(1), tl.program_id(2).to(tl.int64)
    inner, row = tl.arange(0, DIMENSION), tl.arange(0, BM)
    base = batch * length * stride + head * DIMENSION
    places = base + key[:, None] * stride + inner[None, :]
    present = key[:, None] < length
    keys = tl.load(k + places, mask=present, other=0.0)
    values = tl.load(v + places, mask=present, other=0.0)
    key_sum = tl.zeros((BN, DIMENSION), tl.float32)
    value_sum = tl.zeros((BN, DIMENSION), tl.float32)
    begin = tl.program_id(0) * BN // BM * BM if CAUSAL else 0
    for first in tl.range(begin, length, BM, num_stages=2):
        rows = first + row
        known = rows < length
        query = tl.load(q + base + rows[:, None] * stride + inner[None, :], mask=known[:, None], other=0.0)
        at = ((batch * length + rows)[:, None] * heads + head) * DIMENSION + inner[None, :]
        given = tl.load(gradient + at, mask=known[:, None], other=0.0)
        total = tl.load(logsum + (batch * heads + head) * length + rows, mask=known, other=0.0)
        less = tl.load(delta + (batch * heads + head) * length + rows, mask=known, other=0.0)
        weights = tl.exp2(tl.dot(keys, tl.trans(query)) * (scale * LOG2_E) - total[None, :])
        seen = known[None, :] & present
        if CAUSAL:
            seen = seen & (key[:, None] <= rows[None, :])
        weights = tl.where(seen, weights, 0.0)
        value_sum = tl.dot(weights.to(query.dtype), given, value_sum)
        change = weights * (tl.dot(values, tl.trans(given)) - less[None, :])
        key_sum = tl.dot(change.to(query.dtype), query, key_sum)
    tl.store(dk + places, (key_sum * scale).to(dk.dtype.element_ty), mask=present)
    tl.store(dv + places, value_sum.to(dv.dtype.element_ty), mask=present)


@triton.jit
def attention_dq(
    q, k, v, gradient, logsum, delta, dq, heads, length, stride, scale,
    CAUSAL: tl.constexpr, DIMENSION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Gradients of a tile of queries, over all keys that they see."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    head, batch = tl.program_id(1), tl.program_id(2).to(tl.int64)
    inner, column = tl.arange(0, DIMENSION), tl.arange(0, BN)
    base = batch * length * stride + head * DIMENSION
    places = base + row[:, None] * stride + inner[None, :]
    present = row[:, None] < length
    query = tl.load(q + places, mask=present, other=0.0)
    at = ((batch * length + row)[:, None] * heads + head) * DIMENSION + inner[None, :]
    given = tl.load(gradient + at, mask=present, other=0.0)
    total = tl.load(logsum + (batch * heads + head) * length + row, mask=row < length, other=0.0)
    less = tl.load(delta + (batch * heads + head) * length + row, mask=row < length, other=0.0)
    result = tl.zeros((BM, DIMENSION), tl.float32)
    last = tl.minimum(tl.program_id(0) * BM + BM, length) if CAUSAL else length
    for first in tl.range(0, last, BN, num_stages=2):
        key = first + column
        source = base + key[:, None] * stride + inner[None, :]
        keys = tl.load(k + source, mask=key[:, None] < length, other=0.0)
        values = tl.load(v + source, mask=key[:, None] < length, other=0.0)
        weights = tl.exp2(tl.dot(query, tl.trans(keys)) * (scale * LOG2_E) - total[:, None])
        seen = (key[None, :] < length) & present
        if CAUSAL:
            seen = seen & (key[None, :] <= row[:, None])
        weights = tl.where(seen, weights, 0.0)
        change = weights * (tl.dot(given, tl.trans(values)) - less[:, None])
        result = tl.dot(change.to(query.dtype), keys, result)
    tl.store(dq + places, (result * scale).to(dq.dtype.element_ty), mask=present)
