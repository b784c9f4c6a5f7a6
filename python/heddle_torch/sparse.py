"""Operations on sparse tensors for which PyTorch has kernels of their own.

Most operations on sparse tensors are made of those on their indices and values, and need nothing here.
"""
import torch
from torch.utils import _pytree as pytree

from heddle_torch import device, host

# Operations that the host carries out: their kernels are machine code.
ON_HOST = ("_sparse_softmax", "_sparse_softmax_backward_data", "_sparse_log_softmax", "_sparse_log_softmax_backward_data",
           "_sparse_sum_backward", "_sparse_sparse_matmul", "hspmm", "sspaddmm.out", "index_select")


def places(indices, sizes):
    """The number of each element in the order of memory, of its indices."""
    flat = torch.zeros(indices.size(1), dtype=torch.int64, device=indices.device)
    for row, size in zip(indices, sizes):
        flat = flat * size + row
    return flat


def coalesce(x):
    """Sorts the elements and adds up those that are at the same place, in the order in which they were."""
    indices, values, dims = x._indices(), x._values(), x.sparse_dim()
    if not x._nnz():
        return torch.sparse_coo_tensor(indices, values, x.size(), is_coalesced=True, check_invariants=False)
    flat, order = torch.sort(places(indices, x.size()[:dims]), stable=True)
    begins = torch.cat([flat.new_ones(1, dtype=torch.bool), flat[1:] != flat[:-1]])
    which = torch.cumsum(begins, 0) - 1
    sums = values.new_zeros((int(which[-1]) + 1, *values.size()[1:]))
    if values.dtype == torch.bool:
        sums = sums.int().index_add_(0, which, values[order].int()).bool()
    else:
        sums.index_add_(0, which, values[order])
    return torch.sparse_coo_tensor(indices[:, order[begins]], sums, x.size(), is_coalesced=True,
                                   check_invariants=False)


def to_dense(x, dtype=None, masked_grad=None):
    values = x._values() if dtype is None else x._values().to(dtype)
    made = values.new_zeros(x.size())
    return made.index_put_(tuple(x._indices()), values, accumulate=True) if x._nnz() else made


def add_dense(dense, sparse, alpha):
    return torch.add(dense, to_dense(sparse, torch.result_type(dense, sparse)), alpha=alpha)


def added(x, y, alpha):
    """The sum of two tensors of which one is sparse at least."""
    if not y.is_sparse:
        return add_dense(y * alpha, x, 1)
    if not x.is_sparse:
        return add_dense(x, y, alpha)
    dtype = torch.result_type(x, y)
    indices = torch.cat([x._indices(), y._indices()], 1)
    values = torch.cat([x._values().to(dtype), y._values().to(dtype) * alpha])
    return torch.sparse_coo_tensor(indices, values, x.size(), check_invariants=False)


def add(x, y, *, alpha=1):
    return added(x, y, alpha)


def add_in_place(x, y, *, alpha=1):
    return x.copy_(added(x, y, alpha))


def subtract(x, y, *, alpha=1):
    return added(x, y, -alpha)


def scaled(x, factor):
    return torch.sparse_coo_tensor(x._indices(), x._values() * factor, x.size(), is_coalesced=x.is_coalesced(),
                                   check_invariants=False)


def multiply(x, y):
    """The products of elements that both have."""
    for one, other in ((x, y), (y, x)):
        if not isinstance(other, torch.Tensor) or not other.dim():
            return scaled(one, other)
    if x.size() == y.size() and not (x.is_sparse and y.is_sparse):
        sparse, dense = (x.coalesce(), y) if x.is_sparse else (y.coalesce(), x)
        return torch.sparse_coo_tensor(sparse._indices(), sparse._values() * dense[tuple(sparse._indices())], x.size(),
                                       is_coalesced=True, check_invariants=False)
    if not (x.is_sparse and y.is_sparse) or x.size() != y.size() or x.sparse_dim() != y.sparse_dim():
        return NotImplemented
    x, y, sizes = x.coalesce(), y.coalesce(), x.size()[:x.sparse_dim()]
    ours, theirs = places(x._indices(), sizes), places(y._indices(), sizes)
    if not len(theirs):
        x, y = y, x
        ours, theirs = theirs, ours
    at = torch.searchsorted(theirs, ours).clamp_max(max(len(theirs) - 1, 0))
    of_both = theirs[at] == ours if len(theirs) else ours < 0
    return torch.sparse_coo_tensor(x._indices()[:, of_both], x._values()[of_both] * y._values()[at[of_both]], x.size(),
                                   is_coalesced=True, check_invariants=False)


def masked(x, mask, accumulate_matches=False):
    """The elements of a dense tensor where a sparse one has some."""
    if x.is_sparse:
        return NotImplemented
    indices = mask._indices()
    return torch.sparse_coo_tensor(indices, x[tuple(indices)], mask.size(), is_coalesced=mask.is_coalesced(),
                                   check_invariants=False)


def batched_product(x, y):
    return torch.bmm(to_dense(x), y)


def to_sparse(op, args, kwargs):
    """The elements of a dense tensor that are not zero, with the dimensions behind the sparse ones as they are."""
    if kwargs.get("layout") not in (None, torch.sparse_coo) or kwargs.get("blocksize") or len(args) > 2:
        return NotImplemented
    x, dims = args[0], args[1] if len(args) > 1 else kwargs.get("sparse_dim", args[0].dim())
    if isinstance(dims, torch.layout) or not device.is_usual(x) or not dims:
        return NotImplemented
    is_kept = x != 0 if dims == x.dim() else (x != 0).flatten(dims).any(-1)
    indices = torch.nonzero(is_kept).t().contiguous()
    return torch.sparse_coo_tensor(indices, x[tuple(indices)], x.size(), is_coalesced=True, check_invariants=False)


def rows_to_bounds(op, args, kwargs):
    """Where each row begins among elements in order, of the row of each."""
    rows, count = args
    rows_and_end = torch.arange(count + 1, dtype=rows.dtype, device=rows.device)
    made = torch.searchsorted(rows, rows_and_end, out_int32=bool(kwargs.get("out_int32")))
    if "out" not in kwargs:
        return made
    kwargs["out"].resize_(made.size())
    return kwargs["out"].copy_(made)


def bounds_to_rows(op, args, kwargs):
    """The row and column of each element, of where each row begins."""
    bounds, columns = args
    if bounds.dim() != 1 or "out" in kwargs:
        return NotImplemented
    counts = bounds[1:] - bounds[:-1]
    rows = torch.repeat_interleave(torch.arange(len(counts), device=bounds.device), counts)
    made = torch.stack([columns, rows] if kwargs.get("transpose") else [rows, columns])
    return made.to(torch.int32 if kwargs.get("out_int32") else torch.int64)


# Of dense tensors.
OPERATIONS = {"_to_sparse": to_sparse, "_to_sparse.sparse_dim": to_sparse,
              "_convert_indices_from_coo_to_csr": rows_to_bounds, "_convert_indices_from_csr_to_coo": bounds_to_rows}
OF_SPARSE = {"_coalesce": coalesce, "_to_dense": to_dense, "add.Tensor": add, "add_.Tensor": add_in_place,
             "sub.Tensor": subtract, "mul.Tensor": multiply, "sparse_mask": masked, "bmm": batched_product}


def to_host(value):
    return value.cpu() if isinstance(value, torch.Tensor) else value


def run_on_host(op, args, kwargs):
    """By copies of all tensors, into those of `out` where there are some."""
    host.count(op.name())
    made = op(*pytree.tree_map(to_host, args), **pytree.tree_map(to_host, kwargs))
    where = next(leaf.device for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor))
    if "out" in kwargs:
        kwargs["out"].copy_(made.to(where))
        return kwargs["out"]
    return made.to(where)


def implementation(op):
    """What is to be called for an operation on sparse tensors; nothing if it stays as it is."""
    name = op.name().removeprefix("aten::")
    if name in ON_HOST:
        return lambda *args, **kwargs: run_on_host(op, args, kwargs)
    if name not in OF_SPARSE:
        return None

    def implement(*args, **kwargs):
        made = OF_SPARSE[name](*args, **kwargs)
        return run_on_host(op, args, kwargs) if made is NotImplemented else made
    return implement
