"""Operations of PyTorch that have kernels of ours, forward and backward, against the host: values, types and strides.
None of them may run on the host."""
import sys

import torch
from torch.nn import functional

X, Y = torch.randn(5, 7, generator=torch.Generator().manual_seed(1)), torch.linspace(-3, 3, 35).reshape(5, 7)
I = torch.arange(-9, 26).reshape(5, 7)
IMAGES = torch.linspace(-1, 1, 2 * 4 * 9 * 8).reshape(2, 4, 9, 8).sin()
HOLES = torch.tensor([[1.0, float("nan"), 3.0], [float("-inf"), 2.0, 2.0], [-1.0, -2.0, float("inf")]])


def numbers(like, *values):
    return torch.tensor(values, device=like.device)


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
    "counted": (lambda x: [torch.arange(3, 20, 2, device=x.device), torch.arange(6, device=x.device)], X),
    "contained": (lambda i: torch.isin(i, numbers(i, 3, 4, 99)), I), "spread": (lambda x: torch.var_mean(x, 1), X),
}
GRADIENTS = {
    "convolution": (lambda x, w: functional.conv2d(x, w, w[:, 0, 0, 0], padding=1, stride=2), IMAGES,
                    torch.linspace(-1, 1, 216).reshape(6, 4, 3, 3).cos()),
    "groups": (lambda x, w: functional.conv2d(x, w, groups=2, dilation=2), IMAGES,
               torch.linspace(-1, 1, 108).reshape(6, 2, 3, 3).cos()),
    "layer norm": (lambda x, y: functional.layer_norm(x, (7, ), y[0], y[1]), X, Y),
    "batch norm": (lambda x: functional.batch_norm(x, None, None, training=True), IMAGES),
    "embedding": (lambda w: functional.embedding(numbers(w, 1, 2, 1), w), X), "gelu": (functional.gelu, X),
    "silu": (functional.silu, X), "relu": (functional.relu, X), "softmax": (lambda x: x.softmax(1), X),
    "loss": (lambda x: functional.cross_entropy(x, numbers(x, 1, 2, 3, 0, 6)), X),
    "attention": (lambda q: functional.scaled_dot_product_attention(q, q * 2, q + 1, is_causal=True),
                  IMAGES.reshape(2, 4, 9, 8)),
}


def results(function, tensors, device):
    made = function(*(tensor.clone().to(device) for tensor in tensors))
    return list(made) if isinstance(made, (list, tuple)) else [made]


def gradients(function, tensors, device):
    leaves = [tensor.detach().clone().to(device).requires_grad_() for tensor in tensors]
    made = function(*leaves)
    made.square().sum().backward()
    return [made.detach(), *(leaf.grad for leaf in leaves)]


def differs(compute, function, tensors):
    for found, expected in zip(*(compute(function, tensors, device) for device in ("cuda", "cpu")), strict=True):
        try:
            torch.testing.assert_close(found.cpu(), expected, rtol=2e-5, atol=2e-5, check_stride=compute is results,
                                       equal_nan=True)
        except AssertionError as difference:
            return str(difference)
    return None


def main():
    wrong = {}
    for compute, cases in ((results, ELEMENTS), (results, OTHERS), (gradients, GRADIENTS)):
        for name, (function, *tensors) in cases.items():
            if difference := differs(compute, function, tensors):
                wrong[f"{compute.__name__} of {name}"] = difference

    import heddle_torch
    on_host = heddle_torch.host_calls()
    print("PASS" if not wrong and not on_host else f"FAIL: {wrong} on the host: {on_host}")
    return bool(wrong or on_host)


if __name__ == "__main__":
    sys.exit(main())
