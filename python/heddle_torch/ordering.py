"""Operations that sort, search and count elements by their order."""
import triton
from triton import language as tl

import torch

from heddle_torch import device, elementwise, kernels, placing, rows
from heddle_torch.formed import formed

BLOCK = 128


@triton.jit
def key_of_real(x, y, z, s, t):
    """A whole number of the same order, zeros the same and NaNs above all; the other way round if s is not 0."""
    if x.dtype == tl.float64:
        bits = x.to(tl.int64, bitcast=True)
        key = tl.where(bits < 0, bits ^ 0x7FFFFFFFFFFFFFFF, bits)
    else:
        bits = x.to(tl.int32, bitcast=True)
        key = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(tl.int64)
    key = tl.where(x == 0, tl.zeros_like(key), key)
    key = tl.where(x != x, tl.full(key.shape, 0x7FFFFFFFFFFFFFFF, tl.int64), key)
    return tl.where(s != 0, ~key, key)


@triton.jit
def key_of_whole(x, y, z, s, t):
    key = x.to(tl.int64)
    return tl.where(s != 0, ~key, key)


@triton.jit(do_not_specialize=["count", "length", "width", "steps"],
            do_not_specialize_on_alignment=["keys_out", "places_out", "keys", "places"])
def merge(keys_out, places_out, keys, places, count, length, width, steps, BLOCK: tl.constexpr):
    """Merges pairs of sorted pieces of each row: an element goes behind those of the other that are less.

    Of elements that are the same, those of the first piece stay in front.
    """
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    begin_of_row, place = at // length * length, at % length
    piece = place // width
    is_second = piece % 2 == 1
    key = tl.load(keys + at, inside, other=0)
    other = tl.minimum(tl.where(is_second, piece - 1, piece + 1) * width, length)
    low, high = other, tl.minimum(other + width, length)
    for _ in range(steps):
        middle = (low + high) // 2
        open = inside & (low < high)
        found = tl.load(keys + begin_of_row + middle, open, other=0)
        is_less = open & ((found < key) | (is_second & (found == key)))
        low, high = tl.where(is_less, middle + 1, low), tl.where(open & (is_less == 0), middle, high)
    to = begin_of_row + piece // 2 * 2 * width + place % width + low - other
    tl.store(keys_out + to, key, inside)
    tl.store(places_out + to, tl.load(places + at, inside, other=0), inside)


@triton.jit(do_not_specialize=["count", "length", "wanted", "steps"],
            do_not_specialize_on_alignment=["out", "sorted", "x"])
def search(out, sorted, x, count, length, wanted, steps, IS_RIGHT: tl.constexpr, COMPUTE: tl.constexpr,
           BLOCK: tl.constexpr):
    """How many elements of a sorted row are less than each of x, of which each row has as many, or at most."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    begin_of_row = at // wanted * length
    value = tl.load(x + at, inside, other=0).to(COMPUTE)
    low, high = tl.zeros_like(at), tl.zeros_like(at) + length
    for _ in range(steps):
        middle = (low + high) // 2
        open = inside & (low < high)
        found = tl.load(sorted + begin_of_row + middle, open, other=0).to(COMPUTE)
        stops = found > value if IS_RIGHT else found >= value
        low, high = tl.where(open & (stops == 0), middle + 1, low), tl.where(open & stops, middle, high)
    tl.store(out + at, low, inside)


def keys_of(x, descending=False):
    if x.dtype.is_floating_point:
        return placing.computed(key_of_real, [x], int(descending), dtype=rows.wide(x.dtype), to=torch.int64)
    return placing.computed(key_of_whole, [x], int(descending), dtype=x.dtype, to=torch.int64)


def sorted_places(keys):
    """The order of the elements of each row, which stays as it is among those that are the same."""
    count, length = keys.numel(), keys.size(1)
    places = torch.arange(length, device=keys.device).expand(keys.size()).contiguous()
    width = 1
    while width < length:
        made = torch.empty_like(keys), torch.empty_like(places)
        merge[(triton.cdiv(count, BLOCK), )](*made, keys, places, count, length, width, width.bit_length(),
                                             BLOCK=BLOCK, **kernels.OPTIONS)
        (keys, places), width = made, 2 * width
    return places


def sorted_rows(x, dim, descending=False):
    """The elements along a dimension as rows of a matrix in order, and their places; None if there are none."""
    matrix = rows.as_rows(x, [dim])
    if matrix is None:
        return None, None
    places = sorted_places(keys_of(matrix, descending))
    return torch.gather(matrix, 1, places), places


def back(made, x, dim):
    """Rows in place of a dimension of x, with another length."""
    sizes = [size for which, size in enumerate(x.size()) if which != dim]
    return made.view(*sizes, made.size(1)).movedim(-1, dim) if x.dim() else made.view(())


def sort(x, *, stable=None, dim=-1, descending=False):
    dim %= max(x.dim(), 1)
    values, places = sorted_rows(x, dim, descending)
    if values is None:
        return x.clone(), torch.empty(x.size(), dtype=torch.int64, device=x.device)
    return back(values, x, dim), back(places, x, dim)


def topk(x, k, dim=-1, largest=True, sorted=True):
    dim %= max(x.dim(), 1)
    if not 0 <= k <= (x.size(dim) if x.dim() else 1):
        raise RuntimeError("selected index k out of range")
    values, places = sorted_rows(x, dim, largest)
    if values is None:
        return NotImplemented
    return back(values[:, :k], x, dim), back(places[:, :k], x, dim)


def chosen(x, dim, keep, place):
    """Of each row in order the element at a place, which a function gives for rows, and its place in x."""
    dim %= max(x.dim(), 1)
    values, places = sorted_rows(x, dim)
    if values is None:
        return NotImplemented
    at = place(values)
    found = [back(torch.gather(each, 1, at), x, dim) for each in (values, places)]
    return found if keep or not x.dim() else [each.squeeze(dim) for each in found]


def kthvalue(x, k, dim=-1, keepdim=False):
    if not 1 <= k <= (x.size(dim) if x.dim() else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim % max(x.dim(), 1)}")
    return chosen(x, dim, keepdim, lambda values: torch.full((values.size(0), 1), k - 1, device=x.device))


def middle(values, ignores_nan):
    """The place of the median in rows that are in order."""
    length = values.size(1)
    if not values.dtype.is_floating_point:
        return torch.full((values.size(0), 1), (length - 1) // 2, device=values.device)
    usual = torch.sum(values == values, 1, True)
    if ignores_nan:
        return torch.div((usual - 1).clamp_min(0), 2, rounding_mode="floor")
    return torch.where(usual == length, (length - 1) // 2, usual)


def median(ignores_nan):
    def function(x, dim=None, keepdim=False):
        if dim is not None:
            return chosen(x, dim, keepdim, lambda values: middle(values, ignores_nan))
        if not x.numel():
            return NotImplemented
        return function(x.reshape(-1), 0)[0]
    return function


def mode(x, dim=-1, keepdim=False):
    """The smallest of those elements that are there most often, and the last place of it."""
    dim %= max(x.dim(), 1)
    values, places = sorted_rows(x, dim)
    if values is None:
        return NotImplemented
    each = torch.arange(values.size(1), device=x.device).expand(values.size())
    begins = torch.ones(values.size(), dtype=torch.bool, device=x.device)
    begins[:, 1:] = values[:, 1:] != values[:, :-1]
    first = torch.cummax(torch.where(begins, each, 0), 1)[0]
    at = torch.argmax(each - first, 1, True)
    found = [back(torch.gather(one, 1, at), x, dim) for one in (values, places)]
    return found if keepdim or not x.dim() else [one.squeeze(dim) for one in found]


def runs(line, place, wants_inverse, wants_counts):
    """The elements of a line in which the same are beside each other, once; the numbers of these; how often each is."""
    count = line.numel()
    begins = torch.ones(count, dtype=torch.bool, device=line.device)
    if count > 1:
        begins[1:] = line[1:] != line[:-1]
    first = placing.where_true(begins)
    made, inverse, counts = torch.index_select(line, 0, first), first.new_empty(0), first.new_empty(0)
    if wants_inverse:
        number = torch.cumsum(begins, 0) - 1
        inverse = number if place is None else torch.empty_like(number).scatter_(0, place, number)
    if wants_counts:
        counts = torch.cat([first[1:], first.new_full((min(count, 1), ), count)]) - first
    return made, inverse, counts


def unique(x, sorted=True, return_inverse=False, return_counts=False):
    line = x.reshape(-1)
    if not line.numel():
        return x.new_empty(0), x.new_empty(x.size() if return_inverse else 0, dtype=torch.int64), x.new_empty(
            0, dtype=torch.int64)
    values, places = sorted_rows(line.view(torch.uint8) if line.dtype == torch.bool else line, 0)
    made, inverse, counts = runs(values[0], places[0], return_inverse, return_counts)
    return made.to(x.dtype), inverse.view(x.size()) if return_inverse else inverse, counts


def unique_alone(x, sorted=True, return_inverse=False):
    return unique(x, sorted, return_inverse)[:2]


def unique_consecutive(x, return_inverse=False, return_counts=False, dim=None):
    if dim is not None and x.dim() != 1:
        return NotImplemented
    made, inverse, counts = runs(x.reshape(-1), None, return_inverse, return_counts)
    return made, inverse.view(x.size()) if return_inverse else inverse, counts


def searchsorted(sequence, x, *, out_int32=False, right=False, side=None, sorter=None):
    if not isinstance(x, torch.Tensor):
        x = torch.full((), x, dtype=torch.result_type(sequence, x), device=sequence.device)
    if sequence.dtype != x.dtype or sequence.dtype == torch.bool:
        return NotImplemented
    if sorter is not None:
        sequence = torch.gather(sequence, -1, sorter)
    made = torch.empty(x.size(), dtype=torch.int32 if out_int32 else torch.int64, device=x.device)
    length = sequence.size(-1)
    wanted = x.numel() if sequence.dim() == 1 else x.size(-1)
    if x.numel():
        search[(triton.cdiv(x.numel(), BLOCK), )](
            made, sequence.contiguous(), x.contiguous(), x.numel(), length, wanted, length.bit_length(),
            IS_RIGHT=side == "right" if side else right, COMPUTE=rows.COMPUTED_IN[rows.wide(x.dtype)], BLOCK=BLOCK,
            **kernels.OPTIONS)
    return made


def bucketize(x, boundaries, *, out_int32=False, right=False):
    return searchsorted(boundaries, x, out_int32=out_int32, right=right)


def bincount(x, weights=None, minlength=0):
    if x.dtype.is_floating_point or x.dtype == torch.bool:
        raise NotImplementedError(f"bincount of {x.dtype}")
    if not x.numel():
        return torch.zeros(minlength, dtype=torch.int64 if weights is None else weights.dtype, device=x.device)
    if int(x.min()) < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    weights = torch.ones_like(x, dtype=torch.int64) if weights is None else weights
    weights = weights if weights.dtype in (torch.float32, torch.int64) else weights.double()
    made = torch.zeros(max(int(x.max()) + 1, minlength), dtype=weights.dtype, device=x.device)
    return made.scatter_add_(0, x.to(torch.int64), weights)


def histogram(x, bins=100, min=0, max=0):
    """How many elements are in each of as many parts of a range, that of the elements if none is given."""
    if x.dtype not in (torch.float32, torch.float64) and x.dtype not in device.WHOLE:
        return NotImplemented
    if min == max and x.numel():
        min, max = (value.item() for value in (x.min(), x.max()))
    if min == max:
        min, max = min - 1, max + 1
    made = torch.zeros(bins, dtype=torch.int64, device=x.device)
    wide = x.reshape(-1).to(x.dtype if x.dtype.is_floating_point else torch.float64)
    place = ((wide - min) * bins / (max - min)).floor().clamp_max(bins - 1)
    place = torch.where((wide >= min) & (wide <= max), place, -1).to(torch.int64)
    placing.launch("add", made, place, torch.ones_like(place), 0, True, True)
    return made.to(x.dtype)


OPERATIONS = {name: formed(function) for name, function in {
    "sort": sort, "topk": topk, "kthvalue": kthvalue, "median": median(False), "nanmedian": median(True), "mode": mode,
    "_unique2": unique, "_unique": unique_alone, "unique_consecutive": unique_consecutive,
    "searchsorted": searchsorted, "bucketize": bucketize, "bincount": bincount, "histc": histogram,
}.items()}
