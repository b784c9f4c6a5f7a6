"""What a step of a workload is made of: operators with how often each runs, and collectives."""
import dataclasses

from models import Workload
from operators import Operator

BYTES = 2  # of an activation
PAGE = 16
# Rows up to which products read weights of fewer bits than the other side.
THIN = 16


class NotSupported(Exception):
    """A workload that there is no kernel, or no way of dividing, for."""


@dataclasses.dataclass(frozen=True)
class Part:
    """An operator of a step. `label` is what it is in the model."""

    label: str
    operator: Operator
    times: float


@dataclasses.dataclass(frozen=True)
class Collective:
    label: str
    kind: str  # as ptx-time --collective names it
    bytes: int
    ranks: int
    times: float


@dataclasses.dataclass(frozen=True)
class Step:
    """units: what a step makes, of `unit`; copied: bytes between host and chip."""

    parts: tuple[Part, ...]
    collectives: tuple[Collective, ...]
    units: float
    unit: str
    copied: float = 0


def product(rows: int, columns: int, depth: int, weights: str, epilogue: str = "none") -> Operator:
    """A layer's product: thin ones, and those with weights of four bits, have rows of half precision; others want
    both sides alike."""
    shape = {"m": rows, "n": columns, "k": depth}
    if rows <= THIN:
        return Operator("gemv", shape, {"a": "f16", "b": weights, "epilogue": epilogue})
    if weights == "tf32":
        return Operator("gemm", shape, {"a": weights, "b": weights, "out": "f32", "epilogue": epilogue})
    if weights == "i4":
        return Operator("gemm", shape, {"a": "f16", "b": weights, "epilogue": epilogue})
    return Operator("gemm", shape, {"a": weights, "b": weights, "epilogue": epilogue})


def gated(rows: int, width: int, depth: int, weights: str, times: float) -> list[Part]:
    """The gated half of a feed-forward part. Of one product with many rows the two halves need more
    registers than there are, so that libraries launch the gate apart (TensorRT-LLM's notes on its
    performance, "Fused Matmul + Gated-SiLU")."""
    if rows <= THIN:
        return [Part("gate and up", product(rows, width, depth, weights, "silu_mul"), times)]
    gate = Operator("silu_mul", {"rows": rows, "columns": width})
    return [Part("gate and up", product(rows, 2 * width, depth, weights), times), Part("gate", gate, times)]


def share(value: int, parts: int, what: str) -> int:
    if value % parts:
        raise NotSupported("%d %s do not divide over %d devices" % (value, what, parts))
    return value // parts


def reduces(work: Workload, rows: int) -> tuple[Collective, ...]:
    """The sums over devices, two in each layer."""
    if work.tensor_parallel == 1:
        return ()
    size = rows * work.model.hidden * BYTES
    return (Collective("sum over devices", "all-reduce", size, work.tensor_parallel, 2 * work.model.layers),)


def attentions(work: Workload, heads: int, kv_heads: int) -> list[Part]:
    """That of tokens, of prompts, or of both where prompts are worked through beside tokens."""
    parts = [attention(work, heads, kv_heads)]
    if work.prompts:
        prompts = dataclasses.replace(work, phase="prefill", batch=work.prompts, context=work.prompt)
        parts.append(attention(prompts, heads, kv_heads))
    return parts


def attention(work: Workload, heads: int, kv_heads: int) -> Part:
    model = work.model
    shape = {"batch": work.batch, "heads": heads, "kv_heads": kv_heads, "head_dim": model.head_dim}
    if work.phase == "decode":
        shape.update(kv=work.context, page=PAGE, causal=0)
        op = Operator("attention_decode", shape, {"layout": "packed", "cache": work.cache})
    else:
        shape.update(q=work.context, kv=work.context, causal=1)
        op = Operator("attention_prefill", shape, {"layout": "packed"})
    label = "attention" if work.phase == "decode" else "attention of prompts"
    return Part(label, op, model.layers)


def dense_block(work: Workload, rows: int) -> list[Part]:
    """The feed-forward part of a layer of Llama."""
    model = work.model
    width = share(model.feed_forward, work.tensor_parallel, "columns")
    down = product(rows, model.hidden, width, work.weights)
    return [*gated(rows, width, model.hidden, work.weights, model.layers), Part("down", down, model.layers)]


def mixture_block(work: Workload, rows: int) -> list[Part]:
    """Experts, of which each token takes some."""
    model = work.model
    width = share(model.feed_forward, work.tensor_parallel, "columns")
    sizes = {"tokens": rows, "experts": model.experts, "top_k": model.experts_used}
    gate = Operator("moe_gate", {**sizes, "columns": model.hidden})
    if work.weights not in ("f16", "f8e4m3"):
        raise NotSupported("no experts with weights of %s" % work.weights)
    types = {"a": "f16" if rows <= THIN else work.weights, "b": work.weights}
    up = Operator("moe_gemm", {**sizes, "n": width, "k": model.hidden}, {"epilogue": "silu_mul", **types})
    down = Operator("moe_gemm", {**sizes, "n": model.hidden, "k": width}, types)
    return [Part(name, op, model.layers) for name, op in (("router", gate), ("experts up", up), ("experts down", down))]


def decoder(work: Workload) -> Step:
    """A step of a decoder: one token of each sequence, the whole prompts, or one token of each sequence beside the
    prompts of others."""
    model = work.model
    heads = share(model.heads, work.tensor_parallel, "heads")
    kv_heads = share(model.kv_heads, work.tensor_parallel, "heads of keys")
    prefill = work.phase == "prefill"
    rows = work.batch * (work.context if prefill else 1) + work.prompts * work.prompt
    sequences = work.batch + work.prompts
    norm = Operator("rmsnorm", {"rows": rows, "columns": model.hidden}, {"residual": "fused"})
    turn = {"tokens": rows, "heads": heads, "kv_heads": kv_heads, "head_dim": model.head_dim}
    qkv = (heads + 2 * kv_heads) * model.head_dim
    tokens = {"tokens": rows, "columns": model.hidden, "vocabulary": model.vocabulary}
    vocabulary = -(-model.vocabulary // work.tensor_parallel)
    block = mixture_block if model.family == "mixture" else dense_block
    head_weights = "f16" if work.weights == "i4" and sequences > THIN else work.weights
    parts = [
        Part("embedding", Operator("embedding", tokens), 1),
        Part("norm", norm, 2 * model.layers + 1),
        Part("queries, keys, values", product(rows, qkv, model.hidden, work.weights), model.layers),
        Part("turn, and keep keys", Operator("rope", turn, {"cache": "paged"}), model.layers),
        *attentions(work, heads, kv_heads),
        Part("attention out", product(rows, model.hidden, heads * model.head_dim, work.weights), model.layers),
        *block(work, rows),
        Part("logits", product(sequences, vocabulary, model.hidden, head_weights), 1),
        Part("choice", Operator("sample", {"rows": sequences, "vocabulary": vocabulary}), 1),
    ]
    units = rows if prefill else work.batch
    return Step(tuple(parts), reduces(work, rows), units, "tokens", 4 * 2 * rows)


def encoder(work: Workload) -> Step:
    """All tokens at once, without a mask: sentences, or pictures in patches."""
    model = work.model
    pictures = model.sizes.get("cameras", 0)
    tokens = model.height // model.patch * (model.width // model.patch) if pictures else work.context
    batch = work.batch * (pictures or 1)
    rows = batch * tokens
    sizes = {"heads": model.heads, "kv_heads": model.kv_heads, "head_dim": model.head_dim}
    shape = {"batch": batch, "q": tokens, "kv": tokens, "causal": 0, **sizes}
    norm = Operator("layernorm", {"rows": rows, "columns": model.hidden})
    each = [
        ("queries, keys, values", product(rows, 3 * model.hidden, model.hidden, work.weights, "bias")),
        ("attention", Operator("attention_prefill", shape, {"layout": "packed"})),
        ("attention out", product(rows, model.hidden, model.hidden, work.weights, "bias_residual")),
        ("up", product(rows, model.feed_forward, model.hidden, work.weights, "bias_gelu")),
        ("down", product(rows, model.hidden, model.feed_forward, work.weights, "bias_residual")),
    ]
    parts = [Part("norm", norm, 2 * model.layers), *(Part(name, op, model.layers) for name, op in each)]
    if pictures:
        depth = 3 * model.patch**2
        parts.append(Part("patches", product(rows, model.hidden, depth, work.weights, "bias"), 1))
        return Step(tuple(parts), (), work.batch, "images", 2 * 3 * model.height * model.width * batch)
    table = {"tokens": rows, "columns": model.hidden, "vocabulary": model.vocabulary, "length": tokens}
    parts.append(Part("embedding", Operator("embedding", table, {"positions": "learned"}), 1))
    return Step(tuple(parts), (), work.batch, "samples", 4 * rows)
