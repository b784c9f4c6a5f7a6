"""Operations that put elements where numbers say, or take them from there."""
import triton
from triton import language as tl

import torch

from heddle_torch import device, elementwise, kernels
from heddle_torch.formed import formed

BLOCK = 128
# Types in which elements are added up, by their own where that is another.
ADDED_IN = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.int16: torch.int32,
            torch.int8: torch.int32, torch.uint8: torch.int32, torch.bool: torch.int32}
COUNTS = ["count", "inner", "places", "rows"]
POINTERS = ["out", "index", "x"]


@triton.jit
def spot(index, at, count, inner, places, rows, SHARED: tl.constexpr, SKIPS: tl.constexpr):
    """Where the element at a place of [outer, places, inner] goes in [outer, rows, inner], and whether it goes."""
    inside = at < count
    i, p, o = at % inner, at // inner % places, at // inner // places
    if SHARED:
        row = tl.load(index + p, inside, other=0).to(tl.int64)
    else:
        row = tl.load(index + at, inside, other=0).to(tl.int64)
    if SKIPS:
        inside &= row >= 0
    return kernels.checked((o * rows + row) * inner + i, row, rows), inside


@triton.jit(do_not_specialize=COUNTS, do_not_specialize_on_alignment=POINTERS)
def put(out, index, x, count, inner, places, rows, ADDS: tl.constexpr, SHARED: tl.constexpr, SKIPS: tl.constexpr,
        BLOCK: tl.constexpr):
    """Writes each element of x where its index says, or adds it there; a negative index may mean nowhere."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    to, inside = spot(index, at, count, inner, places, rows, SHARED, SKIPS)
    value = tl.load(x + at, inside, other=0)
    if ADDS:
        tl.atomic_add(out + to, value, inside)
    else:
        tl.store(out + to, value, inside)


@triton.jit
def folded(old, value, KIND: tl.constexpr):
    if KIND == "prod":
        result = old * value
    elif KIND == "amax":
        result = tl.where((value > old) | (value != value), value, old)
    else:
        result = tl.where((value < old) | (value != value), value, old)
    return result


@triton.jit(do_not_specialize=["count", "inner", "places", "rows"], do_not_specialize_on_alignment=POINTERS)
def fold(out, index, x, count, inner, places, rows, KIND: tl.constexpr, SHARED: tl.constexpr, BLOCK: tl.constexpr):
    """Folds the elements of x into those that the index says, in their order: a thread has all of a line."""
    line = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    o, i = line // inner, line % inner
    inside = line * places < count
    for place in range(places):
        at = tl.where(inside, (o * places + place) * inner + i, count)
        to, here = spot(index, at, count, inner, places, rows, SHARED, False)
        old, value = tl.load(out + to, here, other=0), tl.load(x + at, here, other=0)
        tl.store(out + to, folded(old, value, KIND), here)


@triton.jit
def wrapped(x, y, z, s, t):
    """A number of an element, of which s are, times t, added to y; far below zero if there is none of that number."""
    place = tl.where(x < 0, x + s, x)
    return tl.where((place >= 0) & (place < s), y + place * t, y - (1 << 60))


@triton.jit
def digit(x, y, z, s, t):
    """The number in a dimension of extent t whose elements are s apart."""
    return x // s % t


def extent(sizes):
    product = 1
    for size in sizes:
        product *= size
    return product


def computed(op, operands, s=0, t=0, dtype=torch.int64, to=None):
    """A new tensor of a function of elements, which computes in a type and may give another."""
    sizes = torch.broadcast_shapes(*(value.size() for value in operands if isinstance(value, torch.Tensor)))
    out = torch.empty(sizes, dtype=to or dtype, device=operands[0].device)
    elementwise.launch(op, out, [*operands, *[0] * (3 - len(operands))], dtype, s, t)
    return out


def launch(kind, out, index, x, dim, shared, skips=False):
    """Puts elements of x along a dimension of out, which is contiguous; index is of x's extents or of that dimension's.

    The kind is what becomes of an element that is put, and of the one before: set, add, prod, amax or amin.
    """
    if out.dtype == torch.bool:
        out, x = out.view(torch.uint8), x.view(torch.uint8)
    index, x = index.contiguous(), x.contiguous()
    inner, places, rows = extent(x.size()[dim + 1:]), x.size(dim), out.size(dim)
    if not x.numel():
        return
    if kind in ("set", "add"):
        put[(triton.cdiv(x.numel(), BLOCK), )](out, index, x, x.numel(), inner, places, rows, ADDS=kind == "add",
                                               SHARED=shared, SKIPS=skips, BLOCK=BLOCK, **kernels.OPTIONS)
    else:
        fold[(triton.cdiv(x.numel() // places, BLOCK), )](out, index, x, x.numel(), inner, places, rows, KIND=kind,
                                                          SHARED=shared, BLOCK=BLOCK, **kernels.OPTIONS)


def worked_in(kind, dtype):
    return dtype if kind == "set" else ADDED_IN.get(dtype, dtype)


def fresh(x, dtype):
    """A contiguous copy."""
    return torch.empty(x.size(), dtype=dtype, device=x.device).copy_(x)


def lined(x):
    """A number by itself is a line of one."""
    return x.reshape(1) if x.dim() == 0 else x


def scattered(kind, x, dim, index, source):
    """x with elements of source at the places that an index of its extents says along a dimension."""
    work, index, source = fresh(lined(x), worked_in(kind, x.dtype)), lined(index), lined(source)
    dim %= work.dim()
    if not index.numel():
        return x.clone()
    ranges = [slice(0, size) for size in index.size()]
    source = source[tuple(ranges)].to(work.dtype)
    ranges[dim] = slice(None)
    part = work[tuple(ranges)]
    whole = part.contiguous()
    launch(kind, whole, index, source, dim, False)
    if part.size() != work.size():
        part.copy_(whole)
    return work.to(x.dtype).view(x.size())


def put_along(kind, x, dim, index, source):
    """x with slices of source at the places that a line of numbers says along a dimension."""
    work = fresh(lined(x), worked_in(kind, x.dtype))
    dim %= work.dim()
    sizes = list(work.size())
    sizes[dim] = index.numel()
    launch(kind, work, lined(index), source.to(work.dtype).expand(sizes) if source.dim() == 0 else
           source.to(work.dtype).reshape(sizes), dim, True)
    return work.to(x.dtype).view(x.size())


KINDS = {"add": "add", "multiply": "prod", "sum": "add", "mean": "add", "prod": "prod", "amax": "amax", "amin": "amin"}


def scatter(x, dim, index, source, reduce=None):
    if not isinstance(source, torch.Tensor):
        source = torch.full((), source, dtype=x.dtype, device=x.device).expand(index.size())
    return scattered(KINDS[reduce] if reduce else "set", x, dim, index, source)


def scatter_add(x, dim, index, source):
    return scattered("add", x, dim, index, source)


def neutral(kind, dtype):
    """What an element is in front of a fold that it takes no part in."""
    if kind in ("add", "prod"):
        return int(kind == "prod")
    if dtype.is_floating_point:
        return float("-inf") if kind == "amax" else float("inf")
    if dtype == torch.bool:
        return kind == "amin"
    return torch.iinfo(dtype).min if kind == "amax" else torch.iinfo(dtype).max


def reducing(place):
    """Folds into elements with or without what they were."""
    def function(x, dim, index, source, reduce, *, include_self=True):
        kind, work = KINDS[reduce], x
        if x.dtype == torch.bool:
            return NotImplemented
        if not include_self:
            start = torch.full((), neutral(kind, x.dtype), dtype=x.dtype, device=x.device)
            work = place("set", x, dim, index, start.expand(source.size()))
        wide = work.float() if x.dtype in device.FLOATS else work
        made = place(kind, wide, dim, index, source)
        if reduce == "mean":
            ones = torch.ones((), dtype=wide.dtype, device=x.device)
            counts = place("add", (ones if include_self else ones - 1).expand(x.size()), dim, index,
                           ones.expand(source.size()))
            made = torch.div(made, counts.clamp_min(1), rounding_mode=None if x.is_floating_point() else "floor")
        return made.to(x.dtype)
    return function


def index_add(x, dim, index, source, *, alpha=1):
    wide = source.to(worked_in("add", x.dtype))
    return put_along("add", x, dim, index, wide * alpha if alpha != 1 else wide)


def index_copy(x, dim, index, source):
    return put_along("set", x, dim, index, source)


def index_fill(x, dim, index, value):
    if not isinstance(value, torch.Tensor):
        value = torch.full((), value, dtype=x.dtype, device=x.device)
    dim = dim % max(x.dim(), 1)
    index = torch.where(index < 0, index + (x.size(dim) if x.dim() else 1), index)
    return put_along("set", x, dim, index, value.to(x.dtype))


def taken(x, index):
    """The elements of a number in x, as if it had one dimension."""
    place = computed(wrapped, [index.to(torch.int64), 0], x.numel(), 1)
    return torch.index_select(x.reshape(-1), 0, place.reshape(-1)).view(index.size())


def put_in(x, index, source, accumulate=False):
    place = computed(wrapped, [index.to(torch.int64), 0], x.numel(), 1).reshape(-1)
    return put_along("add" if accumulate else "set", x.reshape(-1), 0, place, source.reshape(-1)).view(x.size())


def resolve(x, indices):
    """Tensors of numbers by dimension, None for those that are not indexed; masks are where they are true."""
    by_dim = []
    for index in indices:
        if index is not None and index.dtype in (torch.bool, torch.uint8):
            check_mask(x, index, len(by_dim))
            by_dim += torch.nonzero(index).unbind(1) if index.dim() else [None]
        else:
            by_dim.append(index)
    return by_dim


def check_mask(x, mask, begin):
    """A mask has to have the extents of the dimensions that it stands for."""
    for dim, size in enumerate(mask.size()):
        if begin + dim >= x.dim() or size != x.size(begin + dim):
            raise IndexError(f"The shape of the mask {list(mask.size())} at index {dim} does not match the shape of the "
                             f"indexed tensor {list(x.size())} at index {begin + dim}")


class Indexed:
    """The elements of a tensor that others index, as rows of a matrix."""

    def __init__(self, x, indices):
        indices = resolve(x, indices)
        self.dims = [dim for dim, index in enumerate(indices) if index is not None]
        self.rest = [dim for dim in range(x.dim()) if dim not in self.dims]
        chosen = torch.broadcast_tensors(*(indices[dim] for dim in self.dims))
        self.shape = chosen[0].size()
        place, step = 0, 1
        for dim, index in list(zip(self.dims, chosen))[::-1]:
            place, step = computed(wrapped, [index.to(torch.int64), place], x.size(dim), step), step * x.size(dim)
        self.place, self.rows = place.reshape(-1), step
        self.moved = x.permute(self.dims + self.rest)
        # Where the indices' own dimensions are among those that stay.
        adjacent = self.dims == list(range(self.dims[0], self.dims[0] + len(self.dims)))
        self.front = self.dims[0] if adjacent else 0

    def order(self):
        """The dimensions of the result by those of the indices and behind them the others."""
        count = len(self.shape)
        rest = list(range(count, count + len(self.rest)))
        return rest[:self.front] + list(range(count)) + rest[self.front:]

    def matrix(self):
        return self.moved.reshape(self.rows, extent(self.moved.size()[len(self.dims):]))

    def values(self, values):
        """Values for the result's elements, in the order of rows."""
        order = self.order()
        kept = [self.moved.size(len(self.dims) + which) for which in range(len(self.rest))]
        sizes = [*self.shape, *kept]
        spread = values.expand([sizes[dim] for dim in order])
        return spread.permute([order.index(dim) for dim in range(len(order))]).reshape(len(self.place), extent(kept))


def index(x, indices):
    if any(value is not None and value.dim() == 0 and value.dtype == torch.bool for value in indices):
        return NotImplemented
    found = Indexed(x, indices)
    made = torch.index_select(found.matrix(), 0, found.place)
    return made.view(*found.shape, *found.moved.size()[len(found.dims):]).permute(found.order())


def index_put(x, indices, values, accumulate=False, unsafe=False):
    if any(value is not None and value.dim() == 0 and value.dtype == torch.bool for value in indices):
        return NotImplemented
    if values.dtype != x.dtype:
        raise RuntimeError(f"Index put requires the source and destination dtypes match, got {x.dtype} for the "
                           f"destination and {values.dtype} for the source.")
    found = Indexed(x, indices)
    made = put_along("add" if accumulate else "set", found.matrix(), 0, found.place, found.values(values))
    back = [(found.dims + found.rest).index(dim) for dim in range(x.dim())]
    return made.view(found.moved.size()).permute(back)


def numbered(mask):
    """For each element of a mask how many are true up to it."""
    return torch.cumsum(mask.reshape(-1), 0, dtype=torch.int64)


def where_true(mask):
    """The numbers of the elements that are true."""
    upto = numbered(mask)
    count = int(upto[-1]) if upto.numel() else 0
    made = torch.empty(count, dtype=torch.int64, device=mask.device)
    place = torch.where(mask.reshape(-1), upto - 1, -1)
    if count:
        launch("set", made, place, torch.arange(mask.numel(), device=mask.device), 0, True, True)
    return made


def nonzero(x):
    at = where_true(torch.ne(x, 0))
    steps = torch.empty(x.size(), device="meta").stride()
    made = at.new_empty((x.dim(), at.numel()))
    for dim, (step, size) in enumerate(zip(steps, x.size())):
        elementwise.launch(digit, made[dim], [at, 0, 0], torch.int64, step, size)
    return made.as_strided((at.numel(), x.dim()), (1, at.numel()))


def nonzero_static(x, *, size, fill_value=-1):
    found = nonzero(x)[:size]
    made = torch.full((size, x.dim()), fill_value, dtype=torch.int64, device=x.device)
    made[:found.size(0)] = found
    return made


def masked_select(x, mask):
    x, mask = torch.broadcast_tensors(x, mask)
    return torch.index_select(x.reshape(-1), 0, where_true(mask))


def masked_scatter(x, mask, source):
    """Elements of source, one after another, where the mask is true."""
    mask = mask.expand(x.size())
    if not source.numel():
        return x.clone()
    place = torch.where(mask.reshape(-1), numbered(mask) - 1, 0)
    return torch.where(mask, torch.index_select(source.reshape(-1), 0, place).view(x.size()), x)


def flip(x, dims):
    for dim in {dim % max(x.dim(), 1) for dim in dims} if x.dim() else ():
        x = torch.index_select(x, dim, torch.arange(x.size(dim) - 1, -1, -1, device=x.device))
    return x if dims and x.dim() else x.clone()


def roll(x, shifts, dims=()):
    shifts, dims = ([value] if isinstance(value, int) else list(value) for value in (shifts, dims))
    if not dims:
        return roll(x.reshape(-1), shifts, [0]).view(x.size())
    for shift, dim in zip(shifts, dims, strict=True):
        if x.numel():
            first = (x.size(dim) - shift) % x.size(dim)
            x = torch.cat([x.narrow(dim, first, x.size(dim) - first), x.narrow(dim, 0, first)], dim)
    return x if x.numel() else x.clone()


def repeat_interleave(repeats, *, output_size=None):
    """Each number from 0 on as often as is said."""
    ends = torch.cumsum(repeats, 0, dtype=torch.int64)
    total = int(ends[-1]) if ends.numel() else 0
    marks = torch.zeros(total + 1, dtype=torch.int64, device=repeats.device)
    launch("add", marks, ends, torch.ones_like(ends), 0, True)
    return torch.cumsum(marks[:total], 0).to(repeats.dtype)


def unfolded_gradient(grad, sizes, dim, size, step):
    """Adds up what each window has of each element."""
    made = torch.zeros(sizes, dtype=worked_in("add", grad.dtype), device=grad.device)
    if not sizes:
        return made.add_(grad.sum()).to(grad.dtype)
    dim %= len(sizes)
    starts = torch.arange(grad.size(dim), device=grad.device) * step
    places = (starts.unsqueeze(1) + torch.arange(size, device=grad.device)).reshape(-1)
    flat = grad.movedim(-1, dim + 1).reshape([*grad.size()[:dim], -1, *grad.size()[dim + 1:-1]])
    return put_along("add", made, dim, places, flat).to(grad.dtype)


OPERATIONS = {name: formed(function) for name, function in {
    "scatter": scatter, "scatter_add": scatter_add, "scatter_reduce": reducing(scattered),
    "index_reduce": reducing(put_along), "index_add": index_add, "index_copy": index_copy, "index_fill": index_fill,
    "take": taken, "put": put_in, "index.Tensor": index, "index.Tensor_out": index, "_index_put_impl": index_put,
    "nonzero": nonzero, "nonzero_static": nonzero_static, "masked_select": masked_select,
    "masked_scatter": masked_scatter, "flip": flip, "roll": roll, "repeat_interleave.Tensor": repeat_interleave,
    "unfold_backward": unfolded_gradient,
}.items()}
