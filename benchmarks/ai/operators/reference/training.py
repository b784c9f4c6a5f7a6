"""Gradients and the optimizer."""
import numpy as np

from . import attention

EPSILON = 1e-5


def layernorm_backward(op, arrays: dict) -> dict:
    shape = (op.shape["rows"], op.shape["columns"])
    x, given = arrays["x"].reshape(shape), arrays["gradient"].reshape(shape)
    x = x - x.mean(axis=1, keepdims=True)
    inverse = 1 / np.sqrt((x**2).mean(axis=1, keepdims=True) + EPSILON)
    normal, scaled = x * inverse, given * arrays["weight"]
    along = (scaled * normal).mean(axis=1, keepdims=True)
    dx = (scaled - scaled.mean(axis=1, keepdims=True) - normal * along) * inverse
    return {"dx": dx.reshape(-1), "dweight": (given * normal).sum(axis=0), "dbias": given.sum(axis=0)}


def cross_entropy(op, arrays: dict) -> dict:
    rows, vocabulary = op.shape["rows"], op.shape["vocabulary"]
    logits = arrays["logits"].reshape(rows, -1)
    real, targets, every = logits[:, :vocabulary], arrays["targets"], np.arange(rows)
    most = real.max(axis=1, keepdims=True)
    raised = np.exp(real - most)
    total = raised.sum(axis=1, keepdims=True)
    gradient = np.zeros_like(logits)
    gradient[:, :vocabulary] = raised / total
    gradient[every, targets] -= 1
    losses = (np.log(total) + most)[:, 0] - logits[every, targets]
    return {"losses": losses, "gradient": (gradient / rows).reshape(-1)}


def adamw(op, arrays: dict) -> dict:
    from ..training import ADAMW as c

    slope, master = arrays["gradient"], op.types["type"] != "f32"
    first = c["beta1"] * arrays["first_moment"] + (1 - c["beta1"]) * slope
    second = c["beta2"] * arrays["second_moment"] + (1 - c["beta2"]) * slope**2
    value = arrays["master" if master else "parameter"]
    step = (first / (1 - c["beta1"])) / (np.sqrt(second / (1 - c["beta2"])) + c["epsilon"])
    value = value - c["rate"] * (step + c["decay"] * value)
    outputs = {"parameter": value, "first_moment": first, "second_moment": second}
    return {**outputs, "master": value} if master else outputs


def embedding_backward(op, arrays: dict) -> dict:
    table = np.zeros((op.shape["vocabulary"], op.shape["columns"]))
    np.add.at(table, arrays["tokens"], arrays["gradient"].reshape(-1, op.shape["columns"]))
    return {"dtable": table.reshape(-1)}


def attention_backward(op, arrays: dict) -> dict:
    """As the kernels have it: weights come from the given sums, and rows' products from the given outputs."""
    s = op.shape
    shape = (s["batch"], s["q"], s["heads"], s["head_dim"])
    q, k, v = attention.sequences(op, arrays)
    out, given = arrays["out"].reshape(shape), arrays["gradient"].reshape(shape)
    scale = 1 / np.sqrt(s["head_dim"])
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) * scale / np.log(2.0)
    weights = np.exp2(scores - arrays["logsum"].reshape(s["batch"], s["heads"], s["q"], 1))
    if s["causal"]:
        weights = weights * np.tri(s["q"])
    less = np.einsum("bqhd,bqhd->bhq", out, given)[..., None]
    change = weights * (np.einsum("bqhd,bkhd->bhqk", given, v) - less) * scale
    dq, dk = np.einsum("bhqk,bkhd->bqhd", change, k), np.einsum("bhqk,bqhd->bkhd", change, q)
    dv = np.einsum("bhqk,bqhd->bkhd", weights, given)
    if op.types["layout"] == "packed":
        return {"dqkv": np.concatenate([dq, dk, dv], axis=2).reshape(-1)}
    return {"dq": dq.reshape(-1), "dk": dk.reshape(-1), "dv": dv.reshape(-1)}


def weight_gradient(op, arrays: dict) -> dict:
    rows = op.shape["k"]
    return {"out": (arrays["a"].reshape(rows, -1).T @ arrays["b"].reshape(rows, -1)).reshape(-1)}


REFERENCES = {
    "layernorm_backward": layernorm_backward,
    "cross_entropy": cross_entropy,
    "adamw": adamw,
    "embedding_backward": embedding_backward,
    "attention_backward": attention_backward,
    "weight_gradient": weight_gradient,
    "bias_gradient": lambda op, arrays: {"out": arrays["gradient"].reshape(op.shape["rows"], -1).sum(axis=0)},
}
