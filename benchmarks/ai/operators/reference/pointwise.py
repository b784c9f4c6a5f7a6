"""Operations on each element by itself."""
import numpy as np

from .functions import gelu, silu


def silu_mul(op, arrays: dict) -> dict:
    x = arrays["x"].reshape(op.shape["rows"], 2, -1)
    return {"out": (silu(x[:, 0]) * x[:, 1]).reshape(-1)}


def gelu_backward(op, arrays: dict) -> dict:
    x, root = arrays["x"], np.sqrt(2.0 / np.pi)
    bent = np.tanh(root * (x + 0.044715 * x**3))
    slope = 0.5 * (1 + bent) + 0.5 * x * (1 - bent**2) * root * (1 + 3 * 0.044715 * x**2)
    return {"out": slope * arrays["y"]}


def rope(op, arrays: dict) -> dict:
    """As Llama has it: the two numbers of a pair are half a head apart."""
    s = op.shape
    tokens, heads, kv_heads, half = s["tokens"], s["heads"], s["kv_heads"], s["head_dim"] // 2
    rows = arrays["qkv"].reshape(tokens, heads + 2 * kv_heads, 2, half).copy()
    at = arrays["positions"]
    cosine = arrays["cosines"].reshape(-1, half)[at][:, None]
    sine = arrays["sines"].reshape(-1, half)[at][:, None]
    x, y = (rows[:, : heads + kv_heads, i].copy() for i in (0, 1))
    rows[:, : heads + kv_heads, 0] = x * cosine - y * sine
    rows[:, : heads + kv_heads, 1] = y * cosine + x * sine
    outputs = {"qkv": rows.reshape(-1)}
    if op.types["cache"] == "paged":
        for name, first in (("k_cache", heads), ("v_cache", heads + kv_heads)):
            kept = arrays[name].reshape(s["slots"], kv_heads, 2 * half).copy()
            kept[arrays["slots"]] = rows[:, first : first + kv_heads].reshape(tokens, kv_heads, -1)
            outputs[name] = kept.reshape(-1)
    return outputs


REFERENCES = {
    "silu_mul": silu_mul,
    "gelu": lambda op, arrays: {"out": gelu(arrays["x"])},
    "residual_add": lambda op, arrays: {"out": arrays["x"] + arrays["y"]},
    "gelu_backward": gelu_backward,
    "rope": rope,
}
