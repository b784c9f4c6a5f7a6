"""Operations that kernels of ours carry out, and what these take.

A table has a function by an operation's name. It gets the arguments of a call on the device and a description of the
result (`Plan`), and gives the result, or NotImplemented where the host is to do it.
"""
import functools

import torch
from torch.utils import _pytree as pytree

from heddle_torch import host

# Those that are computed with in single precision.
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
# Other types run on the host.
TYPES = (*FLOATS, torch.float64, *WHOLE, torch.bool)
MOST_ELEMENTS = 2**31 - 1


def is_usual(tensor):
    """Whether kernels can take a tensor as it lies in memory."""
    return (tensor.is_cuda and tensor.layout == torch.strided and tensor.dtype in TYPES and not tensor.is_conj()
            and not tensor.is_neg() and tensor.numel() <= MOST_ELEMENTS)


def is_number(value):
    """Whether a tensor of the host stands for a number."""
    return isinstance(value, torch.Tensor) and value.device.type == "cpu" and value.dim() == 0 and value.dtype in TYPES


def describe(value):
    """A tensor without memory that is like one on the device."""
    if isinstance(value, torch.Tensor) and value.is_cuda:
        return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")
    return torch.device("meta") if isinstance(value, torch.device) else value


def allocate(like, device):
    """A tensor on the device for one without memory."""
    return torch.empty_strided(like.size(), like.stride(), dtype=like.dtype, device=device)


class Plan:
    """What an operation will give, which PyTorch computes without memory."""

    def __init__(self, op, args, kwargs):
        leaves = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        self.inputs = leaves
        self.device = next((leaf.device for leaf in leaves if leaf.is_cuda), None) or torch.device(
            "cuda", torch.cuda.current_device())
        self.out = kwargs.get("out", args[0] if op._schema.name.endswith("_") else None)
        # Only the choice among all of the name knows what a number means there.
        call = op.overloadpacket if host.takes_numbers(op, args) else op
        self.result = call(*pytree.tree_map(describe, args), **pytree.tree_map(describe, kwargs))

    def is_usual(self):
        """Whether kernels can take all tensors, and nothing is read while it is written."""
        if not all(is_usual(leaf) or is_number(leaf) for leaf in self.inputs):
            return False
        if self.out is None:
            return True
        if not isinstance(self.out, torch.Tensor) or not is_usual(self.out):
            return False
        memory = self.out.untyped_storage().data_ptr()
        return all(self.is_same(leaf) or not leaf.is_cuda or leaf.untyped_storage().data_ptr() != memory
                   for leaf in self.inputs)

    def is_same(self, leaf):
        return (leaf.data_ptr(), leaf.size(), leaf.stride(), leaf.dtype) == (
            self.out.data_ptr(), self.out.size(), self.out.stride(), self.out.dtype)

    def destination(self):
        """The tensor for the result, which is not written yet."""
        if self.out is None:
            return allocate(self.result, self.device)
        if self.out.size() != self.result.size():
            self.out.resize_(self.result.size())
        return self.out

    def finish(self, made):
        """Gives a contiguous tensor that has the result's elements the form of the result."""
        made = made.view(self.result.size())
        if self.out is None and self.result.is_contiguous() and made.dtype == self.result.dtype:
            return made
        return self.destination().copy_(made)


@functools.cache
def tables():
    """The functions by an operation's name; none where Triton is not installed."""
    try:
        from heddle_torch import composed, elementwise, indexing, products, rows
    except ImportError:
        return {}
    return {**composed.OPERATIONS, **elementwise.OPERATIONS, **indexing.OPERATIONS, **products.OPERATIONS,
            **rows.OPERATIONS}


def base_of(name):
    """The name of an operation without its namespace, its overload and the mark of those that work in place."""
    base = name.removeprefix("aten::").partition(".")[0]
    return base[:-1] if base.endswith("_") and not base.endswith("__") else base


def copies(to, source):
    """Copies on the device; False if the host is to do it."""
    copy = tables().get("copy_")
    return copy is not None and copy(to, source.expand(to.size()))


def function_for(name):
    """What carries out an operation on the device, or None."""
    functions = tables()
    return functions.get(name.removeprefix("aten::")) or functions.get(base_of(name))
