"""Attention, with queries that share heads of keys."""
import numpy as np


def attended(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool) -> tuple[np.ndarray, np.ndarray]:
    """Of arrays by batch, token, head and dimension; the values, and the logarithms (base two) of the sums."""
    shared = q.shape[2] // k.shape[2]
    k, v = (np.repeat(x, shared, axis=2) for x in (k, v))
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[3])
    if causal:
        past = k.shape[1] - q.shape[1]
        unseen = np.arange(k.shape[1])[None, :] > np.arange(q.shape[1])[:, None] + past
        scores = np.where(unseen, -np.inf, scores)
    most = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - most)
    total = weights.sum(axis=-1, keepdims=True)
    return np.einsum("bhqk,bkhd->bqhd", weights / total, v), ((most + np.log(total)) / np.log(2.0))[..., 0]


def sequences(op, arrays: dict) -> tuple[np.ndarray, ...]:
    s = op.shape
    batch, heads, kv_heads, dimension = (s[key] for key in ("batch", "heads", "kv_heads", "head_dim"))
    if op.types["layout"] == "packed":
        rows = arrays["qkv"].reshape(batch, s["q"], heads + 2 * kv_heads, dimension)
        return tuple(np.split(rows, [heads, heads + kv_heads], axis=2))
    return (
        arrays["q"].reshape(batch, s["q"], heads, dimension),
        arrays["k"].reshape(batch, s["kv"], kv_heads, dimension),
        arrays["v"].reshape(batch, s["kv"], kv_heads, dimension),
    )


def prefill(op, arrays: dict) -> dict:
    out, logsum = attended(*sequences(op, arrays), bool(op.shape["causal"]))
    outputs = {"out": out.reshape(-1)}
    return {**outputs, "logsum": logsum.reshape(-1)} if op.types["logsum"] == "kept" else outputs


def decode(op, arrays: dict) -> dict:
    s = op.shape
    batch, heads, kv_heads, dimension = (s[key] for key in ("batch", "heads", "kv_heads", "head_dim"))
    rows = arrays["q"].reshape(batch, 1, -1, dimension)[:, :, :heads]
    pages = arrays["table"].reshape(batch, -1)
    out = []
    for at in range(batch):
        kept = [
            arrays[name].reshape(-1, s["page"], kv_heads, dimension)[pages[at]].reshape(1, -1, kv_heads, dimension)
            for name in ("k_cache", "v_cache")
        ]
        length = arrays["lengths"][at]
        out.append(attended(rows[at : at + 1], kept[0][:, :length], kept[1][:, :length], False)[0])
    return {"out": np.concatenate(out).reshape(-1)}


REFERENCES = {"attention_prefill": prefill, "attention_decode": decode}
