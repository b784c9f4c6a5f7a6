"""Operators on images, channels last."""
import numpy as np

from .functions import silu

EPSILON = 1e-5


def windows(op, x: np.ndarray, outside: float) -> np.ndarray:
    """For each place of the output what its window sees: image, p, q, r, s, channel."""
    s = op.shape
    taps = (s["size"],) * 2 if op.kind == "pool" else (s["r"], s["s"])
    x = np.pad(x, ((0, 0), (s["pad"],) * 2, (s["pad"],) * 2, (0, 0)), constant_values=outside)
    view = np.lib.stride_tricks.sliding_window_view(x, taps, axis=(1, 2))
    return view[:, :: s["stride"], :: s["stride"]].transpose(0, 1, 2, 4, 5, 3)


def image(op, arrays: dict) -> np.ndarray:
    s = op.shape
    return arrays["x"].reshape(s["n"], s["h"], s["w"], s["c"])


def conv2d(op, arrays: dict) -> dict:
    epilogue = op.types["epilogue"]
    weights = arrays["weights"].reshape(op.shape["k"], -1)
    seen = windows(op, image(op, arrays), 0.0)
    result = seen.reshape(-1, weights.shape[1]) @ weights.T
    if epilogue != "none":
        result = result + arrays["bias"]
    if "residual" in epilogue:
        result = result + arrays["residual"].reshape(result.shape)
    return {"out": (np.maximum(result, 0) if "relu" in epilogue else result).reshape(-1)}


def pool(op, arrays: dict) -> dict:
    if op.types["mode"] == "max":
        return {"out": windows(op, image(op, arrays), -np.inf).max(axis=(3, 4)).reshape(-1)}
    return {"out": np.nanmean(windows(op, image(op, arrays), np.nan), axis=(3, 4)).reshape(-1)}


def group_norm(op, arrays: dict) -> dict:
    s = op.shape
    x = arrays["x"].reshape(s["n"], s["h"] * s["w"], s["groups"], -1)
    x = x - x.mean(axis=(1, 3), keepdims=True)
    x = x / np.sqrt((x**2).mean(axis=(1, 3), keepdims=True) + EPSILON)
    result = x.reshape(-1, s["c"]) * arrays["weight"] + arrays["bias"]
    return {"out": (silu(result) if op.types["activation"] == "silu" else result).reshape(-1)}


def upsample(op, arrays: dict) -> dict:
    return {"out": image(op, arrays).repeat(2, axis=1).repeat(2, axis=2).reshape(-1)}


REFERENCES = {"conv2d": conv2d, "pool": pool, "groupnorm_silu": group_norm, "upsample": upsample}
