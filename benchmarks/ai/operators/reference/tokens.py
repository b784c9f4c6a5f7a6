"""Embedding of tokens, and choice of the next one."""
import numpy as np

from .functions import softmax


def embedding(op, arrays: dict) -> dict:
    columns, length = op.shape["columns"], op.shape["length"]
    rows = arrays["table"].reshape(-1, columns)[arrays["tokens"]]
    if op.types["positions"] == "learned":
        rows = rows + arrays["positions"].reshape(length, columns)[np.arange(len(rows)) % length]
    return {"out": rows.reshape(-1)}


def sample(op, arrays: dict) -> dict:
    rows = op.shape["rows"]
    if op.types["mode"] == "softmax":
        return {"out": softmax(arrays["x"].reshape(rows, -1)).reshape(-1)}
    return {"out": arrays["logits"].reshape(rows, -1).argmax(axis=1)}


REFERENCES = {"embedding": embedding, "sample": sample}
