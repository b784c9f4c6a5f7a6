"""Operators that are timed in place of larger ones.

Some take the same kernels over fewer rows, for the CTAs that a part of a grid has anyway. Others are
pairs with shorter loops, from which time goes on in a straight line (docs/ai-workloads.md has how far
that is off).
"""
import functools
import math
from typing import Callable, Iterable

from operators import KINDS, Operator, plan
from operators.attention import KEYS, decode_parts
from operators.kinds import size
from operators.library import Specialisation
from operators.training import parts_of

# CTAs that a smaller grid has at least: two fillings of a slice of 16 cores with 32 CTAs on each. Of
# tiles there are as many on a core as their operands have room in shared memory, on a slice of 33.
CTAS, TILES = 1024, 66
SHARED_BYTES = 227 << 10
# Rows of tiles that products go through at once (GROUP of kernels/matrix.py).
GROUP = 8
TARGET = "sm_90"

# Two operators with how long their loops are, and how long the loop of the larger one is.
Pair = tuple[tuple[Operator, float], tuple[Operator, float], float]


def with_shape(op: Operator, **sizes: int) -> Operator:
    return Operator(op.kind, {**op.shape, **sizes}, op.types)


def grids(op: Operator) -> list[tuple[str, int]]:
    """The kernels of an operator and the CTAs of each."""
    return [(step.kernel.name, math.prod(step.grid)) for step in plan(op, TARGET)]


def stands_for(small: Operator, op: Operator, least: int) -> bool:
    """Whether an operator takes the same kernels, each with so many CTAs or as many as the other."""
    mine, others = grids(small), grids(op)
    same = [name for name, _ in mine] == [name for name, _ in others]
    return same and all(have >= min(least, wanted) for (_, have), (_, wanted) in zip(mine, others, strict=True))


def first_of(candidates: Iterable[Operator], op: Operator, least: int) -> Operator:
    return next((small for small in candidates if stands_for(small, op, least)), op)


# --- fewer rows ---------------------------------------------------------------------------------


def sizes_below(value: int, least: int) -> list[int]:
    """Powers of two and one and a half of them, below a size."""
    steps = (least << shift for shift in range(24))
    return [below for step in steps for below in (step, step * 3 // 2) if below < value]


def tiles_needed(kernel: Specialisation, kind: str) -> int:
    """Tiles of two fillings of a slice."""
    c = kernel.constants
    taken = c["STAGES"] * (c["BM"] + c["BN"]) * c["BK"] * size(1, kind)
    return TILES * max(1, int(SHARED_BYTES // taken))


def like_product(op: Operator) -> Operator:
    """Tiles are gone through in groups of rows, so that those that are in flight together share columns:
    what has as many rows in a group, and as many columns as are in flight, loads what the other does."""
    kernel = plan(op, TARGET)[0].kernel
    if kernel.function != "gemm":
        return op
    m, n, rows, columns = op.shape["m"], op.shape["n"], kernel.constants["BM"], kernel.constants["BN"]
    least = tiles_needed(kernel, op.types["a"])
    heights = [height for height in sizes_below(m, GROUP * rows)] + [m]
    widths = [width for width in sizes_below(n, 1024) if width * GROUP >= least * columns] + [n]
    return first_of((with_shape(op, m=height, n=width) for height in heights for width in widths), op, least)


def like_convolution(op: Operator) -> Operator:
    """Fewer pictures, or less of one: tiles are gone through by places."""
    pictures, height = op.shape["n"], op.shape["h"]
    fewer = [with_shape(op, n=count) for count in sizes_below(pictures, 1)]
    lower = [with_shape(op, n=1, h=count) for count in sizes_below(height, 16)]
    kernel = plan(op, TARGET)[0].kernel
    return first_of(lower + fewer if pictures == 1 else fewer, op, tiles_needed(kernel, op.types["type"]))


def fewer(key: str, least: int = 1) -> Callable[[Operator], Operator]:
    """The same with less of what CTAs are made of."""

    def found(op: Operator) -> Operator:
        sizes = sizes_below(op.shape[key], least)
        return first_of((with_shape(op, **{key: below}) for below in sizes), op, CTAS)

    return found


LIKE: dict[str, Callable[[Operator], Operator]] = {
    "gemm": like_product,
    "conv2d": like_convolution,
    "attention_prefill": fewer("batch"),
    "attention_backward": fewer("batch"),
    "groupnorm_silu": fewer("n"),
    "pool": fewer("n"),
    "upsample": fewer("n"),
    **{kind: fewer("rows", 16) for kind in ("rmsnorm", "layernorm", "softmax", "silu_mul", "cross_entropy")},
    **{kind: fewer("tokens", 16) for kind in ("embedding", "embedding_backward", "rope")},
    **{kind: fewer("elements", 1 << 16) for kind in ("gelu", "gelu_backward", "residual_add", "adamw")},
}


@functools.lru_cache(maxsize=None)
def like(op: Operator) -> Operator:
    """An operator whose first CTAs do what the first CTAs of another do; itself if there is no smaller one."""
    found = LIKE.get(op.kind)
    return found(op) if found else op


# --- shorter loops ------------------------------------------------------------------------------


def shorter_product(op: Operator) -> Pair | None:
    """Products whose rows are of 512 and of 1,024 bytes in place of longer ones."""
    depth = op.shape["k"]
    few = int(512 / size(1, op.types["a"]))
    if depth <= 2 * few:
        return None
    return (with_shape(op, k=few), few), (with_shape(op, k=2 * few), 2 * few), depth


def shorter_convolution(op: Operator) -> Pair | None:
    """Convolutions of fewer channels, so that they are about as deep as those products."""
    channels = op.shape["c"]
    few = 64 if op.shape["r"] * op.shape["s"] > 1 else 256
    if channels <= 2 * few:
        return None
    return (with_shape(op, c=few), few), (with_shape(op, c=2 * few), 2 * few), channels


def shorter_gradient(op: Operator) -> Pair | None:
    """Gradients of weights whose parts have 256 and 512 rows."""
    rows = op.shape["k"]
    few = 256 * parts_of(op, TARGET)
    if rows <= 2 * few:
        return None
    return (with_shape(op, k=few), few), (with_shape(op, k=2 * few), 2 * few), rows


def shorter_cache(op: Operator) -> Pair | None:
    """A cache whose parts are as many, and shorter."""
    kept = op.shape["kv"]
    parts, each = decode_parts(op, TARGET)
    for pieces in (16, 12, 8, 6, 4):
        one, two = (with_shape(op, kv=parts * KEYS * count) for count in (pieces // 2, pieces))
        if pieces * KEYS < each and decode_parts(one, TARGET)[0] == decode_parts(two, TARGET)[0] == parts:
            return (one, one.shape["kv"]), (two, two.shape["kv"]), kept
    return None


def shorter_prompt(op: Operator) -> Pair | None:
    """Prompts whose blocks of queries are fewer; with a mask, work grows with the square."""
    queries = op.shape["q"]
    if queries <= 1024 or op.shape["kv"] != queries:
        return None
    first, second = with_shape(op, q=512, kv=512), with_shape(op, q=1024, kv=1024)
    work: Callable[[Operator], float] = KINDS[op.kind].flops
    return (first, work(first)), (second, work(second)), work(op)


SERIAL: dict[str, Callable[[Operator], Pair | None]] = {
    "gemm": shorter_product,
    "conv2d": shorter_convolution,
    "moe_gemm": shorter_product,
    "weight_gradient": shorter_gradient,
    "attention_decode": shorter_cache,
    "attention_prefill": shorter_prompt,
    "attention_backward": shorter_prompt,
}


def shorter(op: Operator) -> Pair | None:
    found = SERIAL.get(op.kind)
    return found(op) if found else None
