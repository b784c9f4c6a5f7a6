"""Products of matrices, and convolutions that are made of them."""
import triton

import torch

from heddle_torch import device, kernels

TILE = 32


def multiply(out, a, b, bias=None, alpha=1, beta=1):
    """Writes the products of batches of matrices, with a multiple of bias added."""
    batches, rows, inner = a.size()
    columns = b.size(2)
    added = out if bias is None else bias.expand(out.size())
    if out.numel():
        grid = (triton.cdiv(columns, TILE), triton.cdiv(rows, TILE), batches)
        kernels.product[grid](out, added, a, b, rows, columns, inner, *a.stride(), *b.stride(), *out.stride(),
                              *added.stride(), float(alpha), float(beta), HAS_BIAS=bias is not None, TILE=TILE,
                              IS_WIDE=a.dtype == torch.float32,
                              enable_fp_fusion=True)
    return out


def product(op, args, kwargs):
    """Of matrices or batches of them: the same for mm, bmm, addmm and baddbmm."""
    plan = device.Plan(op, args, kwargs)
    base = device.base_of(op.name())
    bias, (a, b) = (args[0], args[1:3]) if "add" in base else (None, args[:2])
    types = {tensor.dtype for tensor in plan.inputs}
    if not plan.is_usual() or len(types) != 1 or not types <= set(device.FLOATS) or a.dtype != plan.result.dtype:
        return NotImplemented
    if set(kwargs) - {"alpha", "beta", "out"}:
        return NotImplemented
    alpha, beta = kwargs.get("alpha", 1), kwargs.get("beta", 1)
    to = plan.destination()
    batch = to.unsqueeze(0) if to.dim() == 2 else to
    a, b = (value.unsqueeze(0) if value.dim() == 2 else value for value in (a, b))
    multiply(batch, a, b, bias if beta != 0 else None, alpha, beta)
    return to


def is_plain(x, weight, transposed):
    """Whether a convolution is one of images that matrices can do."""
    return (not transposed and x.dim() == 4 and weight.dim() == 4 and x.dtype == weight.dtype
            and x.dtype in device.FLOATS and x.numel() and weight.numel() and device.is_usual(x)
            and device.is_usual(weight))


def windows(x, weight, stride, padding, dilation):
    """The images with zeros around them, and for each place of a kernel what it meets: a view."""
    padded = torch.constant_pad_nd(x, (padding[1], padding[1], padding[0], padding[0])).contiguous()
    height, width = ((padded.size(2 + dim) - dilation[dim] * (weight.size(2 + dim) - 1) - 1) // stride[dim] + 1
                     for dim in range(2))
    images, channels, rows, columns = padded.stride()
    view = padded.as_strided(
        (x.size(0), x.size(1), weight.size(2), weight.size(3), height, width),
        (images, channels, rows * dilation[0], columns * dilation[1], rows * stride[0], columns * stride[1]))
    return padded, view


def both(values):
    return (values[0], values[0]) if len(values) == 1 else tuple(values)


def convolve(op, args, kwargs):
    x, weight, bias, stride, padding, dilation, transposed, _, groups = args
    if kwargs or not is_plain(x, weight, transposed):
        return NotImplemented
    stride, padding, dilation = both(stride), both(padding), both(dilation)
    _, view = windows(x, weight, stride, padding, dilation)
    count, (height, width) = x.size(0), view.size()[4:]
    made = torch.empty((count, weight.size(0), height * width), dtype=x.dtype, device=x.device)
    outputs, inputs = weight.size(0) // groups, weight.size(1)
    for group in range(groups):
        columns = view[:, group * inputs:(group + 1) * inputs].reshape(count, -1, height * width)
        rows = slice(group * outputs, (group + 1) * outputs)
        matrix = weight[rows].reshape(1, outputs, -1).expand(count, -1, -1)
        multiply(made[:, rows], matrix, columns, None if bias is None else bias[rows].view(1, -1, 1))
    like = op(*[device.describe(value) for value in args])
    return device.allocate(like, x.device).copy_(made.view(like.size()))


def gradients(op, args, kwargs):
    """Of a convolution's input, weight and bias, as far as they are wanted."""
    grad, x, weight, bias_sizes, stride, padding, dilation, transposed, _, groups, wanted = args
    if kwargs or not is_plain(x, weight, transposed) or not device.is_usual(grad) or grad.dtype != x.dtype:
        return NotImplemented
    stride, padding, dilation = both(stride), both(padding), both(dilation)
    padded, view = windows(x, weight, stride, padding, dilation)
    count, area = x.size(0), grad.size(2) * grad.size(3)
    flat = grad.reshape(count, weight.size(0), area)
    outputs, inputs = weight.size(0) // groups, weight.size(1)
    to_weight = torch.empty_like(weight, memory_format=torch.contiguous_format) if wanted[1] else None
    spread = torch.zeros_like(padded) if wanted[0] else None
    for group in range(groups):
        rows, channels = slice(group * outputs, (group + 1) * outputs), slice(group * inputs, (group + 1) * inputs)
        part = flat[:, rows]
        if wanted[1]:
            columns = view[:, channels].reshape(count, -1, area)
            each = part.new_empty((count, outputs, columns.size(1)))
            to_weight[rows] = multiply(each, part, columns.transpose(1, 2)).sum(0).view(weight[rows].size())
        if wanted[0]:
            matrix = weight[rows].reshape(1, outputs, -1).expand(count, -1, -1).transpose(1, 2)
            columns = multiply(part.new_empty((count, matrix.size(1), area)), matrix, part)
            spread_out(spread[:, channels], columns, weight, grad, stride, dilation)
    to_x = None
    if wanted[0]:
        to_x = spread[:, :, padding[0]:padding[0] + x.size(2), padding[1]:padding[1] + x.size(3)].contiguous()
    to_bias = flat.sum((0, 2)) if wanted[2] and bias_sizes is not None else None
    return to_x, to_weight, to_bias


def spread_out(image, columns, weight, grad, stride, dilation):
    """Adds what each place of a kernel gives to the elements that it has met."""
    height, width = grad.size()[2:]
    columns = columns.view(image.size(0), image.size(1), weight.size(2), weight.size(3), height, width)
    for row in range(weight.size(2)):
        for column in range(weight.size(3)):
            top, left = row * dilation[0], column * dilation[1]
            image[:, :, top:top + stride[0] * (height - 1) + 1:stride[0],
                  left:left + stride[1] * (width - 1) + 1:stride[1]].add_(columns[:, :, row, column])


OPERATIONS = {
    "mm": product, "bmm": product, "addmm": product, "baddbmm": product, "convolution": convolve,
    "convolution_backward": gradients,
}
