"""Operations that give for each element something of all up to it."""
import triton
from triton import language as tl
from triton.language.extra import libdevice

import torch

from heddle_torch import kernels, rows
from heddle_torch.formed import formed


@triton.jit
def later(a, place_a, b, place_b):
    """The largest of two and its place, the later one's if both are the same."""
    takes = (b != b) | ((a == a) & (b >= a))
    return tl.where(takes, b, a), tl.where(takes, place_b, place_a)


@triton.jit
def later_least(a, place_a, b, place_b):
    takes = (b != b) | ((a == a) & (b <= a))
    return tl.where(takes, b, a), tl.where(takes, place_b, place_a)


@triton.jit
def add_exponents(a, b):
    """The logarithm of the sum of what two are logarithms of."""
    least, most = tl.where((a < b) | (a != a), a, b), tl.where((a < b) | (a != a), b, a)
    is_plain = (least != most) | (tl.abs(least) < float("inf"))
    return tl.where(is_plain, most + libdevice.log1p(libdevice.exp(least - most)), a)


@triton.jit(do_not_specialize=["count"], do_not_specialize_on_alignment=["out", "x"])
def scan_rows(out, x, count, IS_SUM: tl.constexpr, START: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """The product of each row's elements up to each, or the logarithm of the sum of what they are logarithms of."""
    row = tl.program_id(0).to(tl.int64) * count
    before = tl.full((BLOCK, ), START, COMPUTE)
    each = tl.arange(0, BLOCK)
    for begin in range(0, count, BLOCK):
        place = begin + each
        value = tl.load(x + row + place, place < count, other=START).to(COMPUTE)
        if IS_SUM:
            value = add_exponents(before, tl.associative_scan(value, 0, add_exponents))
        else:
            value = before * tl.associative_scan(value, 0, kernels.multiply)
        tl.store(out + row + place, value, place < count)
        last = tl.sum(tl.where(each == BLOCK - 1, value, tl.zeros_like(value)), 0)
        before = tl.zeros_like(value) + last


@triton.jit(do_not_specialize=["count"], do_not_specialize_on_alignment=["out", "place_out", "x"])
def extreme_rows(out, place_out, x, count, IS_LEAST: tl.constexpr, START: tl.constexpr, COMPUTE: tl.constexpr,
                 BLOCK: tl.constexpr):
    """The largest or smallest of each row's elements up to each, and its place."""
    row = tl.program_id(0).to(tl.int64) * count
    before, place_before = tl.full((BLOCK, ), START, COMPUTE), tl.zeros((BLOCK, ), tl.int64)
    each = tl.arange(0, BLOCK)
    for begin in range(0, count, BLOCK):
        at = begin + each
        value, place = tl.load(x + row + at, at < count, other=START).to(COMPUTE), at.to(tl.int64)
        if IS_LEAST:
            value, place = tl.associative_scan((value, place), 0, later_least)
            value, place = later_least(before, place_before, value, place)
        else:
            value, place = tl.associative_scan((value, place), 0, later)
            value, place = later(before, place_before, value, place)
        tl.store(out + row + at, value, at < count)
        tl.store(place_out + row + at, place, at < count)
        is_last = each == BLOCK - 1
        before = tl.zeros_like(value) + tl.sum(tl.where(is_last, value, tl.zeros_like(value)), 0)
        place_before = tl.zeros_like(place) + tl.sum(tl.where(is_last, place, tl.zeros_like(place)), 0)


def back(made, x, dim):
    """Rows along a dimension in the order of x's."""
    sizes = [size for which, size in enumerate(x.size()) if which != dim] + ([x.size(dim)] if x.dim() else [])
    return made.view(sizes).movedim(-1, dim) if x.dim() else made.view(())


def scan(x, dim, dtype, is_sum):
    """Along one dimension, of a type that is computed with."""
    x, dim = x.to(dtype), dim % max(x.dim(), 1)
    matrix = rows.as_rows(x, [dim])
    if matrix is None:
        return x.clone()
    made, wide = torch.empty_like(matrix), rows.wide(dtype)
    scan_rows[(matrix.size(0), )](made, matrix, matrix.size(1), IS_SUM=is_sum, COMPUTE=rows.COMPUTED_IN[wide],
                                  START=float("-inf") if is_sum else 1, BLOCK=rows.block_for(matrix.size(1)),
                                  **kernels.OPTIONS)
    return back(made, x, dim).contiguous()


def products(x, dim, *, dtype=None):
    dtype = dtype or (x.dtype if x.dtype.is_floating_point else torch.int64)
    return NotImplemented if dtype == torch.bool else scan(x, dim, dtype, False)


def sums_of_exponents(x, dim):
    return scan(x, dim, x.dtype, True)


def extremes(is_least):
    def function(x, values, indices, dim):
        if not x.numel():
            return
        dim %= max(x.dim(), 1)
        matrix = rows.as_rows(x.to(torch.uint8) if x.dtype == torch.bool else x, [dim])
        made, wide = torch.empty_like(matrix), rows.wide(matrix.dtype)
        places = torch.empty(matrix.size(), dtype=torch.int64, device=x.device)
        start = rows.MOST if is_least else rows.LEAST
        extreme_rows[(matrix.size(0), )](made, places, matrix, matrix.size(1), IS_LEAST=is_least, START=start[wide],
                                         COMPUTE=rows.COMPUTED_IN[wide], BLOCK=rows.block_for(matrix.size(1)),
                                         **kernels.OPTIONS)
        values.copy_(back(made, x, dim))
        indices.copy_(back(places, x, dim))
    return function


OPERATIONS = {name: formed(function) for name, function in {
    "cumprod": products, "_logcumsumexp": sums_of_exponents, "_cummax_helper": extremes(False),
    "_cummin_helper": extremes(True),
}.items()}
