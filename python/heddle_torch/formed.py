"""Operations that functions of ours form of other operations: what they get, and where their results go."""
import torch
from torch.utils import _pytree as pytree

from heddle_torch import checks, device


def split(op, args, kwargs):
    """Tensors that only results go to, or that are changed in place, and the arguments but for the former."""
    outs, kept = [], list(args)
    if device.works_in_place(op):
        outs = [args[0]]
    by_name = {argument.name: argument for argument in op._schema.arguments}
    named = {name: value for name, value in kwargs.items() if not by_name[name].is_out}
    return outs + [value for name, value in kwargs.items() if by_name[name].is_out], kept, named


def described(op, args, kwargs):
    """What PyTorch says that a result is like; None where the elements decide it, or PyTorch does not say."""
    try:
        return checks.described(op, args, kwargs)
    except (NotImplementedError, RuntimeError, TypeError, IndexError):
        return None


def like(made, wanted):
    """A result with the type and the strides that it is to have."""
    if not isinstance(wanted, torch.Tensor) or not isinstance(made, torch.Tensor) or made.size() != wanted.size():
        return made
    if made.dtype == wanted.dtype and (made.stride() == wanted.stride() or not made.numel()):
        return made
    return device.allocate(wanted, made.device).copy_(made)


def deliver(op, args, kwargs, made, outs):
    """Puts results where they go, and gives what the operation gives."""
    several = isinstance(made, (list, tuple))
    if not outs:
        wanted = described(op, args, kwargs)
        if not several:
            return like(made, wanted)
        wanted = wanted if isinstance(wanted, (list, tuple)) else [None] * len(made)
        return tuple(like(each, target) for each, target in zip(made, wanted))
    for out, each in zip(outs, made if several else [made], strict=True):
        if out.size() != each.size():
            out.resize_(each.size())
        if out is not each:
            out.copy_(each)
    if not op._schema.returns:
        return None
    return tuple(outs) if several else outs[0]


def formed(function, takes=device.is_usual, has_form=False):
    """An operation whose results a function gives; it gets the arguments but for what results are to go to.

    It may have the form of PyTorch's results in any case, so that none has to be asked for.
    """
    def carry_out(op, args, kwargs):
        outs, kept, named = split(op, args, kwargs)
        leaves = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        if not all(takes(leaf) or device.is_number(leaf) for leaf in leaves):
            return NotImplemented
        made = function(*kept, **named)
        if made is NotImplemented or has_form and not outs:
            return made
        return deliver(op, args, kwargs, made, outs)
    return carry_out
