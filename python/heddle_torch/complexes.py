"""Operations on complex numbers, pairs of real ones, and copies of tensors that are conjugated lazily."""
import torch
from torch.utils import _pytree as pytree

from heddle_torch import device
from heddle_torch.formed import formed

TYPES = (torch.complex64, torch.complex128)


def is_taken(tensor):
    """Whether functions of this module can take a tensor."""
    return device.is_usual(tensor) or (tensor.is_cuda and tensor.layout == torch.strided and tensor.dtype in TYPES
                                       and not tensor.is_neg())


def pair(x):
    """The real and the imaginary part; None for one that is none."""
    if not isinstance(x, torch.Tensor):
        return (x.real, x.imag) if isinstance(x, complex) else (x, None)
    if not x.is_complex():
        return plain(x), None
    if x.is_conj():
        real, imaginary = pair(torch._conj(x))
        return real, -imaginary
    parts = torch.view_as_real(x)
    return parts[..., 0], parts[..., 1]


def plain(x):
    """A real tensor without a lazy minus."""
    return torch.neg(torch._neg_view(x)) if x.is_neg() else x


def joined(real, imaginary):
    return torch.view_as_complex(torch.stack(torch.broadcast_tensors(real, imaginary), -1))


def copies(copy, to, source):
    """Copies where one is complex or negated lazily; False if the host is to do it."""
    if to.is_neg():
        return copies(copy, torch._neg_view(to), torch._neg_view(source))
    if source.is_neg():
        source = plain(source)
    if not is_taken(to) or not is_taken(source):
        return False
    if to.is_conj():
        return copies(copy, torch._conj(to), torch._conj(source))
    if not to.is_complex():
        return copy(to, pair(source)[0])
    if source.is_complex() and not source.is_conj():
        return copy(torch.view_as_real(to), torch.view_as_real(source))
    real, imaginary = pair(source)
    parts = torch.view_as_real(to)
    if imaginary is None:
        parts[..., 1].zero_()
    return copy(parts[..., 0], real) and (imaginary is None or copy(parts[..., 1], imaginary))


def filled(x, value=0):
    if isinstance(value, torch.Tensor):
        value = value.item()
    parts = torch.view_as_real(x if not x.is_conj() else torch._conj(x))
    value = complex(value).conjugate() if x.is_conj() else complex(value)
    parts[..., 0].fill_(value.real)
    parts[..., 1].fill_(value.imag)
    return x


def added(sign):
    def function(x, other, *, alpha=1):
        (a, b), (c, d) = pair(x), pair(other * alpha if alpha != 1 else other)
        a, c = (value if isinstance(value, torch.Tensor) else torch.full((), value, dtype=kind_of(x, other))
                .to(place_of(x, other)) for value in (a, c))
        zero = torch.zeros((), dtype=a.dtype, device=a.device)
        b, d = (zero if value is None else value for value in (b, d))
        return joined(a + c, b + d) if sign > 0 else joined(a - c, b - d)
    return function


def kind_of(*operands):
    """The type of the parts of a result."""
    return torch.empty((), dtype=torch.result_type(*operands), device="meta").real.dtype


def place_of(*operands):
    return next(value.device for value in operands if isinstance(value, torch.Tensor) and value.is_cuda)


def multiplied(x, other):
    (a, b), (c, d) = pair(x), pair(other)
    if b is None or d is None:
        factor, real, imaginary = (c, a, b) if d is None else (a, c, d)
        return joined(real * factor, imaginary * factor)
    return joined(a * c - b * d, a * d + b * c)


def divided(x, other):
    """By the larger part first, as PyTorch does, so that no square is too large."""
    (a, b), (c, d) = pair(x), pair(other)
    if d is None:
        return joined(a / c, b / c)
    dtype, where = kind_of(x, other), place_of(x, other)
    a, b, c, d = (value if isinstance(value, torch.Tensor) else torch.full((), value or 0.0, dtype=dtype, device=where)
                  for value in (a, b, c, d))
    is_real = c.abs() >= d.abs()
    most, least = torch.where(is_real, c, d), torch.where(is_real, d, c)
    ratio = torch.where(most == 0, most, least / most)
    scale = torch.where(most == 0, most.abs(), most + least * ratio)
    first, second = torch.where(is_real, a, b), torch.where(is_real, b, a)
    real, imaginary = (first + second * ratio) / scale, (second - first * ratio) / scale
    return joined(real, torch.where(is_real, imaginary, -imaginary))


def conjugated(x):
    real, imaginary = pair(x)
    return joined(real, -imaginary)


def negated(x):
    real, imaginary = pair(x)
    return -real if imaginary is None else joined(-real, -imaginary)


def exponential(x):
    real, imaginary = pair(x)
    size = real.exp()
    return joined(size * imaginary.cos(), size * imaginary.sin())


def by_parts(function):
    """An operation that moves or adds up elements: the same for both parts."""
    def carry_out(x, *args, **kwargs):
        if not x.is_complex():
            return NotImplemented
        real, imaginary = pair(x)
        return joined(function(real, *args, **kwargs), function(imaginary, *args, **kwargs))
    return carry_out


def product(multiply):
    def function(a, b):
        (real, imaginary), (other_real, other_imaginary) = pair(a), pair(b)
        return joined(multiply(real, other_real) - multiply(imaginary, other_imaginary),
                      multiply(real, other_imaginary) + multiply(imaginary, other_real))
    return function


def put_together(tensors, dim=0):
    parts = [pair(tensor) for tensor in tensors]
    if any(imaginary is None for _, imaginary in parts):
        return NotImplemented
    return joined(*(torch.cat([part[which] for part in parts], dim) for which in range(2)))


def chosen(condition, x, other):
    (a, b), (c, d) = pair(x), pair(other)
    zero = torch.zeros((), dtype=a.dtype, device=a.device)
    b, d = (zero if value is None else value for value in (b, d))
    return joined(torch.where(condition, a, c), torch.where(condition, b, d))


def same(x, other):
    (a, b), (c, d) = pair(x), pair(other)
    zero = a * 0 if b is None else b * 0
    return (a == c) & ((zero if b is None else b) == (0 if d is None else d))


def total(x, dim=None, keepdim=False, *, dtype=None):
    return by_parts(lambda part: torch.sum(part, dim, keepdim))(x if dtype is None else x.to(dtype))


def average(x, dim=None, keepdim=False, *, dtype=None):
    return by_parts(lambda part: torch.mean(part, dim, keepdim))(x if dtype is None else x.to(dtype))


def of_complex(function):
    carry_out = formed(function, is_taken)

    def carry_out_complex(op, args, kwargs):
        if not any(isinstance(value, torch.Tensor) and value.is_complex()
                   for value in pytree.tree_leaves((args, kwargs))):
            return NotImplemented
        return carry_out(op, args, kwargs)
    return carry_out_complex


OPERATIONS = {name: of_complex(function) for name, function in {
    "fill": filled, "zero": filled, "add": added(1), "sub": added(-1), "mul": multiplied, "div": divided,
    "conj_physical": conjugated, "neg": negated, "exp": exponential, "abs": lambda x: torch.hypot(*pair(x)),
    "angle": lambda x: torch.atan2(*pair(x)[::-1]), "complex": joined, "mm": product(torch.mm),
    "polar": lambda size, angle: joined(size * angle.cos(), size * angle.sin()), "bmm": product(torch.bmm),
    "cat": put_together, "where": chosen, "eq": same, "sum": total, "sum.dim_IntList": total, "mean": average,
    "mean.dim": average, **{name: by_parts(getattr(torch, name)) for name in (
        "index_select", "flip", "roll", "tril", "triu", "gather", "cumsum")},
}.items()}
