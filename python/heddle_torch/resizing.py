"""Operations that give images another size: interpolation between elements, and padding with some of them."""
import math

import torch

from heddle_torch import device, placing
from heddle_torch.formed import formed


def scale_of(extent, size, aligned, scale):
    """How far the elements that are asked for are apart."""
    if aligned:
        return (extent - 1) / (size - 1) if size > 1 else 0.0
    return 1 / scale if scale is not None and scale > 0 else extent / size


def at_most(value, bound):
    return min(max(value, 0), bound)


def nearest(extent, size, scale, is_exact):
    step = scale_of(extent, size, False, scale)
    # As PyTorch has it, in single precision.
    step = torch.tensor(step, dtype=torch.float32)
    place = torch.arange(size, dtype=torch.float32)
    place = (place + 0.5) * step if is_exact else place * step
    return [(place.floor().to(torch.int64).clamp_max(extent - 1), None)]


def positions(extent, size, aligned, scale, is_cubic=False):
    """Where the elements that are asked for are among those that are there."""
    step = scale_of(extent, size, aligned, scale)
    place = torch.arange(size, dtype=torch.float64)
    place = place * step if aligned else (place + 0.5) * step - 0.5
    return place if is_cubic else place.clamp_min(0)


def linear(extent, size, aligned, scale):
    place = positions(extent, size, aligned, scale)
    low = place.floor().to(torch.int64).clamp_max(extent - 1)
    part = (place - low).clamp(0, 1)
    return [(low, 1 - part), ((low + 1).clamp_max(extent - 1), part)]


def cubic_weight(distance, a=-0.75):
    x = distance.abs()
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return torch.where(x <= 1, near, torch.where(x < 2, far, 0.0))


def cubic(extent, size, aligned, scale):
    place = positions(extent, size, aligned, scale, True)
    low = place.floor()
    return [((low + shift).to(torch.int64).clamp(0, extent - 1), cubic_weight(place - low - shift))
            for shift in (-1, 0, 1, 2)]


def smoothed(weight, width):
    """Weights of all elements within a width, which grows with the step, so that no element is passed over."""
    def function(extent, size, aligned, scale):
        step = scale_of(extent, size, aligned, scale)
        support, inverse = (width * step, 1 / step) if step >= 1 else (width, 1.0)
        center = step * (torch.arange(size, dtype=torch.float64) + 0.5)
        low = (center - support + 0.5).to(torch.int64).clamp_min(0)
        high = (center + support + 0.5).to(torch.int64).clamp_max(extent)
        places = [low + which for which in range(math.ceil(support) * 2 + 1)]
        weights = [torch.where(place < high, weight((place - center + 0.5) * inverse), 0.0) for place in places]
        total = sum(weights)
        return [(place.clamp_max(extent - 1), each / total) for place, each in zip(places, weights)]
    return function


def triangle_weight(distance):
    return (1 - distance.abs()).clamp_min(0)


def on_device(parts, x, dim):
    """Places and factors for a dimension of x; a factor of none is none to multiply with."""
    sizes = [-1 if which == dim else 1 for which in range(x.dim())]
    return [(place.to(x.device), None if weight is None else weight.to(x.dtype).to(x.device).view(sizes))
            for place, weight in parts]


def take_parts(x, dim, parts):
    total = None
    for place, weight in on_device(parts, x, dim):
        part = torch.index_select(x, dim, place)
        part = part if weight is None else part * weight
        total = part if total is None else total + part
    return total


def give_parts(grad, dim, parts, extent):
    """Gives elements their parts of the gradients of what was made of them."""
    sizes = list(grad.size())
    sizes[dim] = extent
    made = torch.zeros(sizes, dtype=grad.dtype, device=grad.device)
    for place, weight in on_device(parts, grad, dim):
        made.index_add_(dim, place, grad if weight is None else grad * weight)
    return made


def wide(x):
    return x.float() if x.dtype in device.FLOATS else x


def resized(parts_of, count, has_aligned):
    """Of the last dimensions, each by itself."""
    def function(x, output_size, *rest):
        aligned, scales = (rest[0], rest[1:]) if has_aligned else (None, rest)
        made = wide(x)
        for which, size in enumerate(output_size):
            scale = scales[which] if which < len(scales) else None
            parts = parts_of(x.size(2 + which), size, aligned, scale)
            made = take_parts(made, 2 + which, parts)
        return made.to(x.dtype)
    return function


def resized_gradient(parts_of, count, has_aligned):
    def function(grad, output_size, input_size, *rest):
        aligned, scales = (rest[0], rest[1:]) if has_aligned else (None, rest)
        made = wide(grad)
        for which, size in enumerate(output_size):
            scale = scales[which] if which < len(scales) else None
            extent = input_size[2 + which]
            made = give_parts(made, 2 + which, parts_of(extent, size, aligned, scale), extent)
        return made.to(grad.dtype)
    return function


def reflected(extent, before, behind):
    place = torch.arange(-before, extent + behind).abs()
    return torch.where(place >= extent, 2 * (extent - 1) - place, place)


def replicated(extent, before, behind):
    return torch.arange(-before, extent + behind).clamp(0, extent - 1)


def padded(places_of):
    def function(x, padding):
        for which in range(len(padding) // 2):
            dim = x.dim() - 1 - which
            places = places_of(x.size(dim), padding[2 * which], padding[2 * which + 1])
            x = torch.index_select(x, dim, places.to(x.device))
        return x
    return function


def padded_gradient(places_of):
    def function(grad, x, padding):
        made = wide(grad)
        for which in range(len(padding) // 2):
            dim = x.dim() - 1 - which
            places = places_of(x.size(dim), padding[2 * which], padding[2 * which + 1])
            made = give_parts(made, dim, [(places, None)], x.size(dim))
        return made.to(grad.dtype)
    return function


NAMES = {1: "linear", 2: "bilinear", 3: "trilinear"}
METHODS = {
    **{f"upsample_nearest{count}d": (lambda extent, size, _, scale: nearest(extent, size, scale, False), count, False)
       for count in NAMES},
    **{f"_upsample_nearest_exact{count}d": (lambda extent, size, _, scale: nearest(extent, size, scale, True), count,
                                            False) for count in NAMES},
    **{f"upsample_{name}{count}d": (linear, count, True) for count, name in NAMES.items()},
    "upsample_bicubic2d": (cubic, 2, True),
    "_upsample_bilinear2d_aa": (smoothed(triangle_weight, 1), 2, True),
    "_upsample_bicubic2d_aa": (smoothed(lambda distance: cubic_weight(distance, -0.5), 2), 2, True),
}
PADS = {f"{name}_pad{count}d": places_of for count in NAMES
        for name, places_of in {"reflection": reflected, "replication": replicated}.items()}
OPERATIONS = {
    **{name: formed(resized(*method)) for name, method in METHODS.items()},
    **{f"{name}_backward": formed(resized_gradient(*method)) for name, method in METHODS.items()},
    **{name: formed(padded(places_of)) for name, places_of in PADS.items()},
    **{f"{name}_backward": formed(padded_gradient(places_of)) for name, places_of in PADS.items()},
}
