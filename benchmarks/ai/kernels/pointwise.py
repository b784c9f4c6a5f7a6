"""Operations on each element by itself."""
import triton
import triton.language as tl

from common import gelu, silu


@triton.jit
def silu_mul(x, out, columns, BLOCK: tl.constexpr):
    """out = silu(the left half of a row) times its right half."""
    row = tl.program_id(1).to(tl.int64)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < columns
    gate = tl.load(x + row * 2 * columns + at, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(x + row * 2 * columns + columns + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * columns + at, (silu(gate) * up).to(out.dtype.element_ty), mask=inside)


@triton.jit
def elementwise(x, y, out, elements, OPERATION: tl.constexpr, BLOCK: tl.constexpr):
    """out = gelu(x), or x + y, or the gradient y of gelu(x) carried to x."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < elements
    values = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    if OPERATION == "gelu":
        result = gelu(values)
    else:
        others = tl.load(y + at, mask=inside, other=0.0).to(tl.float32)
        result = values + others if OPERATION == "add" else others * gelu_slope(values)
    tl.store(out + at, result.to(out.dtype.element_ty), mask=inside)


@triton.jit
def gelu_slope(x):
    cube = 0.044715 * x * x * x
    argument = 0.7978845608028654 * (x + cube)
    bent = 2.0 / (1.0 + tl.exp(-2.0 * argument)) - 1.0
    inner = 0.7978845608028654 * (1.0 + 3.0 * 0.044715 * x * x)
    return 0.5 * (1.0 + bent) + 0.5 * x * (1.0 - bent * bent) * inner


@triton.jit
def rope(
    qkv, cosines, sines, positions, k_cache, v_cache, slots, heads, kv_heads,
    DIMENSION: tl.constexpr, CACHE: tl.constexpr,
):  # fmt: skip
    """Turns queries and keys of a token in place, pairs being half a head apart.

    With CACHE, keys and values also go to the token's slot of the paged cache.
    """
    token = tl.program_id(1).to(tl.int64)
    head = tl.program_id(0)
    HALF: tl.constexpr = DIMENSION // 2
    at = tl.arange(0, HALF)
    place = qkv + (token * (heads + 2 * kv_heads) + head) * DIMENSION + at
    first = tl.load(place)
    second = tl.load(place + HALF)
    if head < heads + kv_heads:
        position = tl.load(positions + token)
        cosine = tl.load(cosines + position * HALF + at)
        sine = tl.load(sines + position * HALF + at)
        x, y = first.to(tl.float32), second.to(tl.float32)
        first = (x * cosine - y * sine).to(qkv.dtype.element_ty)
        second = (y * cosine + x * sine).to(qkv.dtype.element_ty)
        tl.store(place, first)
        tl.store(place + HALF, second)
    if CACHE:
        if head >= heads:
            slot = tl.load(slots + token).to(tl.int64) * kv_heads * DIMENSION + at
            if head < heads + kv_heads:
                kept = k_cache + slot + (head - heads) * DIMENSION
                tl.store(kept, first)
                tl.store(kept + HALF, second)
            else:
                kept = v_cache + slot + (head - heads - kv_heads) * DIMENSION
                tl.store(kept, first)
                tl.store(kept + HALF, second)
