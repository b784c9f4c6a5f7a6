"""Elements of images at places between them, which a grid gives, and the gradients of both."""
import itertools

import torch

from heddle_torch import placing
from heddle_torch.formed import formed

LINEAR, NEAREST, CUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)


def reflected(place, low, high):
    """A place that is mirrored at both ends until it lies between, and the sign of the way back."""
    if low == high:
        return torch.zeros_like(place), torch.zeros_like(place)
    low, span = low / 2, (high - low) / 2
    way = place - low
    turns = torch.div(way.abs(), span, rounding_mode="floor")
    rest = way.abs() - turns * span
    is_even = torch.remainder(turns, 2) == 0
    sign = torch.where(way < 0, -1.0, 1.0)
    return torch.where(is_even, rest, span - rest) + low, torch.where(is_even, sign, -sign)


def placed(grid, extent, padding, aligned):
    """The place among the elements of a dimension, and how fast it goes with the grid's number."""
    factor = (extent - 1) / 2 if aligned else extent / 2
    place = (grid + 1) * factor if aligned else ((grid + 1) * extent - 1) / 2
    speed = torch.full_like(place, factor)
    if padding == REFLECTION:
        place, sign = reflected(place, 0 if aligned else -1, 2 * (extent - 1) if aligned else 2 * extent - 1)
        speed = speed * sign
    if padding != ZEROS:
        speed = torch.where((place <= 0) | (place >= extent - 1), 0.0, speed)
        place = torch.where(place == place, place, 0.0).clamp(0, extent - 1)
    return place, speed


class Corners:
    """The elements around each place, with their weights."""

    def __init__(self, x, grid, mode, padding, aligned):
        self.extents = x.size()[2:]
        count = len(self.extents)
        found = [placed(grid[..., count - 1 - dim], extent, padding, aligned)
                 for dim, extent in enumerate(self.extents)]
        self.places, self.speeds = [place for place, _ in found], [speed for _, speed in found]
        if mode == NEAREST:
            self.lows, self.parts = [place.round() for place in self.places], None
        else:
            self.lows = [place.floor() for place in self.places]
            self.parts = [place - low for place, low in zip(self.places, self.lows)]

    def each(self):
        """For each corner the sides that it is on."""
        return itertools.product(*[(0, 1) if self.parts else (0, )] * len(self.extents))

    def at(self, sides):
        """The number of the element at a corner, and whether there is one."""
        number, inside = 0, True
        for low, side, extent in zip(self.lows, sides, self.extents):
            place = low + side
            inside = (place >= 0) & (place < extent) & inside
            number = number * extent + torch.where(inside, place, 0.0).to(torch.int64)
        return torch.where(inside, number, 0), inside

    def weight(self, sides, left_out=None):
        """The product of what the distances in all dimensions, or all but one, weigh."""
        made = None
        for dim, side in enumerate(sides) if self.parts else ():
            if dim != left_out:
                part = self.parts[dim] if side else 1 - self.parts[dim]
                made = part if made is None else made * part
        return made


def gathered(flat, number, inside):
    """Elements of images [n, c, ...] by their numbers [n, ...], zeros where there is none."""
    images, channels = flat.size()[:2]
    index = number.reshape(images, 1, -1).expand(images, channels, -1)
    return torch.where(inside.reshape(images, 1, -1), torch.gather(flat, 2, index), 0.0)


def wide(x):
    return x.to(placing.worked_in("add", x.dtype))


def sample(x, grid, interpolation_mode, padding_mode, align_corners):
    if interpolation_mode == CUBIC:
        return NotImplemented
    corners = Corners(x, wide(grid), interpolation_mode, padding_mode, align_corners)
    flat, made = wide(x).reshape(*x.size()[:2], -1), None
    for sides in corners.each():
        part, weight = gathered(flat, *corners.at(sides)), corners.weight(sides)
        part = part if weight is None else part * weight.reshape(x.size(0), 1, -1)
        made = part if made is None else made + part
    return made.view(*x.size()[:2], *grid.size()[1:-1]).to(x.dtype)


def gradients(grad, x, grid, interpolation_mode, padding_mode, align_corners, output_mask=(True, True)):
    if interpolation_mode == CUBIC:
        return NotImplemented
    corners = Corners(x, wide(grid), interpolation_mode, padding_mode, align_corners)
    images, channels, count = x.size(0), x.size(1), len(corners.extents)
    flat, flat_grad = wide(x).reshape(images, channels, -1), wide(grad).reshape(images, channels, -1)
    to_x, to_places = torch.zeros_like(flat), [torch.zeros_like(place) for place in corners.places]
    for sides in corners.each():
        number, inside = corners.at(sides)
        weight = corners.weight(sides)
        share = flat_grad if weight is None else flat_grad * weight.reshape(images, 1, -1)
        share = torch.where(inside.reshape(images, 1, -1), share, 0.0)
        to_x.scatter_add_(2, number.reshape(images, 1, -1).expand(share.size()), share)
        for dim in range(count) if corners.parts else ():
            slope = torch.sum(gathered(flat, number, inside) * flat_grad, 1).view(number.size())
            others = corners.weight(sides, dim)
            slope = slope if others is None else slope * others
            to_places[dim] = to_places[dim] + slope if sides[dim] else to_places[dim] - slope
    to_grid = torch.stack([to_places[dim] * corners.speeds[dim] for dim in range(count)][::-1], -1)
    return (to_x.view(x.size()).to(x.dtype) if output_mask[0] else None,
            to_grid.to(grid.dtype) if output_mask[1] else None)


OPERATIONS = {name: formed(function) for count in (2, 3) for name, function in {
    f"grid_sampler_{count}d": sample, f"grid_sampler_{count}d_backward": gradients}.items()}
