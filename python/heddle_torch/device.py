"""Operations that kernels of ours carry out, and what these take.

A table has a function by an operation's name. It gets the arguments of a call on the device and a description of the
result (`Plan`), and gives the result, or NotImplemented where the host is to do it.
"""
import functools
import importlib

import torch
from torch.utils import _pytree as pytree

from heddle_torch import checks, native

# Those that are computed with in single precision.
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
# Other types run on the host.
TYPES = (*FLOATS, torch.float64, *WHOLE, torch.bool)
MOST_ELEMENTS = 2**31 - 1
# Those of this package that have operations; the last one that has an operation carries it out.
MODULES = ("composed", "elementwise", "indexing", "products", "rows", "placing", "scans", "ordering", "pooling",
           "resizing", "statistics", "filling", "distributions", "factors", "bags", "grids", "distances",
           "sparse", "scaled")


def is_usual(tensor):
    """Whether kernels can take a tensor as it lies in memory."""
    return (tensor.is_cuda and tensor.layout == torch.strided and tensor.dtype in TYPES and not tensor.is_conj()
            and not tensor.is_neg() and tensor.numel() <= MOST_ELEMENTS)


def is_number(value):
    """Whether a tensor of the host stands for a number."""
    return isinstance(value, torch.Tensor) and value.device.type == "cpu" and value.dim() == 0 and value.dtype in TYPES


def allocate(like, device):
    """A tensor on the device for one without memory."""
    return torch.empty_strided(like.size(), like.stride(), dtype=like.dtype, device=device)


def works_in_place(op):
    """Whether an operation changes its first argument."""
    first = op._schema.arguments[0] if op._schema.arguments else None
    return first is not None and first.alias_info is not None and first.alias_info.is_write and not first.is_out


class Plan:
    """What an operation will give, which PyTorch computes without memory."""

    def __init__(self, op, args, kwargs):
        leaves = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        self.inputs = leaves
        self.device = next((leaf.device for leaf in leaves if leaf.is_cuda), None) or torch.device(
            "cuda", torch.cuda.current_device())
        self.out = kwargs.get("out", args[0] if works_in_place(op) else None)
        self.result = checks.described(op, args, kwargs)

    def is_usual(self):
        """Whether kernels can take all tensors, and nothing is read while it is written."""
        if not all(is_usual(leaf) or is_number(leaf) for leaf in self.inputs):
            return False
        if self.out is None:
            return True
        if not isinstance(self.out, torch.Tensor) or not is_usual(self.out):
            return False
        memory = self.out.untyped_storage().data_ptr()
        return all(self.is_same(leaf) or not leaf.is_cuda or not memory
                   or leaf.untyped_storage().data_ptr() != memory for leaf in self.inputs)

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
        modules = [importlib.import_module(f"heddle_torch.{name}") for name in MODULES]
    except ImportError:
        return {}
    return {name: function for module in modules for name, function in module.OPERATIONS.items()}


def base_of(name):
    """The name of an operation without its namespace, its overload and the mark of those that work in place."""
    base = name.removeprefix("aten::").partition(".")[0]
    return base[:-1] if base.endswith("_") and not base.endswith("__") else base


def copies(to, source):
    """Copies on the device; False if the host is to do it."""
    copy, source = tables().get("copy_"), source.expand(to.size())
    if copy is None:
        return False
    if to.is_complex() or source.is_complex() or source.is_neg() or to.is_neg():
        return complexes().copies(copy, to, source)
    return copy(to, source)


def keep_native():
    """Keeps the implementations of PyTorch that ours use, in front of their replacement."""
    if tables():
        factors = importlib.import_module("heddle_torch.factors")
        factors.KERNELS.update({name: torch.library.get_kernel(name, "CUDA") for name in native.IN_PART})


def watch_captures():
    """Lets random numbers follow the graphs that a program makes."""
    if tables():
        importlib.import_module("heddle_torch.philox").watch_captures()


def complexes():
    return importlib.import_module("heddle_torch.complexes")


def without_lazy_minus(value):
    return complexes().plain(value) if isinstance(value, torch.Tensor) and value.is_cuda and value.is_neg() else value


def into_outs(op, args, kwargs):
    """By the form of an operation that makes its results, which are copied to where they are to go."""
    outs = [argument.name for argument in op._schema.arguments if argument.is_out]
    packet = op.overloadpacket
    if not outs or "default" not in packet.overloads() or not torch._C._dispatch_has_kernel_for_dispatch_key(
            packet.default.name(), "CUDA"):
        return NotImplemented
    made = packet(*args, **{name: value for name, value in kwargs.items() if name not in outs})
    results = [made] if isinstance(made, torch.Tensor) else made
    for name, each in zip(outs, results, strict=True):
        if kwargs[name].size() != each.size():
            kwargs[name].resize_(each.size())
        kwargs[name].copy_(each)
    return kwargs[outs[0]] if len(outs) == 1 else tuple(kwargs[name] for name in outs)


def function_for(name):
    """What carries out an operation on the device, or None."""
    usual, of_complex = (table.get(name.removeprefix("aten::")) or table.get(base_of(name))
                         for table in (tables(), complexes().OPERATIONS if tables() else {}))
    functions = [function for function in (usual, of_complex) if function]
    if not functions:
        return None

    def carry_out(op, args, kwargs):
        with checks.Outermost(op, args, kwargs):
            return choose(op, args, kwargs)

    def choose(op, args, kwargs):
        for function in functions:
            result = function(op, args, kwargs)
            if result is not NotImplemented:
                return result
        if not op._schema.is_mutable:
            is_lazy = any(isinstance(leaf, torch.Tensor) and leaf.is_cuda and leaf.is_neg()
                          for leaf in pytree.tree_leaves(args))
            return choose(op, pytree.tree_map(without_lazy_minus, args), kwargs) if is_lazy else NotImplemented
        return into_outs(op, args, kwargs)
    return carry_out
