"""The operators that check.py runs."""
import dataclasses

from .kinds import Operator

SMALL = [
    ("gemm", {"m": 128, "n": 256, "k": 128}, {}),
    ("gemm", {"m": 200, "n": 384, "k": 192}, {"epilogue": "bias_gelu"}),
    ("gemm", {"m": 130, "n": 256, "k": 128}, {"a": "bf16", "b": "bf16", "out": "bf16", "epilogue": "silu_mul"}),
    ("gemm", {"m": 64, "n": 128, "k": 256}, {"a": "f8e4m3", "b": "f8e4m3", "epilogue": "residual"}),
    ("gemm", {"m": 100, "n": 160, "k": 96}, {"a": "tf32", "b": "tf32", "out": "f32", "epilogue": "bias_residual"}),
    ("gemm", {"m": 96, "n": 128, "k": 160}, {"layout": "nn"}),
    ("gemm", {"m": 96, "n": 128, "k": 160}, {"layout": "tn", "out": "f32"}),
    ("gemm", {"m": 8, "n": 96, "k": 512}, {"epilogue": "bias"}),
    ("gemv", {"n": 66, "k": 1536}, {}),
    ("gemv", {"n": 64, "k": 2048}, {"epilogue": "silu_mul"}),
    ("gemv", {"n": 64, "k": 2048}, {"b": "f8e4m3", "epilogue": "residual"}),
    ("gemv", {"n": 64, "k": 2304}, {"b": "i4"}),
    ("gemv", {"n": 64, "k": 2048}, {"b": "i4", "epilogue": "silu_mul"}),
    ("gemv", {"m": 5, "n": 64, "k": 512}, {"b": "i4", "epilogue": "silu_mul"}),
    ("gemv", {"m": 16, "n": 64, "k": 512}, {"b": "f8e4m3"}),
    ("rmsnorm", {"rows": 3, "columns": 1000}, {}),
    ("rmsnorm", {"rows": 2, "columns": 4096}, {"residual": "fused"}),
    ("layernorm", {"rows": 3, "columns": 768}, {"residual": "fused"}),
    ("layernorm", {"rows": 3, "columns": 768}, {"type": "bf16"}),
    ("softmax", {"rows": 3, "columns": 5000}, {"type": "f32"}),
    ("silu_mul", {"rows": 3, "columns": 1100}, {}),
    ("gelu", {"elements": 3000}, {}),
    ("residual_add", {"elements": 3000}, {"type": "bf16"}),
    ("gelu_backward", {"elements": 3000}, {"type": "f32"}),
    ("rope", {"tokens": 3, "heads": 8, "kv_heads": 2, "head_dim": 128, "past": 5}, {}),
    ("rope", {"tokens": 3, "heads": 4, "kv_heads": 2, "head_dim": 64, "slots": 32}, {"cache": "paged"}),
    ("embedding", {"tokens": 5, "columns": 1040, "vocabulary": 50}, {}),
    ("embedding", {"tokens": 5, "columns": 256, "vocabulary": 50, "length": 3}, {"positions": "learned"}),
    ("sample", {"rows": 2, "vocabulary": 5003}, {}),
    ("sample", {"rows": 2, "vocabulary": 5003}, {"mode": "softmax"}),
    ("attention_prefill", {"heads": 4, "kv_heads": 2, "q": 150, "kv": 150, "head_dim": 64}, {"logsum": "kept"}),
    ("attention_prefill", {"heads": 2, "kv_heads": 1, "q": 40, "kv": 200, "head_dim": 128}, {}),
    (
        "attention_prefill",
        {"batch": 2, "heads": 2, "kv_heads": 2, "q": 77, "kv": 77, "head_dim": 64, "causal": 0},
        {"layout": "packed", "type": "bf16"},
    ),
    ("attention_decode", {"batch": 2, "heads": 8, "kv_heads": 2, "kv": 300, "head_dim": 128}, {}),
    ("attention_decode", {"heads": 4, "kv_heads": 4, "kv": 130, "head_dim": 64}, {"layout": "packed"}),
    ("attention_decode", {"heads": 8, "kv_heads": 1, "kv": 200, "head_dim": 128}, {"cache": "f8e4m3"}),
]
# The shapes of Llama-3-8B: products and attention of a batch of prompts by some tiles of their grids.
REAL = [
    ("embedding", {"tokens": 8, "columns": 4096, "vocabulary": 128256}, {}),
    ("rmsnorm", {"rows": 8, "columns": 4096}, {"residual": "fused"}),
    ("gemv", {"n": 6144, "k": 4096}, {}),
    ("gemv", {"n": 4096, "k": 4096}, {"epilogue": "residual"}),
    ("gemv", {"n": 14336, "k": 4096}, {"epilogue": "silu_mul"}),
    ("gemv", {"n": 4096, "k": 14336}, {"epilogue": "residual"}),
    ("gemv", {"n": 32064, "k": 4096}, {"out": "f32"}, 512),
    ("gemv", {"m": 8, "n": 6144, "k": 4096}, {}),
    ("gemv", {"m": 8, "n": 14336, "k": 4096}, {"epilogue": "silu_mul"}, 64),
    ("gemv", {"m": 8, "n": 4096, "k": 14336}, {"epilogue": "residual"}, 32),
    ("gemm", {"m": 64, "n": 4096, "k": 4096}, {}, 32),
    ("gemm", {"m": 64, "n": 14336, "k": 4096}, {"epilogue": "silu_mul"}, 16),
    ("gemm", {"m": 2048, "n": 6144, "k": 4096}, {}, 9),
    ("gemm", {"m": 2048, "n": 3584, "k": 4096}, {"epilogue": "silu_mul"}, 9),
    ("gemm", {"m": 1024, "n": 4096, "k": 14336}, {"epilogue": "residual"}, 5),
    ("rope", {"tokens": 8, "heads": 32, "kv_heads": 8, "head_dim": 128, "past": 4096}, {"cache": "paged"}),
    ("attention_decode", {"batch": 2, "heads": 32, "kv_heads": 8, "kv": 8192, "head_dim": 128}, {}),
    ("attention_prefill", {"heads": 32, "kv_heads": 8, "q": 1024, "kv": 1024, "head_dim": 128}, {}, 16),
    ("silu_mul", {"rows": 8, "columns": 14336}, {}),
    ("sample", {"rows": 4, "vocabulary": 128256}, {"type": "f32"}),
]


@dataclasses.dataclass(frozen=True)
class Case:
    """An operator, and how many CTAs of its grids are run; None: all."""

    op: Operator
    ctas: int | None = None


def cases(small: bool) -> list[Case]:
    return [Case(Operator(*case[:3]), *case[3:]) for case in (SMALL if small else REAL)]
