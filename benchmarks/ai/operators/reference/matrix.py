"""Products of matrices with an epilogue."""
import numpy as np

from .functions import gelu, silu


def weights_of_four_bits(op, arrays, rows: int) -> np.ndarray:
    """The lower halves of a group's bytes are its first half, the upper ones its second."""
    group, k = op.shape["group"], op.shape["k"]
    halves = arrays["b"].reshape(rows, k // group, group // 2, 2)
    values = np.concatenate([halves[..., 0], halves[..., 1]], axis=-1)
    return (values * arrays["scales"].reshape(rows, k // group, 1)).reshape(rows, k)


def product(op, arrays: dict) -> dict:
    m, n, k = (op.shape[key] for key in "mnk")
    epilogue = op.types["epilogue"]
    rows = n * (2 if epilogue == "silu_mul" else 1)
    layout = op.types.get("layout", "nt")
    a = arrays["a"].reshape(k, m).T if layout == "tn" else arrays["a"].reshape(m, k)
    if op.types["b"] == "i4":
        b = weights_of_four_bits(op, arrays, rows).T
    else:
        b = arrays["b"].reshape(rows, k).T if layout == "nt" else arrays["b"].reshape(k, rows)
    result = a @ b
    if epilogue.startswith("bias"):
        result = result + arrays["bias"]
    if epilogue == "bias_gelu":
        result = gelu(result)
    if epilogue == "silu_mul":
        result = silu(result[:, :n]) * result[:, n:]
    if epilogue.endswith("residual"):
        result = result + arrays["residual"].reshape(m, n)
    return {"out": result.reshape(-1)}


REFERENCES = {"gemm": product, "gemv": product}
