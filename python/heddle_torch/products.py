"""Products of matrices, and convolutions that are made of them."""
import itertools
import math

import triton

import torch

from heddle_torch import checks, device, kernels
from heddle_torch.elementwise import COMPUTED_IN, NUMBERS, fits, is_exact

TILE = 32
# The more columns a program has, the more products there are for each load. Loads ahead of their products, in stages,
# hide no time of the emulator, and cost instructions.
MOST_COLUMNS, OPTIONS = 128, {"num_warps": 4, "num_stages": 1}


def multiply(out, a, b, bias=None, alpha=1, beta=1):
    """Writes the products of batches of matrices, with a multiple of bias added."""
    batches, rows, inner = a.size()
    columns = b.size(2)
    added = out if bias is None else bias.expand(out.size())
    if out.numel():
        wide = min(MOST_COLUMNS, max(TILE, triton.next_power_of_2(columns))) if a.dtype in device.FLOATS else TILE
        grid = (triton.cdiv(columns, wide), triton.cdiv(rows, TILE), batches)
        given = (out, added, a, b, rows, columns, inner, *a.stride(), *b.stride(), *out.stride(), *added.stride())
        if a.dtype in device.FLOATS:
            kernels.product[grid](*given, float(alpha), float(beta), HAS_BIAS=bias is not None, TILE=TILE,
                                  COLUMNS=wide, IS_WIDE=a.dtype == torch.float32, enable_fp_fusion=True,
                                  **OPTIONS)
        else:
            number = float if a.dtype == torch.float64 else int
            kernels.product_of_any[grid](*given, number(alpha), number(beta), HAS_BIAS=bias is not None, TILE=TILE,
                                         COMPUTE=COMPUTED_IN[a.dtype], **kernels.OPTIONS)
    return out


def product(op, args, kwargs):
    """Of matrices or batches of them: the same for mm, bmm, addmm and baddbmm."""
    plan = device.Plan(op, args, kwargs)
    base = device.base_of(op.name())
    bias, (a, b) = (args[0], args[1:3]) if "add" in base else (None, args[:2])
    types = {tensor.dtype for tensor in plan.inputs}
    if not plan.is_usual() or len(types) != 1 or not types <= set(NUMBERS) or a.dtype != plan.result.dtype:
        return NotImplemented
    if set(kwargs) - {"alpha", "beta", "out"}:
        return NotImplemented
    alpha, beta = kwargs.get("alpha", 1), kwargs.get("beta", 1)
    if not all(is_exact(value, a.dtype) and fits(value, a.dtype) for value in (alpha, beta)):
        return NotImplemented
    to = plan.destination()
    batch = to.unsqueeze(0) if to.dim() == 2 else to
    a, b = (value.unsqueeze(0) if value.dim() == 2 else value for value in (a, b))
    multiply(batch, a, b, bias if beta != 0 else None, alpha, beta)
    return to


def dot(op, args, kwargs):
    """Of two lines of numbers."""
    a, b = args[:2]
    if kwargs.get("out") is not None or not usual_pair(a, b):
        return NotImplemented
    return torch.mm(a.unsqueeze(0), b.unsqueeze(1)).view(())


def addmv(op, args, kwargs):
    """A matrix times a line, added to another."""
    added, matrix, line = args[:3]
    if not all(device.is_usual(value) for value in args[:3]) or not usual_pair(matrix, line):
        return NotImplemented
    out = kwargs.get("out", added if device.works_in_place(op) else None)
    made = torch.addmm(added.unsqueeze(-1) if added.dim() else added, matrix, line.unsqueeze(1),
                       beta=kwargs.get("beta", 1), alpha=kwargs.get("alpha", 1)).squeeze(1)
    return made if out is None else out.resize_(made.size()).copy_(made)


def usual_pair(a, b):
    return device.is_usual(a) and device.is_usual(b) and a.dtype == b.dtype and a.dtype != torch.bool


def is_plain(*tensors):
    """Whether a convolution is one that matrices can do."""
    return (len({tensor.dtype for tensor in tensors}) == 1 and tensors[0].dtype in NUMBERS
            and 3 <= tensors[0].dim() <= 5 and all(device.is_usual(tensor) and tensor.numel() for tensor in tensors))


def each(values, count):
    return list(values) * count if len(values) == 1 else list(values)


class Windows:
    """Where the places of a kernel go over images, of one to three dimensions."""

    def __init__(self, sizes, stride, padding, dilation):
        count = len(sizes)
        self.sizes, self.stride, self.padding, self.dilation = (
            list(sizes), each(stride, count), each(padding, count), each(dilation, count))

    def view(self, images, places):
        """Of the images with zeros around them what each place of a kernel meets, as often as it is put down."""
        around = [size for padding in self.padding[::-1] for size in (padding, padding)]
        padded = torch.constant_pad_nd(images, around).contiguous() if any(around) else images.contiguous()
        steps = padded.stride()[2:]
        strides = [*padded.stride()[:2], *(step * far for step, far in zip(steps, self.dilation)),
                   *(step * far for step, far in zip(steps, self.stride))]
        return padded.as_strided([*padded.size()[:2], *self.sizes, *places], strides)

    def spread(self, columns, extents):
        """Images in which each element is the sum of what the places of a kernel give for it."""
        padded = [extent + 2 * padding for extent, padding in zip(extents, self.padding)]
        images = columns.new_zeros([*columns.size()[:2], *padded])
        count = len(self.sizes)
        for place in itertools.product(*(range(size) for size in self.sizes)):
            begins = [which * far for which, far in zip(place, self.dilation)]
            ranges = [slice(begin, begin + step * (many - 1) + 1, step) for begin, step, many in zip(
                begins, self.stride, columns.size()[2 + count:])]
            images[(slice(None), slice(None), *ranges)].add_(columns[(slice(None), slice(None), *place)])
        inner = [slice(padding, padding + extent) for padding, extent in zip(self.padding, extents)]
        return images[(slice(None), slice(None), *inner)]


def forward(x, weight, windows, groups, places, bias=None):
    """The products of a kernel's places and what they meet."""
    view = windows.view(x, places)
    count, outputs, inputs = x.size(0), weight.size(0) // groups, weight.size(1)
    made = torch.empty((count, weight.size(0), math.prod(places)), dtype=x.dtype, device=x.device)
    for group in range(groups):
        columns = view[:, group * inputs:(group + 1) * inputs].reshape(count, -1, made.size(2))
        rows = slice(group * outputs, (group + 1) * outputs)
        matrix = weight[rows].reshape(1, outputs, -1).expand(count, -1, -1)
        multiply(made[:, rows], matrix, columns, None if bias is None else bias[rows].view(1, -1, 1))
    return made.view(count, weight.size(0), *places)


def to_input(grad, weight, windows, groups, extents):
    """The gradient of images from that of what was made of them."""
    count, outputs, inputs = grad.size(0), weight.size(0) // groups, weight.size(1)
    flat, parts = grad.reshape(count, weight.size(0), -1), []
    for group in range(groups):
        rows = slice(group * outputs, (group + 1) * outputs)
        matrix = weight[rows].reshape(1, outputs, -1).expand(count, -1, -1).transpose(1, 2)
        columns = multiply(grad.new_empty((count, matrix.size(1), flat.size(2))), matrix, flat[:, rows])
        parts.append(windows.spread(columns.view(count, inputs, *windows.sizes, *grad.size()[2:]), extents))
    return parts[0].contiguous() if groups == 1 else torch.cat(parts, 1)


def to_weight(grad, x, weight, windows, groups):
    """The gradient of a kernel from that of what was made of images with it."""
    places = grad.size()[2:]
    view, count, area = windows.view(x, places), x.size(0), math.prod(places)
    flat, made = grad.reshape(count, weight.size(0), area), torch.empty_like(
        weight, memory_format=torch.contiguous_format)
    outputs, inputs = weight.size(0) // groups, weight.size(1)
    for group in range(groups):
        rows, channels = slice(group * outputs, (group + 1) * outputs), slice(group * inputs, (group + 1) * inputs)
        columns = view[:, channels].reshape(count, -1, area)
        parts = flat.new_empty((count, outputs, columns.size(1)))
        made[rows] = multiply(parts, flat[:, rows], columns.transpose(1, 2)).sum(0).view(made[rows].size())
    return made


def check_channels(weight, bias, transposed, groups):
    if weight.size(0) % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got "
                           f"weight of size {list(weight.size())} instead")
    outputs = weight.size(1) * groups if transposed else weight.size(0)
    if bias is not None and bias.size() != (outputs, ):
        raise RuntimeError(f"Given {'transposed=1, ' if transposed else ''}weight of size {list(weight.size())}, expected "
                           f"bias to be 1-dimensional with {outputs} elements, but got bias of size "
                           f"{list(bias.size())} instead")


def convolve(op, args, kwargs):
    x, weight, bias, stride, padding, dilation, transposed, _, groups = args
    if kwargs or not is_plain(x, weight):
        return NotImplemented
    check_channels(weight, bias, transposed, groups)
    windows = Windows(weight.size()[2:], stride, padding, dilation)
    like = op(*[checks.describe(value) for value in args])
    if transposed:
        made = to_input(x, weight, windows, groups, like.size()[2:])
        if bias is not None:
            made = made + bias.view(1, -1, *[1] * (x.dim() - 2))
    else:
        made = forward(x, weight, windows, groups, like.size()[2:], bias)
    return device.allocate(like, x.device).copy_(made.view(like.size()))


def gradients(op, args, kwargs):
    """Of a convolution's input, weight and bias, as far as they are wanted."""
    grad, x, weight, bias_sizes, stride, padding, dilation, transposed, _, groups, wanted = args
    if kwargs or not is_plain(x, weight, grad):
        return NotImplemented
    windows, to_x, to_kernel = Windows(weight.size()[2:], stride, padding, dilation), None, None
    if transposed:
        to_x = forward(grad, weight, windows, groups, x.size()[2:]) if wanted[0] else None
        to_kernel = to_weight(x, grad, weight, windows, groups) if wanted[1] else None
    else:
        to_x = to_input(grad, weight, windows, groups, x.size()[2:]) if wanted[0] else None
        to_kernel = to_weight(grad, x, weight, windows, groups) if wanted[1] else None
    others = [dim for dim in range(x.dim()) if dim != 1]
    return to_x, to_kernel, grad.sum(others) if wanted[2] and bias_sizes is not None else None


OPERATIONS = {
    "mm": product, "bmm": product, "addmm": product, "baddbmm": product, "convolution": convolve,
    "convolution_backward": gradients, "dot": dot, "vdot": dot, "addmv": addmv,
}
