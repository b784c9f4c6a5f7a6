"""Operations along dimensions: reductions, softmax, sums up to each element."""
import triton
from triton import language as tl

import torch

from heddle_torch import checks, device, kernels

BLOCK = 256
LEAST = {torch.float32: float("-inf"), torch.float64: float("-inf"), torch.bool: 0,
         **{dtype: torch.iinfo(dtype).min for dtype in device.WHOLE}}
MOST = {torch.float32: float("inf"), torch.float64: float("inf"), torch.bool: 1,
        **{dtype: torch.iinfo(dtype).max for dtype in device.WHOLE}}
COMPUTED_IN = {torch.float32: tl.float32, torch.float64: tl.float64, torch.int64: tl.int64,
               **{dtype: tl.int32 for dtype in (torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)}}


def dims_of(x, dims):
    """The dimensions that are meant, from 0 on; none given means all."""
    dims = [dims] if isinstance(dims, int) else dims
    return sorted({dim % max(x.dim(), 1) for dim in dims}) if dims else list(range(x.dim()))


def as_rows(x, dims):
    """A contiguous matrix whose rows run over some dimensions."""
    kept = [dim for dim in range(x.dim()) if dim not in dims]
    moved = x.permute(*kept, *dims).contiguous() if x.dim() else x.contiguous()
    length = 1
    for dim in dims:
        length *= x.size(dim) if x.dim() else 1
    return moved.view(-1, length) if moved.numel() else None


def block_for(length):
    return min(BLOCK, max(32, triton.next_power_of_2(length)))


def wide(dtype):
    return torch.float32 if dtype in device.FLOATS else dtype


def reduce(op, args, kwargs, dims, kind, dtype=None, start=None):
    """One element for each row; dtype is the type that is computed in."""
    plan = device.Plan(op, args, kwargs)
    x = args[0]
    if not plan.is_usual() or plan.result.dtype not in device.TYPES:
        return NotImplemented
    matrix = as_rows(x, dims_of(x, dims))
    if matrix is None:
        # A sum of nothing is zero.
        return plan.destination().zero_() if kind == "sum" else NotImplemented
    dtype = dtype or wide(x.dtype)
    made = torch.empty(matrix.size(0), dtype=plan.result.dtype, device=x.device)
    kernels.reduce_rows[(matrix.size(0), )](made, matrix, matrix.size(1), KIND=kind, COMPUTE=COMPUTED_IN[dtype],
                                            START=0 if start is None else start[dtype],
                                            BLOCK=block_for(matrix.size(1)), **kernels.OPTIONS)
    return plan.finish(made)


def argument(op, args, kwargs, name, position, default=None):
    return kwargs.get(name, args[position] if len(args) > position else default)


def total(op, args, kwargs):
    x, dims = args[0], argument(op, args, kwargs, "dim", 1)
    dtype = kwargs.get("dtype") or (x.dtype if x.dtype.is_floating_point else torch.int64)
    if dtype not in device.TYPES or dtype == torch.bool or not device.is_usual(x):
        return NotImplemented
    if x.dtype.is_floating_point != dtype.is_floating_point:
        args = (x.to(dtype), *args[1:])
    return reduce(op, args, kwargs, dims, "sum", wide(dtype))


def mean(op, args, kwargs):
    x, dims = args[0], argument(op, args, kwargs, "dim", 1)
    dtype = kwargs.get("dtype") or x.dtype
    if not dtype.is_floating_point or not device.is_usual(x) or kwargs.get("out") is not None:
        return NotImplemented
    x, keep = x.to(dtype), argument(op, args, kwargs, "keepdim", 2, False)
    added = torch.sum(x, dims_of(x, dims), keep, dtype=wide(dtype))
    return (added / (x.numel() / max(added.numel(), 1))).to(x.dtype)


def extreme(kind):
    """The largest or smallest along dimensions, without its place."""
    def function(op, args, kwargs):
        if args[0].dtype == torch.bool:
            return NotImplemented
        start = LEAST if kind == "max" else MOST
        return reduce(op, args, kwargs, argument(op, args, kwargs, "dim", 1), kind, start=start)
    return function


def outermost(kind):
    """The largest or smallest of all, or with its place along a dimension."""
    def function(op, args, kwargs):
        if len(args) == 1:
            return extreme(kind)(op, args, kwargs)
        x = args[0]
        if kwargs or not isinstance(args[1], int) or not device.is_usual(x) or not x.numel():
            return NotImplemented
        if x.dtype == torch.bool:
            values, places = op(x.to(torch.uint8), *args[1:])
            return values.to(torch.bool), places
        values, places = find(kind, x, dims_of(x, args[1]))
        plan_values, plan_places = op(*[checks.describe(value) for value in args])
        return give(values, plan_values, x.device), give(places, plan_places, x.device)
    return function


def give(made, like, where):
    return device.allocate(like, where).copy_(made.view(like.size()))


def find(kind, x, dims):
    """The largest or smallest element of each row, and its place."""
    matrix = as_rows(x, dims)
    values = torch.empty(matrix.size(0), dtype=x.dtype, device=x.device)
    places = torch.empty(matrix.size(0), dtype=torch.int64, device=x.device)
    start = LEAST if kind == "max" else MOST
    kernels.largest_of_rows[(matrix.size(0), )](values, places, matrix, matrix.size(1), IS_LEAST=kind == "min",
                                                COMPUTE=COMPUTED_IN[wide(x.dtype)], START=start[wide(x.dtype)],
                                                BLOCK=block_for(matrix.size(1)), **kernels.OPTIONS)
    return values, places


def place(kind):
    """Where the largest or smallest is."""
    def function(op, args, kwargs):
        x = args[0]
        if not device.is_usual(x) or x.dtype == torch.bool or not x.numel() or kwargs.get("out") is not None:
            return NotImplemented
        plan = device.Plan(op, args, kwargs)
        return plan.finish(find(kind, x, dims_of(x, argument(op, args, kwargs, "dim", 1)))[1])
    return function


def truth(kind):
    """Whether any or all elements are not zero."""
    def function(op, args, kwargs):
        x = args[0]
        if not device.is_usual(x) or kwargs.get("out") is not None:
            return NotImplemented
        plan = device.Plan(op, args, kwargs)
        if plan.result.dtype != torch.bool:
            return NotImplemented
        if not x.numel():
            return plan.destination().fill_(kind == "all")
        matrix = as_rows(torch.ne(x, 0), dims_of(x, argument(op, args, kwargs, "dim", 1)))
        made = torch.empty(matrix.size(0), dtype=torch.bool, device=x.device)
        kernels.reduce_rows[(matrix.size(0), )](made, matrix, matrix.size(1), KIND="max" if kind == "any" else "min",
                                                COMPUTE=tl.int32, START=0 if kind == "any" else 1,
                                                BLOCK=block_for(matrix.size(1)), **kernels.OPTIONS)
        return plan.finish(made)
    return function


def power_norm(x, order, dims, keep):
    """The norm of another order, or of nothing."""
    if not x.dtype.is_floating_point or (not x.numel() and order < 0 or order == float("inf") and not x.numel()):
        return NotImplemented
    size = x.to(wide(x.dtype)).abs()
    if abs(order) == float("inf"):
        made = torch.amax(size, dims, keep) if order > 0 else torch.amin(size, dims, keep)
    elif order in (0, 1, 2):
        each = torch.ne(x, 0) if order == 0 else size if order == 1 else size.square()
        made = torch.sum(each, dims, keep, dtype=size.dtype if order else None)
        made = made.sqrt() if order == 2 else made
    else:
        made = torch.sum(size.pow(order), dims, keep).pow(1 / order)
    return made.to(x.dtype)


def norm(op, args, kwargs):
    x, order = args[0], argument(op, args, kwargs, "ord", 1, 2)
    if kwargs.get("out") is not None or kwargs.get("dtype") not in (None, x.dtype) or not device.is_usual(x):
        return NotImplemented
    if order != 2 or x.dtype not in device.FLOATS or not x.numel():
        return power_norm(x, order, dims_of(x, argument(op, args, kwargs, "dim", 2)),
                          argument(op, args, kwargs, "keepdim", 3, False))
    plan = device.Plan(op, args, kwargs)
    if not plan.is_usual():
        return NotImplemented
    matrix = as_rows(x, dims_of(x, argument(op, args, kwargs, "dim", 2)))
    if matrix is None:
        return NotImplemented
    made = torch.empty(matrix.size(0), dtype=torch.float32, device=x.device)
    kernels.reduce_rows[(matrix.size(0), )](made, matrix, matrix.size(1), KIND="squares", COMPUTE=tl.float32, START=0,
                                            BLOCK=block_for(matrix.size(1)), **kernels.OPTIONS)
    return plan.finish(torch.sqrt(made).to(x.dtype))


def variance(op, args, kwargs):
    """The variance along dimensions and the mean; correction is taken off the number of elements."""
    x, dims = args[0], argument(op, args, kwargs, "dim", 1)
    keep, correction = kwargs.get("keepdim", False), kwargs.get("correction")
    if not x.dtype.is_floating_point or not device.is_usual(x) or not x.numel():
        return NotImplemented
    dims, whole = dims_of(x, dims), x.to(wide(x.dtype))
    middle = torch.mean(whole, dims, True)
    squares = torch.sum((whole - middle).square(), dims, keep)
    count = x.numel() // middle.numel() - (1 if correction is None else correction)
    spread = squares / count if count > 0 else squares * float("nan")
    return spread.to(x.dtype), (middle if keep else middle.squeeze(dims)).to(x.dtype)


def along(launch):
    """A function that makes rows of rows, along one dimension."""
    def function(op, args, kwargs):
        x, dim = args[0], args[1]
        if not isinstance(dim, int) or kwargs.get("out") is not None or not device.is_usual(x):
            return NotImplemented
        plan = device.Plan(op, args, kwargs)
        if plan.result.dtype not in device.TYPES or plan.result.dtype == torch.bool:
            return NotImplemented
        if not x.numel():
            return plan.destination()
        dim = dims_of(x, dim)[0]
        matrix = as_rows(x, [dim])
        made = torch.empty(matrix.size(), dtype=plan.result.dtype, device=x.device)
        if launch(made, matrix) is NotImplemented:
            return NotImplemented
        sizes = [size for which, size in enumerate(x.size()) if which != dim] + ([x.size(dim)] if x.dim() else [])
        back = made.view(sizes).movedim(-1, dim) if x.dim() else made.view(())
        return plan.destination().copy_(back)
    return function


def softmax(is_log):
    def launch(made, matrix):
        if not matrix.dtype.is_floating_point:
            return NotImplemented
        kernels.softmax_rows[(matrix.size(0), )](made, matrix, matrix.size(1), IS_LOG=is_log,
                                                 COMPUTE=COMPUTED_IN[wide(matrix.dtype)],
                                                 BLOCK=block_for(matrix.size(1)), **kernels.OPTIONS)
        return made
    return along(launch)


def sum_up(made, matrix):
    if made.dtype.is_floating_point != matrix.dtype.is_floating_point:
        return NotImplemented
    kernels.sum_up_rows[(matrix.size(0), )](made, matrix, matrix.size(1), COMPUTE=COMPUTED_IN[wide(made.dtype)],
                                            BLOCK=block_for(matrix.size(1)), **kernels.OPTIONS)
    return made


OPERATIONS = {
    "sum.dim_IntList": total, "sum": total, "mean": mean, "mean.dim": mean, "amax": extreme("max"),
    "amin": extreme("min"), "max": outermost("max"), "min": outermost("min"), "argmax": place("max"),
    "argmin": place("min"), "any": truth("any"), "all": truth("all"),
    "linalg_vector_norm": norm, "_softmax": softmax(False),
    "_log_softmax": softmax(True), "cumsum": along(sum_up),
}
