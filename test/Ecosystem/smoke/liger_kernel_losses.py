"""Liger's kernels for training, written in Triton: values and slopes as PyTorch has them on the host."""
import sys

import torch
import torch.nn.functional as F
from liger_kernel.transformers import functional as liger

ROWS, WIDTH = 40, 200
TARGETS = torch.randint(0, WIDTH, (ROWS,), generator=torch.Generator().manual_seed(1))
TARGETS[3] = -100  # Which is left out.


def slopes(function, inputs, device):
    """What the function gives, and its slopes for slopes of the result that vary."""
    inputs = [each.detach().to(device).requires_grad_() for each in inputs]
    result = function(*inputs)
    result.backward(torch.cos(torch.arange(result.numel(), device=device)).view(result.shape))
    return [each.detach().cpu() for each in [result] + [each.grad for each in inputs]]


def rotary(q, k, cos, sin):
    def turn(x):
        low, high = x.chunk(2, -1)
        return x * cos[:, None] + torch.cat((-high, low), -1) * sin[:, None]
    return torch.cat((turn(q), turn(k)), 1)


def sparsemax(x):
    ordered = x.sort(-1, descending=True)[0]
    sums, ranks = ordered.cumsum(-1) - 1, torch.arange(1, WIDTH + 1)
    count = (ordered > sums / ranks).sum(-1, keepdim=True)
    return torch.clamp(x - sums.gather(-1, count - 1) / count, min=0)


def cases():
    """Names, Liger's function, the host's and their arguments."""
    random = torch.Generator().manual_seed(0)

    def normal(*shape):
        return torch.randn(*shape, generator=random)

    x, y, weight, bias = normal(ROWS, WIDTH), normal(ROWS, WIDTH), normal(WIDTH), normal(WIDTH)
    targets = TARGETS.cuda()
    angles = torch.arange(20)[:, None] / 10000 ** (torch.arange(16) / 16)
    angles = torch.cat((angles, angles), -1)[None]
    cos, sin = angles.cos(), angles.sin()
    yield ("rms_norm", lambda x, w: liger.liger_rms_norm(x, w, 1e-6),
           lambda x, w: F.rms_norm(x, (WIDTH,), w, 1e-6), [x, weight])
    yield ("layer_norm", lambda x, w, b: liger.liger_layer_norm(x, w, b, 1e-5),
           lambda x, w, b: F.layer_norm(x, (WIDTH,), w, b, 1e-5), [x, weight, bias])
    yield ("group_norm", lambda x, w, b: liger.liger_group_norm(x, w, b, 12, 3, 1e-5),
           lambda x, w, b: F.group_norm(x, 3, w, b, 1e-5), [normal(3, 12, 7, 5), normal(12), normal(12)])
    yield "softmax", liger.liger_softmax, lambda x: F.softmax(x, -1), [x]
    yield "sparsemax", lambda x: liger.liger_sparsemax(x, -1), sparsemax, [x]
    yield "swiglu", liger.liger_swiglu, lambda a, b: F.silu(a) * b, [x, y]
    yield "geglu", liger.liger_geglu, lambda a, b: F.gelu(a, approximate="tanh") * b, [x, y]
    yield ("cross_entropy", lambda x: liger.liger_cross_entropy(x, targets, label_smoothing=0.1),
           lambda x: F.cross_entropy(x, TARGETS, label_smoothing=0.1), [x])
    yield ("fused_linear_cross_entropy", lambda x, w: liger.liger_fused_linear_cross_entropy(x, w, targets),
           lambda x, w: F.cross_entropy(x @ w.T, TARGETS), [normal(ROWS, 64), normal(WIDTH, 64)])
    yield ("rope", lambda q, k: torch.cat(liger.liger_rope(q, k, cos.cuda(), sin.cuda()), 1),
           lambda q, k: rotary(q, k, cos, sin), [normal(2, 4, 20, 32), normal(2, 2, 20, 32)])


def main():
    failures = 0
    for name, device, host, inputs in cases():
        pairs = zip(slopes(device, inputs, "cuda"), slopes(host, inputs, "cpu"))
        error = max(((got - wanted).norm() / wanted.norm()).item() for got, wanted in pairs)
        if not error < 2e-6:
            failures += 1
            print("%s: off by %.1e" % (name, error))
    print("FAIL" if failures else "PASS")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
