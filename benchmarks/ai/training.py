"""A step of training GPT-2 as llm.c does it: forward, backward, and AdamW on a part of the weights.

Weights and activations are of 16 bits, AdamW's moments and master copy of 32. With several devices
each has a part of the moments (ZeRO-1), gradients are summed over all, and weights are gathered.
"""
from layers import Collective, Part, Step
from models import Model, Workload
from operators import Operator

# Devices of the step, and sequences of 1,024 tokens on each: llm.c's scripts/run_gpt2_124M.sh.
DEVICES = 8


def product(label: str, rows: int, columns: int, depth: int, times: float, **types: str) -> Part:
    kinds = {"a": "bf16", "b": "bf16", "out": "bf16", **types}
    return Part(label, Operator("gemm", {"m": rows, "n": columns, "k": depth}, kinds), times)


def both_gradients(label: str, rows: int, columns: int, depth: int, times: float) -> list[Part]:
    """Of a layer's input, and of its weights with their bias."""
    weights = Operator("weight_gradient", {"m": columns, "n": depth, "k": rows}, {"type": "bf16"})
    bias = Operator("bias_gradient", {"rows": rows, "columns": columns}, {"type": "bf16"})
    return [
        product("gradient of the input of " + label, rows, depth, columns, times, layout="nn"),
        Part("gradient of the weights of " + label, weights, times),
        Part("gradient of the bias", bias, times),
    ]


def layers_of(model: Model) -> list[tuple[str, int, int, str]]:
    """The products of a layer: columns, depth and what follows."""
    return [
        ("queries, keys, values", 3 * model.hidden, model.hidden, "bias"),
        ("attention out", model.hidden, model.hidden, "bias_residual"),
        ("up", model.feed_forward, model.hidden, "bias_gelu"),
        ("down", model.hidden, model.feed_forward, "bias_residual"),
    ]


def forward(model: Model, rows: int, attention: dict) -> list[Part]:
    kept = {"type": "bf16", "logsum": "kept", "layout": "packed"}
    norm = Operator("layernorm", {"rows": rows, "columns": model.hidden}, {"type": "bf16"})
    table = {"tokens": rows, "columns": model.hidden, "vocabulary": model.vocabulary, "length": attention["q"]}
    parts = [
        Part("embedding", Operator("embedding", table, {"type": "bf16", "positions": "learned"}), 1),
        Part("norm", norm, 2 * model.layers + 1),
        Part("attention", Operator("attention_prefill", attention, kept), model.layers),
        product("logits", rows, model.vocabulary, model.hidden, 1),
    ]
    for label, columns, depth, epilogue in layers_of(model):
        parts.append(product(label, rows, columns, depth, model.layers, epilogue=epilogue))
    return parts


def backward(model: Model, rows: int, attention: dict) -> list[Part]:
    half = {"type": "bf16"}
    norm = Operator("layernorm_backward", {"rows": rows, "columns": model.hidden}, half)
    table = {"tokens": rows, "columns": model.hidden, "vocabulary": model.vocabulary}
    loss = Operator("cross_entropy", {"rows": rows, "vocabulary": 50257, "padded": model.vocabulary}, half)
    parts = [
        Part("loss", loss, 1),
        product("gradient of the input of logits", rows, model.hidden, model.vocabulary, 1, layout="nn"),
        product("gradient of the table", model.vocabulary, model.hidden, rows, 1, layout="tn"),
        Part("gradient of norms", norm, 2 * model.layers + 1),
        Part("gradient of GELU", Operator("gelu_backward", {"elements": rows * model.feed_forward}, half), model.layers),
        Part("gradient of attention", Operator("attention_backward", attention, {**half, "layout": "packed"}),
             model.layers),
        Part("sums of gradients", Operator("residual_add", {"elements": rows * model.hidden}, half), 2 * model.layers),
        Part("gradient of the embedding", Operator("embedding_backward", table, half), 1),
    ]  # fmt: skip
    for label, columns, depth, _ in layers_of(model):
        parts += both_gradients(label, rows, columns, depth, model.layers)
    return parts


def step(work: Workload) -> Step:
    """On one of eight devices; units are its tokens."""
    model, rows = work.model, work.batch * work.context
    sizes = {"heads": model.heads, "kv_heads": model.kv_heads, "head_dim": model.head_dim}
    attention = {"batch": work.batch, "q": work.context, "kv": work.context, "causal": 1, **sizes}
    share = model.parameters // DEVICES // 16 * 16
    update = Operator("adamw", {"elements": share}, {"type": "bf16", "gradient": "bf16"})
    parts = [*forward(model, rows, attention), *backward(model, rows, attention), Part("AdamW", update, 1)]
    sums = Collective("sum of gradients", "reduce-scatter", 2 * model.parameters, DEVICES, 1)
    weights = Collective("weights of all", "all-gather", 2 * model.parameters, DEVICES, 1)
    return Step(tuple(parts), (sums, weights), rows, "tokens", 4 * 2 * rows)
