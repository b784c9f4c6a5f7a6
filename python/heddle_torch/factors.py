"""Parts of operations on matrices and spectra that PyTorch has no library for; the libraries do the rest."""
import triton
from triton import language as tl

import torch

from heddle_torch import kernels
from heddle_torch.formed import formed

BLOCK = 32


@triton.jit(do_not_specialize=["count", "rows", "steps"], do_not_specialize_on_alignment=["out", "pivots"])
def exchange(out, pivots, count, rows, steps, BLOCK: tl.constexpr):
    """Exchanges numbers of rows as pivots say, which count from 1, one after another."""
    matrix = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = matrix < count
    for step in range(steps):
        first = out + matrix * rows + step
        second = out + matrix * rows + tl.load(pivots + matrix * steps + step, inside, other=1) - 1
        a, b = tl.load(first, inside), tl.load(second, inside)
        tl.store(first, b, inside)
        tl.store(second, a, inside)


def permutation(pivots, rows):
    """The row that each row comes from, of each of a batch of matrices."""
    made = torch.arange(rows, device=pivots.device).expand(*pivots.size()[:-1], rows).contiguous()
    count, steps = made.numel() // max(rows, 1), pivots.size(-1)
    if count and steps:
        exchange[(triton.cdiv(count, BLOCK), )](made, pivots.contiguous(), count, rows, steps, BLOCK=BLOCK,
                                                **kernels.OPTIONS)
    return made


def unpacked(data, pivots, unpack_data=True, unpack_pivots=True):
    """The permutation and both triangles of a factorisation."""
    rows, columns = data.size()[-2:]
    nothing, least = data.new_empty(0), min(rows, columns)
    p, lower, upper = nothing, nothing, nothing
    if unpack_data:
        one = torch.eye(rows, least, dtype=data.dtype, device=data.device)
        lower, upper = data[..., :, :least].tril(-1) + one, data[..., :least, :].triu()
    if unpack_pivots:
        places = permutation(pivots, rows).unsqueeze(-2)
        p = (places == torch.arange(rows, device=data.device).unsqueeze(-1)).to(data.dtype)
    return p, lower, upper


KERNELS = {}  # PyTorch's own implementations, by name, that parts of operations are left to.


def spectrum(x, dim, normalization, onesided):
    """Of real numbers; the half that follows from the other one is put behind it."""
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA)
    half = KERNELS["aten::_fft_r2c"].call_boxed(keys, x, dim, normalization, True)
    if onesided:
        return half
    last = dim[-1]
    rest = half.narrow(last, 1, (x.size(last) - 1) // 2).flip(last)
    for other in dim[:-1]:
        rest = rest.flip(other).roll(1, other)
    return torch.cat([half, rest.conj().resolve_conj()], last)


OPERATIONS = {"lu_unpack": formed(unpacked), "_fft_r2c": formed(spectrum)}
