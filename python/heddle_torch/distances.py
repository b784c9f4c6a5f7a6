"""Distances between the rows of matrices, and losses by how far scores are apart."""
import torch

from heddle_torch import placing
from heddle_torch.formed import formed


def wide(x):
    return x.to(placing.worked_in("add", x.dtype))


def between(x, other, p, compute_mode=None):
    """Of each row of one and each of the other."""
    return torch.linalg.vector_norm(wide(x).unsqueeze(-2) - wide(other).unsqueeze(-3), p, -1).to(x.dtype)


def slope(apart, distance, grad, p):
    """What a distance's gradient is for the differences that it is of."""
    size, zero = apart.abs(), torch.zeros((), dtype=apart.dtype, device=apart.device)
    if p == 0:
        return apart * 0
    if p == 1:
        return grad * apart.sign()
    if p == float("inf"):
        return grad * apart.sign() * (size == distance)
    part = apart.sign() * size.pow(p - 1) if p < 2 else apart * size.pow(p - 2) if p != 2 else apart
    made = part * (grad / distance.pow(p - 1))
    return torch.where((distance == 0) | (size == 0) if p < 1 else distance == 0, zero, made)


def between_gradient(grad, x, other, p, distance):
    apart = wide(x).unsqueeze(-2) - wide(other).unsqueeze(-3)
    return slope(apart, wide(distance).unsqueeze(-1), wide(grad).unsqueeze(-1), p).sum(-2).to(x.dtype)


def pairs_of(x):
    return torch.triu_indices(x.size(0), x.size(0), 1, device=x.device).unbind(0)


def among(x, p=2):
    """Of each two rows."""
    first, second = (torch.index_select(wide(x), 0, places) for places in pairs_of(x))
    return torch.linalg.vector_norm(first - second, p, -1).to(x.dtype)


def among_gradient(grad, x, p, distance):
    places = pairs_of(x)
    first, second = (torch.index_select(wide(x), 0, place) for place in places)
    made = slope(first - second, wide(distance).unsqueeze(-1), wide(grad).unsqueeze(-1), p)
    total = torch.zeros_like(wide(x)).index_add_(0, places[0], made).index_add_(0, places[1], -made)
    return total.to(x.dtype)


def sum_of_products(x, a, b, *, beta=1, alpha=1):
    """Of a batch of matrices, which is one product of longer rows and columns."""
    rows = a.transpose(0, 1).reshape(a.size(1), -1)
    return torch.addmm(x, rows, b.reshape(-1, b.size(2)), beta=beta, alpha=alpha)


def margin_gradient(grad, x, target, p, margin, weight=None, reduction=1):
    """Of scores that are not as much less than the wanted one as they are to be."""
    scores, places = wide(x).reshape(target.numel(), -1), target.reshape(-1, 1)
    other = torch.arange(scores.size(1), device=x.device) != places
    behind = margin - torch.gather(scores, 1, places) + scores
    factor = wide(grad).reshape(-1, 1) / (scores.size(1) * (scores.size(0) if reduction == 1 else 1))
    if weight is not None:
        factor = factor * torch.index_select(wide(weight), 0, places.reshape(-1)).unsqueeze(1)
    made = torch.where(other & (behind > 0), factor if p == 1 else 2 * factor * behind, 0.0)
    return made.scatter_add(1, places, -made.sum(1, True)).view(x.size()).to(x.dtype)


OPERATIONS = {name: formed(function) for name, function in {
    "_cdist_forward": between, "_cdist_backward": between_gradient, "_pdist_forward": among,
    "_pdist_backward": among_gradient, "addbmm": sum_of_products, "multi_margin_loss_backward": margin_gradient,
}.items()}
