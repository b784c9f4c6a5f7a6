"""Operations that give one number for many: products, norms, spreads, counts."""
import torch

from heddle_torch import device, kernels, rows
from heddle_torch.formed import formed


def product(x, dim=None, keepdim=False, *, dtype=None):
    dtype = dtype or (x.dtype if x.dtype.is_floating_point else torch.int64)
    if dtype == torch.bool:
        return NotImplemented
    x, dims = x.to(dtype), rows.dims_of(x, dim)
    sizes = [1 if which in dims else size for which, size in enumerate(x.size())]
    matrix = rows.as_rows(x, dims)
    if matrix is None:
        made = torch.ones(sizes, dtype=dtype, device=x.device)
    else:
        made = torch.empty(matrix.size(0), dtype=dtype, device=x.device)
        kernels.reduce_rows[(matrix.size(0), )](made, matrix, matrix.size(1), KIND="product", START=1,
                                                COMPUTE=rows.COMPUTED_IN[rows.wide(dtype)],
                                                BLOCK=rows.block_for(matrix.size(1)), **kernels.OPTIONS)
    made = made.view(sizes)
    return made if keepdim else made.squeeze(dims) if x.dim() else made


def spread(is_root, with_mean):
    """The variance or its root, with the mean or alone."""
    def function(x, dim=None, *, correction=None, keepdim=False):
        wide = x.to(rows.wide(x.dtype))
        found = rows.variance(None, (wide, dim), {"correction": correction, "keepdim": keepdim})
        if found is NotImplemented:
            return found
        value = found[0].sqrt() if is_root else found[0]
        return (value.to(x.dtype), found[1].to(x.dtype)) if with_mean else value.to(x.dtype)
    return function


def extremes(x, *, dim=None, keepdim=False):
    if x.dtype == torch.bool or not x.numel():
        return NotImplemented
    dims = rows.dims_of(x, dim)
    return torch.amin(x, dims, keepdim), torch.amax(x, dims, keepdim)


def extreme_with_place(name):
    def function(x, dim, keepdim=False):
        return tuple(getattr(torch, name)(x, dim, keepdim))
    return function


def is_equal(x, other):
    if x.size() != other.size():
        return False
    return bool(torch.eq(x, other).all())


def nonzero_count(x, dim=()):
    return torch.sum(torch.ne(x, 0), rows.dims_of(x, dim))


def sum_of_numbers(x, dim=None, keepdim=False, *, dtype=None):
    return torch.sum(torch.where(x == x, x, torch.zeros((), dtype=x.dtype, device=x.device)), rows.dims_of(x, dim),
                     keepdim, dtype=dtype)


def norm(x, p=None, dim=None, keepdim=False, *, dtype=None):
    x = x if dtype is None else x.to(dtype)
    return torch.linalg.vector_norm(x, 2 if p is None else p, rows.dims_of(x, dim), keepdim)


def trace(x):
    return torch.diagonal(x).sum()


def renormed(x, p, dim, maxnorm):
    """Slices whose norm is too large, made so small."""
    dims = [which for which in range(x.dim()) if which != dim % x.dim()]
    wide = x.to(rows.wide(x.dtype))
    size = torch.linalg.vector_norm(wide, p, dims, True)
    factor = torch.where(size > maxnorm, maxnorm / (size + 1e-7), torch.ones((), dtype=wide.dtype, device=x.device))
    return (wide * factor).to(x.dtype)


SPREADS = {
    "var": spread(False, False), "std": spread(True, False), "var_mean": spread(False, True),
    "std_mean": spread(True, True),
}
OPERATIONS = {
    **{name: formed(function) for name, function in {
        "prod": product, "aminmax": extremes, "max.dim_max": extreme_with_place("max"),
        "min.dim_min": extreme_with_place("min"), "count_nonzero": nonzero_count, "nansum": sum_of_numbers,
        "norm": norm, "trace": trace, "renorm": renormed, "equal": is_equal,
    }.items()},
    **{name: formed(function, has_form=True) for name, function in SPREADS.items()},
}
