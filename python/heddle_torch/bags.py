"""Rows of a table that are found by numbers and put together bag by bag, and their gradients."""
import torch

from heddle_torch import placing
from heddle_torch.formed import formed

SUM, MEAN, MOST = range(3)


def bags_of(indices, offsets, include_last):
    """The bag of each number, and how many are in each."""
    begins = offsets[:-1] if include_last else offsets
    ends = offsets[1:] if include_last else torch.cat([offsets[1:], offsets.new_full((1, ), indices.numel())])
    each = torch.arange(indices.numel(), device=indices.device)
    return torch.searchsorted(begins.to(torch.int64).contiguous(), each, right=True) - 1, (ends - begins)


def largest(rows, bag, bags, used):
    """The largest row of each bag, by columns, and the place of each among the rows."""
    made = torch.full((bags, rows.size(1)), float("-inf"), dtype=rows.dtype, device=rows.device)
    kept = torch.where(used.unsqueeze(1), rows, float("-inf"))
    made = placing.put_along("amax", made, 0, bag, kept)
    is_it = (kept == torch.index_select(made, 0, bag)) & used.unsqueeze(1)
    each = torch.arange(rows.size(0), device=rows.device).unsqueeze(1)
    first = torch.full(made.size(), rows.size(0), dtype=torch.int64, device=rows.device)
    return made, placing.put_along("amin", first, 0, bag, torch.where(is_it, each, rows.size(0)))


def bag(weight, indices, offsets, scale_grad_by_freq=False, mode=SUM, sparse=False, per_sample_weights=None,
        include_last_offset=False, padding_idx=-1):
    number, sizes = bags_of(indices, offsets, include_last_offset)
    indices, bags = indices.to(torch.int64), sizes.numel()
    used = indices != padding_idx if padding_idx >= 0 else torch.ones_like(indices, dtype=torch.bool)
    if padding_idx >= 0:
        sizes = torch.zeros_like(sizes).index_add_(0, number, used.to(sizes.dtype))
    rows = torch.index_select(weight, 0, indices).to(placing.worked_in("add", weight.dtype))
    best = torch.empty(0, dtype=offsets.dtype, device=weight.device)
    if mode == MOST:
        made, at = largest(rows, number, bags, used)
        is_there = at < indices.numel()
        made = torch.where(is_there, made, 0.0)
        best = torch.where(is_there, torch.index_select(indices, 0, at.clamp_max(indices.numel() - 1).reshape(-1))
                           .view(at.size()), -1).to(offsets.dtype) if indices.numel() else at
    else:
        factor = used.to(rows.dtype) if per_sample_weights is None else used * per_sample_weights.to(rows.dtype)
        made = rows.new_zeros((bags, rows.size(1))).index_add_(0, number, rows * factor.unsqueeze(1))
        if mode == MEAN:
            made = made / sizes.clamp_min(1).unsqueeze(1)
    return made.to(weight.dtype), number.to(offsets.dtype), sizes.to(offsets.dtype), best


def gradient(grad, indices, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode,
             per_sample_weights, padding_idx=-1):
    wide = grad.to(placing.worked_in("add", grad.dtype))
    made = wide.new_zeros((num_weights, grad.size(1)))
    if mode == MOST:
        at = maximum_indices.to(torch.int64)
        spread = torch.where(at >= 0, wide, 0.0)
        return made.scatter_add_(0, at.clamp_min(0), spread).to(grad.dtype)
    indices = indices.to(torch.int64)
    rows = torch.index_select(wide, 0, offset2bag)
    if mode == MEAN:
        rows = rows / torch.index_select(bag_size, 0, offset2bag).clamp_min(1).unsqueeze(1)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.to(rows.dtype).unsqueeze(1)
    if scale_grad_by_freq:
        counts = torch.bincount(indices, minlength=num_weights)
        rows = rows / torch.index_select(counts, 0, indices).unsqueeze(1)
    if padding_idx >= 0:
        rows = torch.where((indices != padding_idx).unsqueeze(1), rows, 0.0)
    return made.index_add_(0, indices, rows).to(grad.dtype)


def gradient_of_bag(grad, indices, offsets, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq,
                    mode, sparse, per_sample_weights, padding_idx=-1):
    if sparse:
        return NotImplemented
    return gradient(grad, indices, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode,
                    per_sample_weights, padding_idx)


def gradient_of_weights(grad, weight, indices, offsets, offset2bag, mode, padding_idx=-1):
    """Of the factor of each row."""
    rows = torch.index_select(weight, 0, indices).to(placing.worked_in("add", weight.dtype))
    made = torch.sum(rows * torch.index_select(grad, 0, offset2bag), 1)
    return torch.where(indices != padding_idx, made, 0.0).to(grad.dtype) if padding_idx >= 0 else made.to(grad.dtype)


OPERATIONS = {name: formed(function) for name, function in {
    "_embedding_bag": bag, "_embedding_bag_forward_only": bag, "_embedding_bag_backward": gradient_of_bag,
    "_embedding_bag_dense_backward": gradient, "_embedding_bag_per_sample_weights_backward": gradient_of_weights,
}.items()}
