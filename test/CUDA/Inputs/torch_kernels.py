"""Operations of PyTorch that have kernels of ours, forward and backward, against the host: values, types and strides.
None of them may run on the host."""
import itertools
import sys

import torch
from torch.nn import functional

X, Y = torch.randn(5, 7, generator=torch.Generator().manual_seed(1)), torch.linspace(-3, 3, 35).reshape(5, 7)
I = torch.arange(-9, 26).reshape(5, 7)
IMAGES = torch.linspace(-1, 1, 2 * 4 * 9 * 8).reshape(2, 4, 9, 8).sin()
CUTS = torch.rand(2, 4, 3, generator=torch.Generator().manual_seed(2))
HOLES = torch.tensor([[1.0, float("nan"), 3.0], [float("-inf"), 2.0, 2.0], [-1.0, -2.0, float("inf")]])


NAN, INFINITE = float("nan"), float("inf")
SIGNED = torch.tensor([0.0, -0.0, 1.5, NAN, -INFINITE, -1.5, INFINITE, -0.0, NAN, 0.0])
ENDS = torch.tensor([-2**63, 2**63 - 1, -1, 0, 1, 3, -2**63, 5])
PLANES = torch.tensor([0.5, -1, 2, 7, -3, 0.25, 4, 1] * 6).reshape(2, 3, 8).cumsum(-1)


def numbers(like, *values):
    return torch.tensor(values, device=like.device)


def bits(x):
    """The sign of a zero is part of a result."""
    return torch.where(x == x, x, 5.0).view(torch.int32)


def wrapped(function):
    """Of what is not contiguous, of nothing, and of a number by itself."""
    return lambda x: [function(x.t()), function(x[:, ::2]), function(x[:0]), function(x[0, 0])]


ELEMENTS = {
    "add": (lambda x, y: x + 2 * y, X, Y), "broadcast": (lambda x, y: x - y[0] - y[:, :1], X, Y),
    "turned": (lambda x, y: x.t() + y.t() * 3.5, X, Y), "sliced": (lambda x: x[::2, 1::3] * 2, X),
    "many dimensions": (lambda x: x.view(2, 2, 2, 9, 2, 4).permute(5, 3, 1, 0, 2, 4) + 1, IMAGES),
    "divide": (lambda x, y: x / (y + 9), X, Y), "whole numbers": (lambda i: (i + 4) * i - 7, I),
    "quotient of whole numbers": (lambda i: i / 3, I), "types": (lambda x, i: x * i, X, I),
    "half": (lambda x: (x.half() * 2 + x.half()).float(), X), "bfloat16": (lambda x: x.bfloat16() + 1.5, X),
    "in place": (lambda x, y: x.clone().add_(y, alpha=0.5).mul_(3).clamp_(-1, 2), X, Y),
    "out": (lambda x: torch.mul(x, 2, out=torch.empty(0, device=x.device)), X),
    "compare": (lambda x, y: [x < y, x == y, x >= 0, x != x], HOLES, HOLES.t()),
    "where": (lambda x, y: torch.where(x > y, x, y), X, Y), "bits": (lambda i: (i & 5) | ~i, I),
    "fill": (lambda x: x.masked_fill(x > 0, float("-inf")).isneginf() & (x < 1), X),
    "roots": (lambda x: (x * x).sqrt() + (x.abs() + 1).rsqrt() + x.abs().reciprocal(), X),
    "waves": (lambda x: x.sin() * x.cos() + x.tanh() * x.exp(), X), "power": (lambda x: x.abs() ** 2.5 + x**2, X),
    "activations": (lambda x: functional.gelu(x) + functional.silu(x) + functional.relu(x) + x.sigmoid(), X),
    "factors": (lambda x, y: torch.addcmul(x, y, y, value=0.3) + torch.lerp(x, y, 0.7), X, Y),
    "lists": (lambda x, y: torch._foreach_add(torch._foreach_mul([x, y], 2.0), 1.0), X, Y),
    "angles": (lambda x: x.clamp(-1, 1).acos() + x.atan() + (x.abs() + 1).acosh() + x.asinh() + x.sinh() + x.tan(), X),
    "logarithms": (lambda x: x.abs().log1p() + (x.abs() + 1).log10() + (x.abs() + 1).log2() + x.expm1() + x.exp2(), X),
    "of whole numbers": (lambda i: [i.exp2(), i.sqrt(), i.sigmoid(), i.atan(), i.isnan(), i.ceil(), i.sgn(), -i], I),
    "errors": (lambda x: x.erf() + x.erfc() + torch.special.i0(x) + torch.special.bessel_j0(x) + (x + 9).lgamma(), X),
    "rounded": (lambda x: [x.ceil(), x.floor(), x.trunc(), (x * 2).round(), x.frac(), x.sign()], X),
    "holes": (lambda x: [x.isnan(), x.isinf(), x.isposinf(), x.signbit(), torch.fmax(x, x.t()), x.sign(),
                         torch.heaviside(x, x.t())], HOLES),
    "neighbours": (lambda x, y: torch.nextafter(x, y), X, Y),
    "pairs": (lambda x, y: x.atan2(y) + x.hypot(y) + x.copysign(y) + x.xlogy(y.abs()), X, Y),
    "remainders": (lambda x, y: [torch.fmod(x, y), torch.remainder(x, y), torch.heaviside(x.round(), y)], X, Y),
    "more activations": (lambda x: functional.mish(x) + functional.softplus(x) + functional.hardswish(x)
                         + functional.leaky_relu(x, 0.2) + functional.hardtanh(x) + functional.softshrink(x, 0.3), X),
    "double": (lambda x, y: [x.double() / 3 + y * 0.1, (x.double() * 0.1).exp().amax(), (y.double() > 0.1)], X, Y),
    "narrow": (lambda i: [i.to(torch.int8) * 3, i.to(torch.uint8) ^ 5, i.to(torch.int16).abs() - 2,
                          i.to(torch.int8).amin()], I),
    "convert": (lambda x: [x.to(torch.int64), (x > 0).to(torch.float32), x.to(torch.bool)], Y),
}
OTHERS = {
    "sums": (lambda x: [x.sum(), x.sum(0), x.sum((0, 1), keepdim=True), x.mean(1), x.t().mean(1)], X),
    "sums of nothing": (lambda x: [x[:0].sum(), x[:, :0].sum(1), x[:0].sum(0)], X),
    "sums of whole numbers": (lambda i: [i.sum(), i.sum(1), (i > 3).sum(0)], I),
    "largest": (lambda x: [x.amax(0), x.amin(1), *x.max(1), x.argmax(-1), x.argmax(), x.max()], HOLES),
    "fractional pools": (lambda x: [
        *functional.fractional_max_pool2d(x, 2, (4, 3), None, True, CUTS[..., :2].to(x.device)),
        *functional.fractional_max_pool3d(x, 2, (2, 4, 3), None, True, CUTS[:1, :2].to(x.device))], IMAGES),
    "largest doubles": (lambda x: [*x.double().max(1), *x.double().min(0), x.double().argmax(1), x.double().amin()],
                        HOLES),
    "smallest": (lambda x, i: [*x.min(1), x.argmin(-1), x.argmin(), x.min(), *i.min(0), i.argmin(1)], HOLES, I),
    "truths": (lambda x: [(x > 1).any(1), (x > -9).all(), x.any()], X), "norm": (torch.linalg.vector_norm, X),
    "softmax": (lambda x: [x.softmax(0), x.log_softmax(1), (x * 90).softmax(1)], X),
    "sums up to": (lambda x, i: [x.cumsum(1), i.cumsum(0)], X, I),
    "long rows": (lambda x: [x.reshape(1, -1).softmax(1), x.reshape(1, -1).cumsum(1), x.reshape(-1).argmax()], IMAGES),
    "products": (lambda x, y: [x @ y.t(), torch.addmm(x[:, :5], x, y.t(), beta=0.5, alpha=2), x.t() @ y], X, Y),
    "batches": (lambda x, y: torch.bmm(x.expand(3, 5, 7), y.t().expand(3, 7, 5)), X, Y),
    "together": (lambda x, y: [torch.cat([x, y], 1), torch.stack([x, y]), x.tril(1), x.triu()], X, Y),
    "chosen": (lambda x: [x.index_select(1, numbers(x, 2, 0, 6)), x.gather(1, numbers(x, [1, 2], [0, 3])),
                          functional.embedding(numbers(x, [1, 2], [4, 0]), x)], X),
    "chosen by words": (lambda x: [x.index_select(1, numbers(x, 2, 0, 6).int()), x[numbers(x, 1, 4, 1).int()],
                                   functional.embedding(numbers(x, [1, 2], [4, 0]).int(), x)], X),
    "counted": (lambda x: [torch.arange(3, 20, 2, device=x.device), torch.arange(6, device=x.device)], X),
    "contained": (lambda i: torch.isin(i, numbers(i, 3, 4, 99)), I), "spread": (lambda x: torch.var_mean(x, 1), X),
}
ORDER = {
    "sorted": (lambda x: [*x.sort(stable=True), *x.sort(dim=0, descending=True, stable=True), x.msort()], HOLES),
    "sorted signs": (lambda x: [bits(x.sort(stable=True)[0]), x.sort(stable=True)[1],
                                x.bfloat16().sort(stable=True, descending=True)[1]], SIGNED),
    "sorted ends": (lambda i: [*i.sort(stable=True), *i.sort(descending=True, stable=True), *i.to(torch.uint8).sort(
        stable=True)], ENDS),
    "long sort": (lambda x: [*(x * 9).round().reshape(3, -1).sort(dim=1, stable=True),
                             x.double().reshape(-1).argsort()], IMAGES),
    "sort of little": (lambda x: [part for one in wrapped(lambda y: y.sort(stable=True))(x) for part in one], X),
    "first of all": (lambda x: [*x.topk(3, 1), *x.topk(2, 0, largest=False), *x.kthvalue(2, 1)], X),
    "middles": (lambda x: [x.median(), *x.median(1), x.nanmedian(), *x.nanmedian(1), x.quantile(0.3), *x.mode(1)], X),
    "middles of holes": (lambda x: [x.median(), x.nanmedian(), x.nanmedian(1)[0], x.median(0)[0]], HOLES),
    "different": (lambda i: [*(i % 5).unique(return_inverse=True, return_counts=True),
                             *(i // 3).unique_consecutive(return_inverse=True, return_counts=True)], I),
    "searched": (lambda x: [torch.searchsorted(x.sort(1)[0], x.flip(1)), torch.bucketize(x, numbers(x, -1.0, 0.0, NAN),
                                                                                         right=True)], X),
    "histograms": (lambda x, i: [x.histc(5), x.histc(4, -1, 1), (i + 9).reshape(-1).bincount(minlength=40),
                                 (i % 3 + 3).reshape(-1).bincount(i.reshape(-1) * 0.5)], X, I),
    "scans": (lambda x, i: [x.cumprod(1), (i % 5 - 2).cumprod(0), *x.cummax(1), *i.cummin(0), x.logcumsumexp(1)], X, I),
    "scans of holes": (lambda x: [*x.cummax(1), *x.cummin(0), x.logcumsumexp(0), bits(SIGNED.to(x.device).cummax(0)[0]),
                                  x.cumsum(0)], HOLES),
    "long scans": (lambda x: [x.reshape(-1).cumprod(0), *x.reshape(2, -1).cummin(1), x.reshape(-1).logcumsumexp(0)],
                   IMAGES),
    "products of many": (lambda x, i: [x.prod(), x.prod(1), (i % 3 + 1).prod(0), i.prod(), x[:0].prod(0)], X, I),
}
PLACES = {
    "turned round": (lambda x: [x.flip(0), x.flip(0, 1), x.roll(3), x.roll((1, -2), (0, 1)), x.rot90()], X),
    "indexed": (lambda x: [x[numbers(x, 4, -1, 0)], x[:, numbers(x, 1, -7)], x[x > 0], x[numbers(x, 1, 2), 3:5],
                           x[None, numbers(x, [1], [0]), numbers(x, 2, 3)]], X),
    "written": (lambda x: [x.index_put((numbers(x, 1, -1), ), x[0]), x.index_put((x > 0, ), numbers(x, -5.0)),
                           x.index_put((numbers(x, 1, 1, 1), numbers(x, 0, 0, 0)), numbers(x, 1.0, 2.0, 3.0),
                                       accumulate=True)], X),
    "scattered": (lambda x: [x.scatter(1, numbers(x, [0, 6], [3, 2]), x[2:4, :2]),
                             x.scatter(0, numbers(x, [4] * 7), 2.5),
                             x.scatter_add(0, numbers(x, [1] * 7, [1] * 7), x)], X),
    "folded": (lambda x: [x.scatter_reduce(1, (numbers(x, [0, 1, 1, 3, 3, 3, 0])).expand(5, 7), x * 2, kind,
               include_self=own) for kind in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)], X),
    "folded holes": (lambda x: [x.scatter_reduce(0, numbers(x, [0] * 3, [1] * 3, [0] * 3), x, kind)
                                for kind in ("amax", "amin", "prod")], HOLES),
    "whole numbers folded": (lambda i: [i.index_reduce(0, numbers(i, 1, 1, 3), i[:3] - 20, kind)
                             for kind in ("mean", "amax", "prod")] + [i.index_add(0, numbers(i, 2, 2), i[:2], alpha=3)],
                             I),
    "narrow sums": (lambda x: [x.bfloat16().index_add(0, numbers(x, *[0] * 5), x.bfloat16()).float(), (x[0] > 9).to(
        torch.uint8).index_add(0, numbers(x, 1, 1), numbers(x, 200, 100).to(torch.uint8))], X),
    "filled": (lambda x: [x.index_fill(1, numbers(x, 0, -1), 9.0), x.index_copy(0, numbers(x, 3, 1), x[:2]),
                          x.take(numbers(x, [3, -1], [0, 34])), x.put(numbers(x, 1, -2), numbers(x, 7.0, 8.0))], X),
    "masked": (lambda x: [x.masked_select(x > 0), x.masked_scatter(x > 0, x.flip(1)), (x > 0).nonzero(),
                          x[:0].nonzero(), x[0, 0].nonzero()], X),
    "repeated": (lambda i: [i.repeat_interleave(2), i[0].repeat_interleave(i[4] - 18), i[0].repeat(2, 2)], I),
    "windows": (lambda x: [functional.max_pool2d(x, 3, 2, 1, ceil_mode=True), *functional.max_pool2d(
        x, 2, dilation=2, return_indices=True), functional.avg_pool2d(x, 3, 2, 1), functional.avg_pool2d(
            x, 3, 2, 1, ceil_mode=True, count_include_pad=False), functional.adaptive_avg_pool2d(x, (4, 3)),
        *functional.adaptive_max_pool2d(x, 5, return_indices=True)], IMAGES),
    "windows of holes": (lambda x: functional.max_pool1d(torch.where(x.isinf(), NAN, x), 2, 1), HOLES),
    "other sizes": (lambda x: [functional.interpolate(x, scale_factor=1.7, mode=mode, align_corners=aligned)
                    for mode, aligned in (("nearest", None), ("nearest-exact", None), ("bilinear", False),
                                          ("bilinear", True), ("bicubic", False))], IMAGES),
    "infinite images": (lambda x: [functional.interpolate(x.isinf().float()[None, None] / 0 * 0 + x[None, None],
                                                          size=(5, 4), mode="nearest")], HOLES),
    "smooth": (lambda x: functional.interpolate(x, (4, 5), mode="bilinear", antialias=True), IMAGES),
    "padded": (lambda x: [functional.pad(x, (2, 1, 1, 3), mode) for mode in ("reflect", "replicate", "circular")],
               IMAGES),
}
NUMBERS = {
    "whole quotients": (lambda i: [i // 4, i // -4, i % 5, i % -5, torch.fmod(i, 4),
                                  i.div(3, rounding_mode="trunc")], I),
    "quotients": (lambda x, y: [x.div(y, rounding_mode="floor"), torch.floor_divide(y, 0.3), x.div(
        y, rounding_mode="trunc")], X, Y),
    "quotients of nothing": (lambda x: [bits(x // 2), bits(x // -2), (x // 0.0), bits(x.div(2, rounding_mode="trunc")),
                                        torch.remainder(x, -2)], SIGNED),
    "whole powers": (lambda i: [i**3, i**0, torch.pow(i, (i % 4).abs()), torch.pow((i % 3 - 1), -i),
                               i.to(torch.uint8)**5, 2.5**i[0]], I),
    "too large": (lambda i: [i + 1, i * 3, i**2, -i, i.abs(), i.to(torch.int32), i.sum(), i << 1,
                            i >> 62, i << 64, i], ENDS),
    "bounds": (lambda x, i: [x.clamp(x.t(), x), x.clamp(-1, 2), x.clamp_min(NAN), x.clamp_max(1), i.clamp(3, 9),
                            i.clamp_min(4)], HOLES, I),
    "sums of exponentials": (lambda x: [torch.logaddexp(x, x.t()), torch.logaddexp2(x, x.t()), x.logsumexp(1)], HOLES),
    "numbers alone": (lambda x: [x.nan_to_num(), x.nan_to_num(1.0, 2.0, 3.0), x.bfloat16().nan_to_num().float()],
                      HOLES),
    "rounded to": (lambda x: [(x * 100).round(decimals=1), (x * 100).round(decimals=-1), *torch.frexp(x), x.logit(0.1),
                              x.angle()], X),
    "narrow activations": (lambda x: [functional.elu(x.bfloat16()).float(), functional.hardtanh(x.bfloat16()).float(),
                                      functional.logsigmoid(x.bfloat16()).float()], X),
    "spreads": (lambda x: [x.var(), x.std(1), *torch.std_mean(x, 0), x.double().var(0), x.norm(3), x.norm(INFINITE, 1),
                           *x.aminmax(), x.count_nonzero(1), x.nansum(0)], X),
    "whole products": (lambda i: [i @ i.t(), i[0] @ i[1], i.to(torch.int32) @ i.t().to(torch.int32)], I),
    "double products": (lambda x: [x.double() @ x.double().t(), x.double() @ x[0].double()], X),
    "lines": (lambda x: [torch.linspace(-1, 2, 9, device=x.device), torch.logspace(0, 2, 5, device=x.device), torch.eye(
        3, 4, device=x.device), torch.arange(0.5, 4, 0.3, device=x.device), torch.tril_indices(
            3, 4, device=x.device)], X),
    "complex": (lambda x, y: [torch.view_as_real(z) for z in complex_results(torch.complex(x, y), torch.complex(y, x))],
                X, Y),
    "spectra": (lambda x: [torch.view_as_real(torch.fft.fft(x)), torch.view_as_real(torch.fft.fft2(x)), torch.fft.irfft(
        torch.fft.rfft(x), 7), torch.view_as_real(torch.fft.fftshift(torch.fft.ifftn(x)))], X),
    "functions": (lambda x: [x.abs().digamma(), torch.polygamma(1, x.abs() + 1), torch.special.i0e(x),
                             torch.special.zeta(x.abs() + 2, x.abs() + 1), torch.special.entr(x),
                             torch.special.legendre_polynomial_p(x, 3)], X),
    "types with numbers": (lambda x: typed_results(x + 3), Y),
    "divisors": (lambda i: [torch.gcd(i, 12 - i), torch.lcm(i, i + 3)], I),
    "matrices": (lambda x: matrix_results(x @ x.t() + 5 * torch.eye(5, device=x.device), x[:, :5]), X),
    "bags": (lambda w: [functional.embedding_bag(numbers(w, 1, 4, 1, 2), w, numbers(w, 0, 3, 3), mode=mode)
                        for mode in ("sum", "mean", "max")], X),
    "dropped": (lambda x: [functional.dropout(x * 0 + 1, 0.0), functional.dropout(x, 1.0)], X),
}
GRADIENTS = {
    "largest": (lambda x: functional.max_pool2d(x, 3, 2, 1), IMAGES),
    "averages": (lambda x: functional.avg_pool2d(x, 3, 2, 1) * functional.adaptive_avg_pool2d(x, (5, 4)), IMAGES),
    "volumes": (lambda x, w: functional.conv3d(x[None], w, padding=1), IMAGES,
                torch.linspace(-1, 1, 108).reshape(2, 2, 3, 3, 3).sin()),
    "transposed": (lambda x, w: functional.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1, groups=2),
                   IMAGES, torch.linspace(-1, 1, 108).reshape(4, 3, 3, 3).cos()),
    "line": (lambda x, w: functional.conv1d(x[0], w, w[:, 0, 0], dilation=2), IMAGES,
             torch.linspace(-1, 1, 54).reshape(2, 9, 3).cos()),
    "interpolation": (lambda x: functional.interpolate(x, (5, 11), mode="bicubic"), IMAGES),
    "lengths": (lambda v, g: torch._weight_norm(v, g, 1), torch.linspace(-1, 1, 60).reshape(4, 5, 3).cos(),
                torch.linspace(1, 2, 5).reshape(1, 5, 1)),
    "groups": (lambda x, y: torch._grouped_mm(x, y, offs=torch.tensor([4, 4, 12], dtype=torch.int32, device=x.device)),
               torch.linspace(-1, 1, 192).reshape(12, 16).sin(), torch.linspace(-1, 1, 384).reshape(3, 16, 8).cos()),
    "reflection": (lambda x: functional.pad(x, (2, 1, 1, 3), "reflect"), IMAGES),
    "grid": (lambda x, g: functional.grid_sample(x, g * 1.3, padding_mode="reflection", align_corners=False), IMAGES,
             torch.linspace(-1, 1, 60).cos().reshape(2, 3, 5, 2)),
    "group norm": (lambda x, w: functional.group_norm(x, 2, w, w), IMAGES, torch.linspace(0.05, 0.2, 4)),
    "scattering": (lambda x: x.scatter_add(1, numbers(x, [0, 0, 3]), x[:1, 2:5]), X),
    "indexing": (lambda x: x[numbers(x, 1, 1, 3)] * x[:, numbers(x, 0, 1, 2, 0, 0, 5, 6)][1:4], X),
    "order": (lambda x: x.sort(1)[0] * x.cumprod(1) + x.logcumsumexp(0) + x.cummax(1)[0], X),
    "losses": (lambda x, y: functional.smooth_l1_loss(x, y) + functional.huber_loss(x, y) + functional.mse_loss(x, y)
               + functional.binary_cross_entropy(x.sigmoid(), y.sigmoid()), X, Y),
    "pixels": (lambda x: functional.cross_entropy(x, (x[:, 0] > 0).long() * 2), IMAGES),
    "bag": (lambda w: functional.embedding_bag(numbers(w, 1, 4, 1, 2), w, numbers(w, 0, 3), mode="mean"), X),
    "further activations": (lambda x: functional.elu(x) + functional.glu(x[:, :6]).sum() + functional.mish(x)
                            + functional.hardswish(x) + functional.logsigmoid(x) + functional.softshrink(x), X),

    "convolution": (lambda x, w: functional.conv2d(x, w, w[:, 0, 0, 0], padding=1, stride=2), IMAGES,
                    torch.linspace(-1, 1, 216).reshape(6, 4, 3, 3).cos()),
    "groups": (lambda x, w: functional.conv2d(x, w, groups=2, dilation=2), IMAGES,
               torch.linspace(-1, 1, 108).reshape(6, 2, 3, 3).cos()),
    "layer norm": (lambda x, y: functional.layer_norm(x, (7, ), y[0], y[1]), X, Y),
    "batch norm": (lambda x: functional.batch_norm(x, None, None, training=True), IMAGES),
    "embedding": (lambda w: functional.embedding(numbers(w, 1, 2, 1), w), X), "gelu": (functional.gelu, X),
    "embedding by words": (lambda w: functional.embedding(numbers(w, 1, 2, 1).int(), w, padding_idx=2), X),
    "silu": (functional.silu, X), "relu": (functional.relu, X), "softmax": (lambda x: x.softmax(1), X),
    "loss": (lambda x: functional.cross_entropy(x, numbers(x, 1, 2, 3, 0, 6)), X),
    "attention": (lambda q: functional.scaled_dot_product_attention(q, q * 2, q + 1, is_causal=True),
                  IMAGES.reshape(2, 4, 9, 8)),
}


def complex_results(x, y):
    return [x + y, x - 2 * y, x * y, x / y, x * 2, y.conj() * x, x.exp(), x @ y.t(), torch.cat([x, y.conj()]),
            x.flip(0), x.sum(0), (x.abs() + x.angle()).to(x.dtype), x.clone().fill_(1 - 2j), x.mean(1)]


def typed_results(x):
    """Of tensors, and of numbers on the device, of each type with numbers of the program of each kind."""
    made = []
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.uint8, torch.int32, torch.bool):
        for each, value in itertools.product((x.to(dtype), x[1, 1].to(dtype)), (True, 2, 1.5)):
            made += [value * each, each / value, each < value, torch.where(each > 0, value, each)]
            made += [each + value, each**value] if dtype != torch.bool else []
    return made


def matrix_results(a, b):
    """Of a symmetric matrix and another one; signs of vectors and strides are left open."""
    values, vectors = torch.linalg.eigh(a)
    lower, upper = torch.linalg.qr(b)
    made = [torch.linalg.cholesky(a), torch.linalg.solve(a, b), torch.linalg.inv(a), torch.linalg.det(a), values,
            vectors.abs(), lower.abs(), upper.abs(), torch.linalg.svdvals(b), *torch.linalg.lu(a),
            torch.linalg.solve_triangular(a.triu(), b, upper=True)]
    return [value.contiguous() for value in made]


# How random numbers are made, between what they lie, and their mean.
DRAWN = {
    "uniform": (lambda x: x.uniform_(2, 4), 2, 4, 3), "normal": (lambda x: x.normal_(1, 0.5), -2, 4, 1),
    "exponential": (lambda x: x.exponential_(2), 0, INFINITE, 0.5),
    "geometric": (lambda x: x.geometric_(0.25), 1, 99, 4),
    "bernoulli": (lambda x: x.bernoulli_(0.3), 0, 1, 0.3), "whole": (lambda x: torch.randint_like(x, -5, 6), -5, 5, 0),
    "all whole": (lambda x: x.long().random_() / 2**63, 0, 1, 0.5),
    "any whole": (lambda x: x.long().random_(-2**63, None) / 2**63, -1, 1, 0),
    "narrow": (lambda x: x.bfloat16().uniform_().float(), 0, 1, 0.5),
    "dropped": (lambda x: functional.dropout(x + 1, 0.4), 0, 1 / 0.6, 1),
    "classes": (lambda x: torch.multinomial(numbers(x, 1.0, 2.0, 7.0), 20000, True).float(), 0, 2, 1.6),
    "order": (lambda x: torch.randperm(20000, device=x.device).sort()[0].diff().float(), 1, 1, 1),
}


# What PyTorch prints on NVIDIA's GPUs for a seed of 0.
OF_GPUS = {
    "uniform": (torch.rand, [0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203]),
    "normal": (torch.randn, [-0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797, -0.6229, -0.3284]),
}


def wrong_numbers():
    """Of random numbers which are not as they are to be, or not the same from the same seed."""
    wrong = {}
    for name, (draw, least, most, mean) in DRAWN.items():
        made = []
        for seed in (1, 1, 2):
            torch.manual_seed(seed)
            made.append(draw(torch.zeros(20000, device="cuda")).cpu())
        first = made[0]
        is_right = (least <= first).all() and (first <= most).all() and abs(first.mean() - mean) <= 5 * first.std() / 20000**0.5
        if not is_right or not first.equal(made[1]) or first.equal(made[2]) != (name == "order"):
            wrong[f"drawn {name}"] = f"from {first.min()} to {first.max()}, on average {first.mean()}"
    for name, (draw, expected) in OF_GPUS.items():
        torch.manual_seed(0)
        found = draw(len(expected), device="cuda").cpu()
        if not torch.allclose(found, torch.tensor(expected), rtol=0, atol=6e-5):
            wrong[f"drawn as by a GPU, {name}"] = found
    # A graph draws others each time; the program has used the runtime alone.
    x, graph = torch.zeros(100, device="cuda"), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.copy_(torch.rand(100, device="cuda"))
    graph.replay()
    first = x.clone()
    graph.replay()
    if torch.equal(first, x):
        wrong["drawn in a graph"] = first
    return wrong


def results(function, tensors, device):
    made = function(*(tensor.clone().to(device) for tensor in tensors))
    return list(made) if isinstance(made, (list, tuple)) else [made]


def gradients(function, tensors, device):
    leaves = [tensor.detach().clone().to(device).requires_grad_() for tensor in tensors]
    made = function(*leaves)
    made.square().sum().backward()
    return [made.detach(), *(leaf.grad for leaf in leaves)]


def differs(compute, function, tensors):
    """What is wrong with the results on the device, an error too."""
    try:
        for found, expected in zip(*(compute(function, tensors, device) for device in ("cuda", "cpu")), strict=True):
            torch.testing.assert_close(found.cpu(), expected, rtol=2e-5, atol=2e-5, check_stride=compute is results,
                                       equal_nan=True)
    except Exception as difference:
        return f"{type(difference).__name__}: {difference}"
    return None


def main():
    wrong = wrong_numbers()
    for compute, cases in ((results, ELEMENTS), (results, OTHERS), (results, ORDER), (results, PLACES),
                           (results, NUMBERS), (gradients, GRADIENTS)):
        for name, (function, *tensors) in cases.items():
            if difference := differs(compute, function, tensors):
                wrong[f"{compute.__name__} of {name}"] = difference

    import heddle_torch
    on_host = heddle_torch.host_calls()
    print("PASS" if not wrong and not on_host else f"FAIL: {wrong} on the host: {on_host}")
    return bool(wrong or on_host)


if __name__ == "__main__":
    sys.exit(main())
