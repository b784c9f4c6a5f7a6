"""A mixture of experts."""
import numpy as np

from .functions import silu


def gate(op, arrays: dict) -> dict:
    tokens, experts, top = (op.shape[key] for key in ("tokens", "experts", "top_k"))
    if op.shape["columns"]:
        logits = arrays["a"].reshape(tokens, -1) @ arrays["b"].reshape(experts, -1).T
    else:
        logits = arrays["logits"].reshape(tokens, experts)
    ids = np.argsort(-logits, axis=1, kind="stable")[:, :top]
    raised = np.exp(np.take_along_axis(logits, ids, axis=1) - logits.max(axis=1, keepdims=True))
    lists, counts = np.zeros((experts, tokens), int), np.zeros(experts, int)
    for pair, expert in enumerate(ids.reshape(-1)):
        lists[expert, counts[expert]] = pair
        counts[expert] += 1
    weights = raised / raised.sum(axis=1, keepdims=True)
    return {"ids": ids.reshape(-1), "weights": weights.reshape(-1), "lists": lists.reshape(-1), "counts": counts}


def product(op, arrays: dict) -> dict:
    tokens, n, k, experts, top = (op.shape[key] for key in ("tokens", "n", "k", "experts", "top_k"))
    up = op.types["epilogue"] == "silu_mul"
    weights = arrays["w"].reshape(experts, -1, k)
    out = np.zeros((tokens * top, n))
    x = arrays["x"].reshape(-1, k)
    for expert, count in enumerate(arrays["counts"]):
        pairs = arrays["lists"].reshape(experts, -1)[expert, :count]
        result = x[pairs // top if up else pairs] @ weights[expert].T
        if up:
            out[pairs] = silu(result[:, :n]) * result[:, n:]
        else:
            out[pairs] = result * arrays["weights"][pairs, None]
    return {"out": (out if up else out.reshape(tokens, top, n).sum(axis=1)).reshape(-1)}


REFERENCES = {"moe_gate": gate, "moe_gemm": product}
