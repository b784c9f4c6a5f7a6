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
    ("gemm", {"m": 70, "n": 96, "k": 256}, {"b": "i4", "epilogue": "silu_mul"}),
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
    ("sample", {"rows": 2, "vocabulary": 5008}, {"type": "f32"}),
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
    ("moe_gate", {"tokens": 37, "experts": 8, "top_k": 2}, {}),
    ("moe_gate", {"tokens": 5, "experts": 8, "top_k": 2, "columns": 256}, {}),
    ("moe_gemm", {"tokens": 37, "n": 96, "k": 128, "experts": 8, "top_k": 2}, {"epilogue": "silu_mul"}),
    ("moe_gemm", {"tokens": 5, "n": 96, "k": 128, "experts": 8, "top_k": 2}, {}),
    ("moe_gemm", {"tokens": 70, "n": 64, "k": 256, "experts": 4, "top_k": 2}, {"b": "f8e4m3"}),
    ("conv2d", {"n": 2, "h": 9, "w": 9, "c": 64, "k": 80, "r": 3, "s": 3, "pad": 1}, {"epilogue": "bias_relu"}),
    ("conv2d", {"h": 20, "w": 18, "c": 3, "k": 64, "r": 7, "s": 7, "stride": 2, "pad": 3}, {}),
    (
        "conv2d",
        {"n": 2, "h": 8, "w": 8, "c": 96, "k": 64, "r": 1, "s": 1, "stride": 2},
        {"epilogue": "bias_residual_relu", "type": "bf16"},
    ),
    (
        "conv2d",
        {"n": 2, "h": 9, "w": 9, "c": 64, "k": 64, "r": 3, "s": 3, "pad": 1},
        {"epilogue": "bias_residual", "type": "tf32"},
    ),
    ("pool", {"n": 2, "h": 9, "w": 9, "c": 64, "size": 3, "stride": 2, "pad": 1}, {}),
    ("pool", {"n": 2, "h": 7, "w": 7, "c": 64, "size": 7}, {"mode": "avg"}),
    ("groupnorm_silu", {"n": 2, "h": 9, "w": 9, "c": 96}, {}),
    ("groupnorm_silu", {"h": 16, "w": 16, "c": 64, "groups": 8}, {"activation": "none", "type": "bf16"}),
    ("groupnorm_silu", {"n": 2, "h": 9, "w": 9, "c": 96}, {"type": "f32"}),
    ("upsample", {"n": 2, "h": 5, "w": 4, "c": 32}, {}),
    ("upsample", {"n": 2, "h": 5, "w": 4, "c": 32}, {"type": "f32"}),
    ("layernorm_backward", {"rows": 300, "columns": 768}, {}),
    ("bias_gradient", {"rows": 300, "columns": 768}, {}),
    ("weight_gradient", {"m": 160, "n": 272, "k": 2048}, {}),
    ("cross_entropy", {"rows": 5, "vocabulary": 5003, "padded": 5056}, {}),
    ("adamw", {"elements": 3000}, {}),
    ("adamw", {"elements": 3000}, {"type": "f32", "gradient": "f32"}),
    ("embedding_backward", {"tokens": 40, "columns": 96, "vocabulary": 20}, {}),
    ("attention_backward", {"heads": 2, "kv_heads": 2, "q": 150, "kv": 150, "head_dim": 64}, {}),
    (
        "attention_backward",
        {"batch": 2, "heads": 2, "kv_heads": 2, "q": 70, "kv": 70, "head_dim": 64, "causal": 0},
        {"layout": "packed", "type": "bf16"},
    ),
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
    ("gemv", {"n": 4096, "k": 14336}, {"b": "i4", "epilogue": "residual"}, 256),
    ("gemv", {"n": 14336, "k": 4096}, {"b": "f8e4m3", "epilogue": "silu_mul"}, 256),
    ("gemv", {"m": 8, "n": 14336, "k": 4096}, {"b": "i4", "epilogue": "silu_mul"}, 32),
    ("gemm", {"m": 1024, "n": 4096, "k": 4096}, {"a": "f8e4m3", "b": "f8e4m3"}, 9),
    # Mixtral 8x7B.
    ("moe_gate", {"tokens": 64, "experts": 8, "top_k": 2, "columns": 4096}, {}),
    ("moe_gemm", {"tokens": 2, "n": 3584, "k": 4096, "experts": 8, "top_k": 2}, {"epilogue": "silu_mul"}),
    ("moe_gemm", {"tokens": 64, "n": 1024, "k": 14336, "experts": 2, "top_k": 2}, {}, 32),
    # BERT-large and a vision transformer.
    ("gemm", {"m": 384, "n": 3072, "k": 1024}, {"epilogue": "bias"}, 16),
    ("gemm", {"m": 384, "n": 4096, "k": 1024}, {"epilogue": "bias_gelu"}, 16),
    ("layernorm", {"rows": 64, "columns": 1024}, {}),
    (
        "attention_prefill",
        {"heads": 16, "kv_heads": 16, "q": 384, "kv": 384, "head_dim": 64, "causal": 0},
        {"layout": "packed"},
    ),
    # ResNet-50 and the UNet of SDXL.
    ("conv2d", {"h": 224, "w": 224, "c": 8, "k": 64, "r": 7, "s": 7, "stride": 2, "pad": 3}, {"epilogue": "bias_relu"}),
    ("conv2d", {"h": 56, "w": 56, "c": 64, "k": 64, "r": 3, "s": 3, "pad": 1}, {"epilogue": "bias_relu"}),
    ("conv2d", {"h": 7, "w": 7, "c": 512, "k": 512, "r": 3, "s": 3, "pad": 1}, {"epilogue": "bias_relu"}, 8),
    ("conv2d", {"h": 14, "w": 14, "c": 256, "k": 1024, "r": 1, "s": 1}, {"epilogue": "bias_residual_relu"}),
    ("conv2d", {"h": 64, "w": 64, "c": 640, "k": 640, "r": 3, "s": 3, "pad": 1}, {}, 9),
    ("pool", {"h": 112, "w": 112, "c": 64, "size": 3, "stride": 2, "pad": 1}, {}),
    ("groupnorm_silu", {"h": 64, "w": 64, "c": 640}, {}),
    ("upsample", {"h": 32, "w": 32, "c": 640}, {}),
    # Training of GPT-2 of 124 million parameters.
    ("layernorm_backward", {"rows": 1024, "columns": 768}, {}),
    ("cross_entropy", {"rows": 8, "vocabulary": 50257, "padded": 50304}, {}),
    ("attention_backward", {"heads": 1, "kv_heads": 1, "q": 1024, "kv": 1024, "head_dim": 64}, {"layout": "packed"}),
    ("gemm", {"m": 1024, "n": 768, "k": 3072}, {"a": "bf16", "b": "bf16", "out": "bf16", "layout": "nn"}, 6),
    ("gemm", {"m": 3072, "n": 768, "k": 1024}, {"a": "bf16", "b": "bf16", "out": "f32", "layout": "tn"}, 6),
    ("bias_gradient", {"rows": 1024, "columns": 3072}, {}),
    ("adamw", {"elements": 768 * 3072}, {}),
    ("gelu_backward", {"elements": 1024 * 3072}, {"type": "bf16"}),
]


@dataclasses.dataclass(frozen=True)
class Case:
    """An operator, and how many CTAs of its grids are run; None: all."""

    op: Operator
    ctas: int | None = None


def cases(small: bool) -> list[Case]:
    return [Case(Operator(*case[:3]), *case[3:]) for case in (SMALL if small else REAL)]
