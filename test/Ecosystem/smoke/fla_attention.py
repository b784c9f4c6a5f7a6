"""Linear attention by the Triton kernels of flash-linear-attention, values and slopes, against its own plain
functions on the host. Of the configurations that a kernel may be tuned among, the first one runs."""
import sys

import torch
import torch.nn.functional as F
import triton.runtime.autotuner as autotuner

INIT = autotuner.Autotuner.__init__


def first_only(self, function, names, configurations, *others, **named):
    INIT(self, function, names, configurations[:1], *others, **named)


autotuner.Autotuner.__init__ = first_only

from fla.ops.based import parallel_based  # noqa: E402
from fla.ops.based.naive import naive_parallel_based  # noqa: E402
from fla.ops.forgetting_attn import naive_forgetting_attn, parallel_forgetting_attn  # noqa: E402
from fla.ops.gla import fused_recurrent_gla  # noqa: E402
from fla.ops.gla.naive import naive_recurrent_gla  # noqa: E402
from fla.ops.linear_attn import chunk_linear_attn  # noqa: E402
from fla.ops.linear_attn.naive import naive_recurrent_linear_attn  # noqa: E402
from fla.ops.simple_gla import chunk_simple_gla  # noqa: E402
from fla.ops.simple_gla.naive import naive_recurrent_simple_gla  # noqa: E402

# Not a multiple of the 64 steps that the kernels take together.
BATCH, STEPS, HEADS, WIDTH = 2, 100, 2, 32


def slopes(function, inputs, device):
    inputs = [each.detach().to(device).requires_grad_() for each in inputs]
    result = function(*inputs)
    result = result[0] if isinstance(result, tuple) else result
    result.float().backward(torch.cos(torch.arange(result.numel(), device=device)).view(result.shape))
    return [each.detach().float().cpu() for each in [result] + [each.grad for each in inputs]]


def heads_first(function):
    return lambda *inputs: function(*(each.transpose(1, 2) for each in inputs)).transpose(1, 2)


def cases():
    """Names, functions of the device and the host, arguments and the error that is allowed: products of some are in
    TF32."""
    random = torch.Generator().manual_seed(0)

    def normal(*last):
        return torch.randn(BATCH, STEPS, HEADS, *last, generator=random)

    q, k, v = normal(WIDTH), F.normalize(normal(WIDTH), dim=-1), normal(WIDTH)
    gate, gates = F.logsigmoid(normal()), F.logsigmoid(normal(WIDTH))
    yield "forgetting", parallel_forgetting_attn, naive_forgetting_attn, [q, k, v, gate], 5e-3
    yield "simple_gla", chunk_simple_gla, naive_recurrent_simple_gla, [q, k, v, gate], 5e-3
    yield ("linear", lambda q, k, v: chunk_linear_attn(q, k, v, normalize=False), naive_recurrent_linear_attn,
           [q, k, v], 5e-3)
    yield "gla", fused_recurrent_gla, naive_recurrent_gla, [q, k, v, gates], 5e-6
    yield ("based", parallel_based, heads_first(naive_parallel_based), [normal(16), normal(16), v], 5e-6)


def main():
    failures = 0
    for name, device, host, inputs, allowed in cases():
        pairs = zip(slopes(device, inputs, "cuda"), slopes(host, inputs, "cpu"))
        error = max(((got - wanted).norm() / wanted.norm()).item() for got, wanted in pairs)
        if not error < allowed:
            failures += 1
            print("%s: off by %.1e" % (name, error))
    print("FAIL" if failures else "PASS")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
