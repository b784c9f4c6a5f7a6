"""Kernels of PyTorch's operations, in Triton."""
import triton
from triton import language as tl
from triton.language.extra import libdevice

# Sums and products round each for itself, as on the host, but in products of matrices.
OPTIONS = {"enable_fp_fusion": False}
NUMBERS = ["count", "u", "v", "w", "s", "t"]
SHAPE = [f"{letter}{dim}" for letter in "nabcd" for dim in range(6)]
POINTERS = ["out", "x", "y", "z"]


@triton.jit
def divide(x, y):
    """Rounded to nearest."""
    if x.dtype == tl.float64:
        result = x / y
    else:
        result = tl.math.div_rn(x, y)
    return result


@triton.jit
def load(pointer, value, offset, inside, IS_TENSOR: tl.constexpr, COMPUTE: tl.constexpr):
    if IS_TENSOR:
        return tl.load(pointer + offset, inside, other=0).to(COMPUTE)
    return tl.full(offset.shape, value, COMPUTE)


@triton.jit
def split(rest, extent, IS_LAST: tl.constexpr):
    """A place in a dimension, and the place in those around it."""
    if IS_LAST:
        return rest, rest
    return rest % extent, rest // extent


@triton.jit(do_not_specialize=NUMBERS + SHAPE, do_not_specialize_on_alignment=POINTERS)
def elementwise(out, x, y, z, count, u, v, w, s, t,  #
                n0, n1, n2, n3, n4, n5, a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, b4, b5,  #
                c0, c1, c2, c3, c4, c5, d0, d1, d2, d3, d4, d5,  #
                OP: tl.constexpr, DIMS: tl.constexpr, X: tl.constexpr, Y: tl.constexpr, Z: tl.constexpr,
                COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """OP for each element of up to three inputs, tensors with strides or numbers (u, v, w).

    The sizes n are from the innermost dimension on, the strides are a of out, and b, c and d of the inputs.
    """
    rest = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = rest < count
    i, rest = split(rest, n0, DIMS == 1)
    to, of_x, of_y, of_z = i * a0, i * b0, i * c0, i * d0
    if DIMS > 1:
        i, rest = split(rest, n1, DIMS == 2)
        to, of_x, of_y, of_z = to + i * a1, of_x + i * b1, of_y + i * c1, of_z + i * d1
    if DIMS > 2:
        i, rest = split(rest, n2, DIMS == 3)
        to, of_x, of_y, of_z = to + i * a2, of_x + i * b2, of_y + i * c2, of_z + i * d2
    if DIMS > 3:
        i, rest = split(rest, n3, DIMS == 4)
        to, of_x, of_y, of_z = to + i * a3, of_x + i * b3, of_y + i * c3, of_z + i * d3
    if DIMS > 4:
        i, rest = split(rest, n4, DIMS == 5)
        to, of_x, of_y, of_z = to + i * a4, of_x + i * b4, of_y + i * c4, of_z + i * d4
    if DIMS > 5:
        to, of_x, of_y, of_z = to + rest * a5, of_x + rest * b5, of_y + rest * c5, of_z + rest * d5
    result = OP(load(x, u, of_x, inside, X, COMPUTE), load(y, v, of_y, inside, Y, COMPUTE),
                load(z, w, of_z, inside, Z, COMPUTE), s, t)
    tl.store(out + to, result, inside)


@triton.jit
def identity(x, y, z, s, t):
    return x


@triton.jit
def add(x, y, z, s, t):
    return x + (s * y).to(x.dtype)


@triton.jit
def sub(x, y, z, s, t):
    return x - (s * y).to(x.dtype)


@triton.jit
def rsub(x, y, z, s, t):
    return y - (s * x).to(x.dtype)


@triton.jit
def mul(x, y, z, s, t):
    return x * y


@triton.jit
def div(x, y, z, s, t):
    return divide(x, y)


@triton.jit
def neg(x, y, z, s, t):
    return -x


@triton.jit
def absolute(x, y, z, s, t):
    return tl.abs(x)


@triton.jit
def reciprocal(x, y, z, s, t):
    return divide(tl.full(x.shape, 1, x.dtype), x)


@triton.jit
def sqrt(x, y, z, s, t):
    if x.dtype == tl.float64:
        result = libdevice.sqrt(x)
    else:
        result = tl.math.sqrt_rn(x)
    return result


@triton.jit
def rsqrt(x, y, z, s, t):
    return libdevice.rsqrt(x)


@triton.jit
def exp(x, y, z, s, t):
    return libdevice.exp(x)


@triton.jit
def log(x, y, z, s, t):
    return libdevice.log(x)


@triton.jit
def sin(x, y, z, s, t):
    return libdevice.sin(x)


@triton.jit
def cos(x, y, z, s, t):
    return libdevice.cos(x)


@triton.jit
def tanh(x, y, z, s, t):
    return libdevice.tanh(x)


@triton.jit
def erf(x, y, z, s, t):
    return libdevice.erf(x)


@triton.jit
def power(x, y, z, s, t):
    return libdevice.pow(x, y)


@triton.jit
def square(x, y, z, s, t):
    return x * x


@triton.jit
def sigmoid(x, y, z, s, t):
    return divide(tl.full(x.shape, 1, x.dtype), 1 + libdevice.exp(-x))


@triton.jit
def silu(x, y, z, s, t):
    return divide(x, 1 + libdevice.exp(-x))


@triton.jit
def gelu(x, y, z, s, t):
    return 0.5 * x * (1 + libdevice.erf(x * 0.7071067811865476))


@triton.jit
def gelu_tanh(x, y, z, s, t):
    return 0.5 * x * (1 + libdevice.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


@triton.jit
def relu(x, y, z, s, t):
    return tl.where(x <= 0, tl.zeros_like(x), x)


@triton.jit
def threshold_backward(x, y, z, s, t):
    return tl.where(y <= s, tl.zeros_like(x), x)


@triton.jit
def equal(x, y, z, s, t):
    return x == y


@triton.jit
def unequal(x, y, z, s, t):
    return x != y


@triton.jit
def less(x, y, z, s, t):
    return x < y


@triton.jit
def at_most(x, y, z, s, t):
    return x <= y


@triton.jit
def greater(x, y, z, s, t):
    return x > y


@triton.jit
def at_least(x, y, z, s, t):
    return x >= y


@triton.jit
def both(x, y, z, s, t):
    return (x != 0) & (y != 0)


@triton.jit
def either(x, y, z, s, t):
    return (x != 0) | (y != 0)


@triton.jit
def negation(x, y, z, s, t):
    return x == 0


@triton.jit
def bits_and(x, y, z, s, t):
    return x & y


@triton.jit
def bits_or(x, y, z, s, t):
    return x | y


@triton.jit
def bits_not(x, y, z, s, t):
    return ~x


@triton.jit
def where(x, y, z, s, t):
    return tl.where(x != 0, y, z)


@triton.jit
def masked_fill(x, y, z, s, t):
    return tl.where(y != 0, z, x)


@triton.jit
def is_negative_infinity(x, y, z, s, t):
    return x == float("-inf")


@triton.jit
def maximum(x, y, z, s, t):
    return tl.where((x != x) | (x > y), x, y)


@triton.jit
def minimum(x, y, z, s, t):
    return tl.where((x != x) | (x < y), x, y)


@triton.jit
def clamp(x, y, z, s, t):
    low = tl.where(x < s.to(x.dtype), s.to(x.dtype), x)
    return tl.where(low > t.to(x.dtype), t.to(x.dtype), low)


@triton.jit
def addcmul(x, y, z, s, t):
    return x + s.to(x.dtype) * y * z


@triton.jit
def addcdiv(x, y, z, s, t):
    return x + s.to(x.dtype) * divide(y, z)


@triton.jit
def lerp(x, y, z, s, t):
    return tl.where(tl.abs(z) < 0.5, x + z * (y - x), y - (y - x) * (1 - z))


@triton.jit
def multiply(x, y):
    return x * y


@triton.jit(do_not_specialize=["count"], do_not_specialize_on_alignment=["out", "x"])
def reduce_rows(out, x, count, KIND: tl.constexpr, COMPUTE: tl.constexpr, START: tl.constexpr, BLOCK: tl.constexpr):
    """The sum, sum of squares, product, largest or smallest element of each row."""
    row = tl.program_id(0)
    total = tl.full((BLOCK, ), START, COMPUTE)
    has_nan = tl.zeros((BLOCK, ), tl.int32)
    for begin in range(0, count, BLOCK):
        place = begin + tl.arange(0, BLOCK)
        value = tl.load(x + row.to(tl.int64) * count + place, place < count, other=START).to(COMPUTE)
        if KIND == "sum":
            total += value
        elif KIND == "squares":
            total += value * value
        elif KIND == "product":
            total *= value
        elif KIND == "max":
            has_nan |= (value != value).to(tl.int32)
            total = tl.where(value > total, value, total)
        elif KIND == "min":
            has_nan |= (value != value).to(tl.int32)
            total = tl.where(value < total, value, total)
    if KIND == "max":
        result = tl.max(total, 0)
    elif KIND == "min":
        result = tl.min(total, 0)
    elif KIND == "product":
        result = tl.reduce(total, 0, multiply)
    else:
        result = tl.sum(total, 0)
    if (COMPUTE == tl.float32) | (COMPUTE == tl.float64):
        if (KIND == "max") | (KIND == "min"):
            result = tl.where(tl.max(has_nan, 0) != 0, float("nan"), result)
    tl.store(out + row, result)


@triton.jit(do_not_specialize=["count"], do_not_specialize_on_alignment=["out", "place_out", "x"])
def largest_of_rows(out, place_out, x, count, IS_LEAST: tl.constexpr, COMPUTE: tl.constexpr, START: tl.constexpr,
                    BLOCK: tl.constexpr):
    """The largest or smallest element of each row and its first place; a NaN is beyond all."""
    row = tl.program_id(0)
    best, at = tl.full((BLOCK, ), START, COMPUTE), tl.full((BLOCK, ), 2**31 - 1, tl.int32)
    nan_at = tl.full((BLOCK, ), 2**31 - 1, tl.int32)
    for begin in range(0, count, BLOCK):
        place = begin + tl.arange(0, BLOCK)
        value = tl.load(x + row.to(tl.int64) * count + place, place < count, other=START).to(COMPUTE)
        is_beyond = value < best if IS_LEAST else value > best
        is_better = (place < count) & (is_beyond | (at == 2**31 - 1))
        nan_at = tl.minimum(nan_at, tl.where(value != value, place, 2**31 - 1))
        best, at = tl.where(is_better, value, best), tl.where(is_better, place, at)
    largest = tl.min(best, 0) if IS_LEAST else tl.max(best, 0)
    first = tl.min(tl.where(best == largest, at, 2**31 - 1), 0)
    first_nan = tl.min(nan_at, 0)
    if (COMPUTE == tl.float32) | (COMPUTE == tl.float64):
        largest = tl.where(first_nan != 2**31 - 1, float("nan"), largest)
        first = tl.where(first_nan != 2**31 - 1, first_nan, first)
    tl.store(out + row, largest)
    tl.store(place_out + row, first.to(tl.int64))


@triton.jit(do_not_specialize=["count"], do_not_specialize_on_alignment=["out", "x"])
def softmax_rows(out, x, count, IS_LOG: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * count
    largest = tl.full((BLOCK, ), float("-inf"), COMPUTE)
    for begin in range(0, count, BLOCK):
        place = begin + tl.arange(0, BLOCK)
        value = tl.load(x + row + place, place < count, other=float("-inf")).to(COMPUTE)
        largest = tl.where((value > largest) | (value != value), value, largest)
    top = tl.max(largest, 0)
    total = tl.zeros((BLOCK, ), COMPUTE)
    for begin in range(0, count, BLOCK):
        place = begin + tl.arange(0, BLOCK)
        value = tl.load(x + row + place, place < count, other=float("-inf")).to(COMPUTE)
        total += tl.where(place < count, libdevice.exp(value - top), 0)
    all_of_it = tl.sum(total, 0)
    for begin in range(0, count, BLOCK):
        place = begin + tl.arange(0, BLOCK)
        value = tl.load(x + row + place, place < count, other=0).to(COMPUTE) - top
        if IS_LOG:
            result = value - libdevice.log(all_of_it)
        else:
            result = divide(libdevice.exp(value), tl.full(value.shape, 0, COMPUTE) + all_of_it)
        tl.store(out + row + place, result, place < count)


@triton.jit(do_not_specialize=["count"], do_not_specialize_on_alignment=["out", "x"])
def sum_up_rows(out, x, count, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """The sums of each row's elements up to each."""
    row = tl.program_id(0).to(tl.int64) * count
    before = tl.zeros((), COMPUTE)
    for begin in range(0, count, BLOCK):
        place = begin + tl.arange(0, BLOCK)
        value = tl.load(x + row + place, place < count, other=0).to(COMPUTE)
        tl.store(out + row + place, tl.cumsum(value, 0) + before, place < count)
        before += tl.sum(value, 0)


@triton.jit
def checked(offset, row, rows):
    """The offset, or one where no memory is, if the row is none: a fault, as PyTorch has its own."""
    return tl.where((row >= 0) & (row < rows), offset, 1 << 44)


@triton.jit(do_not_specialize=["count", "inner", "places", "rows"],
            do_not_specialize_on_alignment=["out", "x", "index"])
def take(out, x, index, count, inner, places, rows, BLOCK: tl.constexpr):
    """out[o, p, i] = x[o, index[p], i], of extents (.., places, inner) and (.., rows, inner)."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    i, p, o = at % inner, at // inner % places, at // inner // places
    row = tl.load(index + p, inside, other=0).to(tl.int64)
    tl.store(out + at, tl.load(x + checked((o * rows + row) * inner + i, row, rows), inside), inside)


@triton.jit(do_not_specialize=["count", "inner", "places", "rows"],
            do_not_specialize_on_alignment=["out", "x", "index"])
def gather(out, x, index, count, inner, places, rows, BLOCK: tl.constexpr):
    """out[o, p, i] = x[o, index[o, p, i], i]."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    i, o = at % inner, at // inner // places
    row = tl.load(index + at, inside, other=0).to(tl.int64)
    tl.store(out + at, tl.load(x + checked((o * rows + row) * inner + i, row, rows), inside), inside)


@triton.jit(do_not_specialize=["count", "width", "rows"], do_not_specialize_on_alignment=["out", "x", "index"])
def add_to_rows(out, x, index, count, width, rows, skipped, BLOCK: tl.constexpr):
    """Adds each row of x to that of out which its index says, but for one index."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    row = tl.load(index + at // width, inside, other=0).to(tl.int64)
    inside &= row != skipped
    value = tl.load(x + at, inside, other=0).to(out.dtype.element_ty)
    tl.atomic_add(out + checked(row * width + at % width, row, rows), value, inside)


@triton.jit(do_not_specialize=["alpha", "beta"], do_not_specialize_on_alignment=["out", "bias", "a", "b"])
def product(out, bias, a, b, M, N, K, ab, am, ak, bb, bk, bn, ob, om, on, cb, cm, cn, alpha, beta,
            HAS_BIAS: tl.constexpr, TILE: tl.constexpr, COLUMNS: tl.constexpr, IS_WIDE: tl.constexpr):
    """out = beta * bias + alpha * a @ b of each batch."""
    batch = tl.program_id(2).to(tl.int64)
    rows = tl.program_id(1) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((TILE, COLUMNS), tl.float32)
    for begin in range(0, K, TILE):
        inner = begin + tl.arange(0, TILE)
        left = tl.load(a + batch * ab + rows[:, None] * am + inner[None, :] * ak,
                       (rows[:, None] < M) & (inner[None, :] < K), other=0)
        right = tl.load(b + batch * bb + inner[:, None] * bk + columns[None, :] * bn,
                        (inner[:, None] < K) & (columns[None, :] < N), other=0)
        if IS_WIDE:
            total = tl.dot(left, right, total, input_precision="ieee")
        else:
            total = tl.dot(left, right, total)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    total = total * alpha
    if HAS_BIAS:
        total += beta * tl.load(bias + batch * cb + rows[:, None] * cm + columns[None, :] * cn, inside,
                                other=0).to(tl.float32)
    tl.store(out + batch * ob + rows[:, None] * om + columns[None, :] * on, total, inside)


@triton.jit(do_not_specialize=["alpha", "beta"], do_not_specialize_on_alignment=["out", "bias", "a", "b"])
def product_of_any(out, bias, a, b, M, N, K, ab, am, ak, bb, bk, bn, ob, om, on, cb, cm, cn, alpha, beta,
                   HAS_BIAS: tl.constexpr, COMPUTE: tl.constexpr, TILE: tl.constexpr):
    """As product, of types that it has no tiles for: double precision and whole numbers."""
    batch = tl.program_id(2).to(tl.int64)
    rows, columns = tl.program_id(1) * TILE + tl.arange(0, TILE), tl.program_id(0) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), COMPUTE)
    for inner in range(K):
        left = tl.load(a + batch * ab + rows * am + inner * ak, rows < M, other=0).to(COMPUTE)
        right = tl.load(b + batch * bb + inner * bk + columns * bn, columns < N, other=0).to(COMPUTE)
        total += left[:, None] * right[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    total = total * alpha.to(COMPUTE)
    if HAS_BIAS:
        total += beta.to(COMPUTE) * tl.load(bias + batch * cb + rows[:, None] * cm + columns[None, :] * cn, inside,
                                            other=0).to(COMPUTE)
    tl.store(out + batch * ob + rows[:, None] * om + columns[None, :] * on, total, inside)
