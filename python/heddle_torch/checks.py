"""Whether PyTorch takes the arguments of an operation, which functions of ours do not ask."""
import functools
import threading

import torch
from torch.utils import _pytree as pytree

from heddle_torch import host, untraced

# Calls that were found to be right, by operation and what its arguments are like.
CHECKED = set()
MOST_CHECKED = 1 << 14
# Operations of which PyTorch does not say without memory what their results are like, or not rightly.
UNKNOWN = set()
# Whether an operation of the program is under way in this thread.
UNDER_WAY = threading.local()


def describe(value):
    """A tensor without memory that is like one on the device; other arguments as they are elsewhere."""
    if isinstance(value, torch.Tensor) and value.is_cuda:
        return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")
    return moved(value, "meta")


def of_host(value):
    """A tensor of zeros on the host that is like one on the device."""
    if isinstance(value, torch.Tensor) and value.is_cuda:
        return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype).zero_()
    return moved(value, "cpu")


def moved(value, where):
    if isinstance(value, torch.Generator):
        return None
    return torch.device(where) if isinstance(value, torch.device) else value


def call_with(change, op, args, kwargs):
    # Only the choice among all of the name knows what a number means there.
    call = op.overloadpacket if host.takes_numbers(op, args) else op
    return call(*pytree.tree_map(change, list(args)), **pytree.tree_map(change, kwargs))


def described(op, args, kwargs):
    """What PyTorch says that a result is like, without memory."""
    untraced.prepare()
    return call_with(describe, op, args, kwargs)


def likeness(value):
    """What a check depends on; calls of the same likeness are taken or refused alike."""
    if isinstance(value, torch.Tensor):
        return value.size(), value.dtype, value.layout
    if isinstance(value, (list, tuple)):
        return tuple([likeness(item) for item in value])
    if isinstance(value, dict):
        return tuple([(name, likeness(item)) for name, item in value.items()])
    return None if isinstance(value, torch.Generator) else (type(value), value)


@functools.cache
def dimensions_of(op):
    """Where an operation on a tensor has its dimensions, and how they are named."""
    first = op._schema.arguments[0] if op._schema.arguments else None
    if first is None or not isinstance(first.type, torch.TensorType):
        return ()
    return tuple((at, argument.name) for at, argument in enumerate(op._schema.arguments)
                 if argument.name in ("dim", "dims"))


def check_dimensions(op, args, kwargs):
    for at, name in dimensions_of(op):
        given, most = args[at] if at < len(args) else kwargs.get(name), max(args[0].dim(), 1)
        for dim in given if isinstance(given, (list, tuple)) else (given, ):
            if isinstance(dim, int) and not -most <= dim < most:
                raise IndexError(f"Dimension out of range (expected to be in range of [{-most}, {most - 1}], "
                                 f"but got {dim})")


def check_result(op, args, kwargs):
    """Asks PyTorch for what the result is like, as far as it says."""
    leaves = pytree.tree_leaves((args, kwargs))
    if op in UNKNOWN or any(isinstance(leaf, torch.Tensor) and leaf.layout != torch.strided for leaf in leaves):
        return
    try:
        described(op, args, kwargs)
    except NotImplementedError:
        UNKNOWN.add(op)
    except (IndexError, RuntimeError, TypeError, ValueError):
        call_with(of_host, op, args, kwargs)
        UNKNOWN.add(op)


def check(op, args, kwargs):
    """Raises what PyTorch raises for arguments that it does not take, in the words of the host's code."""
    key = op, likeness(args), likeness(kwargs)
    if key in CHECKED:
        return
    check_dimensions(op, args, kwargs)
    check_result(op, args, kwargs)
    if len(CHECKED) >= MOST_CHECKED:
        CHECKED.clear()
    CHECKED.add(key)


class Outermost:
    """Checks what a program calls, and not the operations of which ours are put together."""

    def __init__(self, op, args, kwargs):
        self.is_outermost = not getattr(UNDER_WAY, "any", False)
        if self.is_outermost:
            check(op, args, kwargs)

    def __enter__(self):
        UNDER_WAY.any = True

    def __exit__(self, *_):
        UNDER_WAY.any = not self.is_outermost
