"""Operations that find elements by numbers, put tensors together, or count."""
import triton

import torch

from heddle_torch import checks, device, kernels
from heddle_torch.formed import formed

BLOCK = 256


def index_select(op, args, kwargs):
    x, dim, index = args
    if kwargs or not device.is_usual(x) or not device.is_usual(index) or index.dtype == torch.bool:
        return NotImplemented
    if not x.dim():
        return op(x.reshape(1), 0, index).reshape(())
    dim %= x.dim()
    sizes = list(x.size())
    sizes[dim] = index.numel()
    x, index = x.contiguous(), index.contiguous()
    made = torch.empty(sizes, dtype=x.dtype, device=x.device)
    inner = 1
    for size in sizes[dim + 1:]:
        inner *= size
    if made.numel():
        kernels.take[(triton.cdiv(made.numel(), BLOCK), )](made, x, index, made.numel(), inner, index.numel(),
                                                           x.size(dim), BLOCK=BLOCK, **kernels.OPTIONS)
    return made


def embedding(op, args, kwargs):
    weight, index = args[:2]
    if not device.is_usual(weight) or not device.is_usual(index) or weight.dim() != 2:
        return NotImplemented
    found = torch.index_select(weight, 0, index.reshape(-1))
    return found.view(*index.size(), weight.size(1))


def embedding_gradient(op, args, kwargs):
    grad, index, rows, padding, by_frequency = args
    if by_frequency or kwargs or not device.is_usual(grad) or not device.is_usual(index):
        return NotImplemented
    if grad.dtype not in device.FLOATS:
        return NotImplemented
    width = grad.size(-1)
    total = torch.zeros((rows, width), dtype=torch.float32, device=grad.device)
    grad, index = grad.contiguous(), index.contiguous()
    if grad.numel():
        kernels.add_to_rows[(triton.cdiv(grad.numel(), BLOCK), )](total, grad, index, grad.numel(), width, rows,
                                                                  padding, BLOCK=BLOCK, **kernels.OPTIONS)
    return total.to(grad.dtype)


def gather(op, args, kwargs):
    x, dim, index = args[:3]
    if kwargs.get("out") is not None or not device.is_usual(x) or not device.is_usual(index):
        return NotImplemented
    if not x.dim():
        return op(x.reshape(1), 0, index.reshape(1)).view(index.size())
    dim %= x.dim()
    if x.dim() == 1 and not index.dim():
        return op(x, 0, index.reshape(1)).view(())
    if not index.numel():
        return x.new_empty(index.size())
    if index.dim() != x.dim():
        return NotImplemented
    x = x[tuple(slice(None if which == dim else size) for which, size in enumerate(index.size()))].contiguous()
    index = index.to(torch.int64).contiguous()
    made = torch.empty(index.size(), dtype=x.dtype, device=x.device)
    if made.numel():
        kernels.gather[(triton.cdiv(made.numel(), BLOCK), )](
            made, x, index, made.numel(), made.stride(dim), index.size(dim), x.size(dim), BLOCK=BLOCK,
            **kernels.OPTIONS)
    return made


def put_together(op, args, kwargs):
    tensors = args[0]
    if kwargs.get("out") is not None or len({tensor.dtype for tensor in tensors}) != 1:
        return NotImplemented
    if not all(device.is_usual(tensor) for tensor in tensors):
        return NotImplemented
    dim = args[1] if len(args) > 1 else kwargs.get("dim", 0)
    like = op([checks.describe(tensor) for tensor in tensors], dim)
    made = device.allocate(like, tensors[0].device)
    begin = 0
    for tensor in tensors:
        if tensor.dim() == 1 and tensor.numel() == 0:
            continue  # As PyTorch has it, whatever the others' dimensions.
        length = tensor.size(dim)
        made.narrow(dim, begin, length).copy_(tensor)
        begin += length
    return made


def triangle(is_lower):
    """The elements below or above a diagonal; zeros in place of the others."""
    def function(x, diagonal=0):
        rows, columns = (torch.arange(x.size(dim), device=x.device) for dim in (-2, -1))
        limit = rows.unsqueeze(1) + diagonal
        kept = columns <= limit if is_lower else columns >= limit
        return torch.where(kept, x, torch.zeros((), dtype=x.dtype, device=x.device))
    return formed(function)


OPERATIONS = {
    "index_select": index_select, "embedding": embedding, "embedding_dense_backward": embedding_gradient,
    "gather": gather, "cat": put_together, "tril": triangle(True),
    "triu": triangle(False),
}
