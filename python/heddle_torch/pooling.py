"""Operations that take the largest or the average of windows, of one to three dimensions, and their gradients."""
import triton
from triton import language as tl

import torch

from heddle_torch import device, kernels, placing
from heddle_torch.formed import formed

BLOCK = 128
NUMBERS = ["count", "n0", "n1", "n2", "m0", "m1", "m2", "k0", "k1", "k2", "s0", "s1", "s2", "p0", "p1", "p2",  #
           "d0", "d1", "d2", "divisor"]


@triton.jit
def window(place, extent, places, size, step, padding, ADAPTIVE: tl.constexpr):
    """Where a window begins, and how many elements it has."""
    if ADAPTIVE:
        begin = place * extent // places
        length = ((place + 1) * extent + places - 1) // places - begin
    else:
        begin = place * step - padding
        length = tl.zeros_like(place) + size
    return begin, length


@triton.jit
def share(begin0, begin1, begin2, l0, l1, l2, n0, n1, n2, p0, p1, p2, divisor, COUNTS_PADDING: tl.constexpr):
    """What the sum of a window is divided by: its elements, with those of the padding or without, or a number."""
    e0, e1, e2 = tl.minimum(begin0 + l0, n0 + p0), tl.minimum(begin1 + l1, n1 + p1), tl.minimum(begin2 + l2, n2 + p2)
    if COUNTS_PADDING:
        size = (e0 - begin0) * (e1 - begin1) * (e2 - begin2)
    else:
        size = ((tl.minimum(e0, n0) - tl.maximum(begin0, 0)) * (tl.minimum(e1, n1) - tl.maximum(begin1, 0)) *
                (tl.minimum(e2, n2) - tl.maximum(begin2, 0)))
    return tl.where(divisor != 0, divisor, size)


@triton.jit(do_not_specialize=NUMBERS, do_not_specialize_on_alignment=["out", "place_out", "x"])
def pool(out, place_out, x, count, n0, n1, n2, m0, m1, m2, k0, k1, k2, s0, s1, s2, p0, p1, p2, d0, d1, d2, divisor,
         KIND: tl.constexpr, ADAPTIVE: tl.constexpr, COUNTS_PADDING: tl.constexpr, COMPUTE: tl.constexpr,
         START: tl.constexpr, BLOCK: tl.constexpr):
    """For each window the largest element and its place, or the average, or the windows' gradients for x into out.

    Images have the extents n, there are m windows along each dimension, of k places d apart, every s from -p on.
    """
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    w2, w1, w0, image = at % m2, at // m2 % m1, at // m2 // m1 % m0, (at // m2 // m1 // m0).to(tl.int64) * n0 * n1 * n2
    b0, l0 = window(w0, n0, m0, k0, s0, p0, ADAPTIVE)
    b1, l1 = window(w1, n1, m1, k1, s1, p1, ADAPTIVE)
    b2, l2 = window(w2, n2, m2, k2, s2, p2, ADAPTIVE)
    size = share(b0, b1, b2, l0, l1, l2, n0, n1, n2, p0, p1, p2, divisor, COUNTS_PADDING)
    best = tl.full((BLOCK, ), START, COMPUTE)
    first = tl.full((BLOCK, ), 2**31 - 1, tl.int32)
    total = tl.zeros((BLOCK, ), COMPUTE)
    if KIND == "spread":
        total = kernels.divide(tl.load(x + at, inside, other=0).to(COMPUTE), size.to(COMPUTE))
    for i0 in range(k0):
        for i1 in range(k1):
            for i2 in range(k2):
                e0, e1, e2 = b0 + i0 * d0, b1 + i1 * d1, b2 + i2 * d2
                here = (inside & (i0 < l0) & (i1 < l1) & (i2 < l2) & (e0 >= 0) & (e1 >= 0) & (e2 >= 0) & (e0 < n0) &
                        (e1 < n1) & (e2 < n2))
                place = (e0 * n1 + e1) * n2 + e2
                if KIND == "spread":
                    tl.atomic_add(out + image + place, total, here)
                else:
                    value = tl.load(x + image + place, here, other=0).to(COMPUTE)
                    takes = here & ((first == 2**31 - 1) | (value > best) | (value != value))
                    best, first = tl.where(takes, value, best), tl.where(takes, place, first)
                    total += value
    if KIND == "largest":
        tl.store(out + at, best, inside)
        tl.store(place_out + at, first.to(tl.int64), inside)
    elif KIND == "average":
        if (COMPUTE == tl.float32) | (COMPUTE == tl.float64):
            average = kernels.divide(total, size.to(COMPUTE))
        else:
            average = total // size.to(COMPUTE)
        tl.store(out + at, average, inside)


def each(values, count, default=None):
    """A number for each of as many dimensions, and in front of them others up to three."""
    values = [values] if isinstance(values, int) else list(values) or list(default)
    return values * count if len(values) == 1 else values


def three(values, filler):
    return [filler] * (3 - len(values)) + list(values)


class Windows:
    """The windows of an operation's arguments."""

    def __init__(self, x, count, size, stride, padding, dilation, divisor=0, counts_padding=False, adaptive=False):
        self.extents = three(list(x.size()[-count:]), 1)
        self.numbers = [*three(size, 1), *three(stride, 1), *three(padding, 0), *three(dilation, 1), divisor or 0]
        self.counts_padding, self.adaptive = counts_padding, adaptive

    def run(self, kind, out, places, x, windows, start=0):
        compute = torch.float32 if x.dtype in device.FLOATS else x.dtype
        count = x.numel() if kind == "spread" else out.numel()
        if count:
            pool[(triton.cdiv(count, BLOCK), )](
                out, places, x, count, *self.extents, *three(windows, 1), *self.numbers, KIND=kind,
                ADAPTIVE=self.adaptive, COUNTS_PADDING=self.counts_padding, START=start, BLOCK=BLOCK,
                COMPUTE=placing.elementwise.COMPUTED_IN[compute], **kernels.OPTIONS)
        return out


def windows_along(extent, size, stride, padding, dilation, rounds_up):
    """How many windows there are; none begins behind the elements and their padding in front."""
    rest = extent + 2 * padding - dilation * (size - 1) - 1
    count = (rest + (stride - 1 if rounds_up else 0)) // stride + 1
    return count - 1 if rounds_up and (count - 1) * stride >= extent + padding else count


def largest(count):
    def function(x, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
        size = each(kernel_size, count)
        stride, padding, dilation = each(stride, count, size), each(padding, count), each(dilation, count)
        sizes = [windows_along(*numbers, ceil_mode) for numbers in zip(x.size()[-count:], size, stride, padding,
                                                                       dilation)]
        return find(Windows(x, count, size, stride, padding, dilation), x, count, sizes)
    return function


def find(windows, x, count, sizes):
    """The largest of each window and its place among the elements of an image."""
    x = x.contiguous()
    made = torch.empty([*x.size()[:-count], *sizes], dtype=x.dtype, device=x.device)
    places = torch.empty(made.size(), dtype=torch.int64, device=x.device)
    start = float("-inf") if x.dtype.is_floating_point else torch.iinfo(x.dtype).min
    windows.run("largest", made, places, x, sizes, start)
    return made, places


def adaptive(x, count, sizes):
    longest = [-(-(extent + size - 1) // size) + 1 for extent, size in zip(x.size()[-count:], sizes)]
    return Windows(x, count, longest, [1] * count, [0] * count, [1] * count, adaptive=True)


def adaptive_largest(count):
    def function(x, output_size):
        sizes = each(output_size, count)
        return find(adaptive(x, count, sizes), x, count, sizes)
    return function


def to_places(count, place_of):
    """Adds each window's gradient to the element that was the largest of it."""
    def function(grad, x, *rest, **named):
        places = named.get("indices", rest[place_of] if len(rest) > place_of else None)
        images = x.size()[:-count]
        made = torch.zeros([*images, placing.extent(x.size()[-count:])], dtype=placing.worked_in("add", grad.dtype),
                           device=x.device)
        flat = [value.reshape([*images, -1]) for value in (places, grad.to(made.dtype))]
        return made.scatter_add_(-1, *flat).to(grad.dtype).view(x.size())
    return function


def averaging(x, count, kernel_size, stride, padding, divisor, counts_padding):
    size = each(kernel_size, count)
    stride, padding = each(stride, count, size), each(padding, count)
    return Windows(x, count, size, stride, padding, [1] * count, divisor, counts_padding), size, stride, padding


def average(count):
    def function(x, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        windows, size, stride, padding = averaging(x, count, kernel_size, stride, padding, divisor_override,
                                                   count_include_pad)
        sizes = [windows_along(*numbers, 1, ceil_mode) for numbers in zip(x.size()[-count:], size, stride, padding)]
        made = torch.empty([*x.size()[:-count], *sizes], dtype=x.dtype, device=x.device)
        return windows.run("average", made, made, x.contiguous(), sizes)
    return function


def spread(windows, grad, x, count):
    """Gives each element its part of the gradients of the windows that it is in."""
    made = torch.zeros(x.size(), dtype=placing.worked_in("add", grad.dtype), device=x.device)
    grad = grad.contiguous()
    return windows.run("spread", made, made, grad, grad.size()[-count:]).to(grad.dtype)


def average_gradient(count):
    def function(grad, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override=None):
        windows = averaging(x, count, kernel_size, stride, padding, divisor_override, count_include_pad)[0]
        return spread(windows, grad, x, count)
    return function


def adaptive_average(count):
    def function(x, output_size):
        sizes = each(output_size, count)
        made = torch.empty([*x.size()[:-count], *sizes], dtype=x.dtype, device=x.device)
        return adaptive(x, count, sizes).run("average", made, made, x.contiguous(), sizes)
    return function


def adaptive_average_gradient(count):
    return lambda grad, x: spread(adaptive(x, count, grad.size()[-count:]), grad, x, count)


def begins(extent, size, places, sample):
    """Where windows begin whose distances a random number for each image varies."""
    if places == 1:
        return torch.full([*sample.size(), 1], extent - size, device=sample.device)
    step = (extent - size) / (places - 1)
    each = torch.arange(places - 1, device=sample.device)
    moved = ((each + sample.unsqueeze(-1)) * step).to(torch.int64) - (sample * step).to(torch.int64).unsqueeze(-1)
    return torch.cat([moved, moved.new_full([*sample.size(), 1], extent - size)], -1)


def fractional(count):
    """The largest of windows whose distances are random, and its place."""
    def function(x, kernel_size, output_size, random_samples):
        size, places = each(kernel_size, count), each(output_size, count)
        images, number = x.size()[:-count], 0
        for dim, extent in enumerate(x.size()[-count:]):
            sample = random_samples[..., count - 1 - dim if count == 2 else dim].float().view(images)
            found = begins(extent, size[dim], places[dim], sample).unsqueeze(-1) + torch.arange(
                size[dim], device=x.device)
            sizes = [1] * (2 * count)
            sizes[dim], sizes[count + dim] = places[dim], size[dim]
            number = number * extent + found.view(*images, *sizes)
        number = number.reshape(*images, -1)
        values, which = torch.gather(x.reshape(*images, -1), -1, number).view(*images, *places, -1).max(-1)
        return values, torch.gather(number.view(*images, *places, -1), -1, which.unsqueeze(-1)).squeeze(-1)
    return function


def unpooled(count):
    """Zeros with elements at the places that they were the largest of a window at."""
    def function(x, indices, output_size, *rest):
        images = x.size()[:-count]
        made = torch.zeros([*images, placing.extent(output_size)], dtype=x.dtype, device=x.device)
        made.scatter_(-1, indices.reshape([*images, -1]), x.reshape([*images, -1]))
        return made.view([*images, *output_size])
    return function


OPERATIONS = {name: formed(function) for count in (2, 3) for name, function in {
    f"max_pool{count}d_with_indices": largest(count),
    f"max_pool{count}d_with_indices_backward": to_places(count, 5),
    f"adaptive_max_pool{count}d": adaptive_largest(count),
    f"adaptive_max_pool{count}d_backward": to_places(count, 0),
    f"fractional_max_pool{count}d": fractional(count), f"fractional_max_pool{count}d_backward": to_places(count, 2),
    f"avg_pool{count}d": average(count), f"avg_pool{count}d_backward": average_gradient(count),
    f"_adaptive_avg_pool{count}d": adaptive_average(count),
    f"_adaptive_avg_pool{count}d_backward": adaptive_average_gradient(count), f"max_unpool{count}d": unpooled(count),
}.items()}
OPERATIONS["adaptive_avg_pool3d"] = OPERATIONS["_adaptive_avg_pool3d"]
