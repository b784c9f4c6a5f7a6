"""Encoders: a small BERT, with a norm behind each sum, and a vision transformer, with one before each part."""
import numpy as np
import torch
import torch.nn.functional as F

from ..chain import Chain, Tensor
from .weights import Weights

HIDDEN, HEADS, DIMENSION, WIDE, LAYERS = 128, 2, 64, 512, 2
EPSILON = 1e-5
TYPES = {"type": "f16"}


def layer_of(w: Weights) -> dict:
    shapes = {"qkv": (3 * HIDDEN, HIDDEN), "out": (HIDDEN, HIDDEN), "up": (WIDE, HIDDEN), "down": (HIDDEN, WIDE)}
    layer = {name: (w.make(*shape), w.make(shape[0], scale=0.1)) for name, shape in shapes.items()}
    norms = {name: (w.make(HIDDEN, scale=0.1, mean=1.0), w.make(HIDDEN, scale=0.1)) for name in ("norm", "norm2")}
    return {**layer, **norms}


class There:
    """Parts of an encoder on the device."""

    def __init__(self, chain: Chain, batch: int, tokens: int) -> None:
        self.chain, self.batch, self.tokens, self.rows = chain, batch, tokens, batch * tokens

    def product(self, x: Tensor, part: tuple, epilogue: str = "bias", residual: Tensor | None = None) -> Tensor:
        columns, depth = part[0].here.shape
        given = {"a": x, "b": part[0].there, "bias": part[1].there}
        if residual is not None:
            given["residual"] = residual
        return self.chain("gemm", {"m": self.rows, "n": columns, "k": depth}, {"epilogue": epilogue}, **given)["out"]

    def norm(self, x: Tensor, part: tuple) -> Tensor:
        shape = {"rows": self.rows, "columns": HIDDEN}
        return self.chain("layernorm", shape, TYPES, x=x, weight=part[0].there, bias=part[1].there)["out"]

    def attention(self, layer: dict, x: Tensor) -> Tensor:
        shape = {"batch": self.batch, "heads": HEADS, "kv_heads": HEADS, "head_dim": DIMENSION, "causal": 0}
        shape.update(q=self.tokens, kv=self.tokens)
        qkv = self.product(x, layer["qkv"])
        return self.chain("attention_prefill", shape, {**TYPES, "layout": "packed"}, qkv=qkv)["out"]


class Here:
    """The same on the host."""

    def __init__(self, batch: int, tokens: int) -> None:
        self.batch, self.tokens = batch, tokens

    @staticmethod
    def product(x: torch.Tensor, part: tuple) -> torch.Tensor:
        return x @ part[0].here.T + part[1].here

    @staticmethod
    def norm(x: torch.Tensor, part: tuple) -> torch.Tensor:
        return F.layer_norm(x, (HIDDEN,), part[0].here, part[1].here, EPSILON)

    def attention(self, layer: dict, x: torch.Tensor) -> torch.Tensor:
        rows = self.product(x, layer["qkv"]).reshape(self.batch, self.tokens, 3, HEADS, DIMENSION)
        out = F.scaled_dot_product_attention(*rows.permute(2, 0, 3, 1, 4))
        return out.transpose(1, 2).reshape(self.batch * self.tokens, HIDDEN)

    def feed_forward(self, layer: dict, x: torch.Tensor) -> torch.Tensor:
        return self.product(F.gelu(self.product(x, layer["up"]), approximate="tanh"), layer["down"])


def bert(chain: Chain) -> dict:
    batch, tokens, vocabulary = 2, 40, 300
    w = Weights(chain, "f16", 11)
    table, places = w.make(vocabulary, HIDDEN, scale=1.0), w.make(tokens, HIDDEN, scale=1.0)
    first = (w.make(HIDDEN, scale=0.1, mean=1.0), w.make(HIDDEN, scale=0.1))
    layers, words = [layer_of(w) for _ in range(LAYERS)], w.tokens(batch * tokens, vocabulary)
    there, here = There(chain, batch, tokens), Here(batch, tokens)
    shape = {"tokens": batch * tokens, "columns": HIDDEN, "vocabulary": vocabulary, "length": tokens}
    x = chain(
        "embedding", shape, {**TYPES, "positions": "learned"}, tokens=words.there, table=table.there,
        positions=places.there,
    )["out"]  # fmt: skip
    x = there.norm(x, first)
    y = here.norm(table.here[words.here] + places.here.repeat(batch, 1), first)
    for layer in layers:
        x = there.norm(there.product(there.attention(layer, x), layer["out"], "bias_residual", x), layer["norm"])
        inner = there.product(x, layer["up"], "bias_gelu")
        x = there.norm(there.product(inner, layer["down"], "bias_residual", x), layer["norm2"])
        y = here.norm(y + here.product(here.attention(layer, y), layer["out"]), layer["norm"])
        y = here.norm(y + here.feed_forward(layer, y), layer["norm2"])
    return {"rows": (chain.read(x), y.numpy().reshape(-1))}


def vision(chain: Chain) -> dict:
    """Pictures of 32 by 32 in patches of 8 by 8; the mean of the last rows gives the classes."""
    batch, side, patch, classes = 2, 32, 8, 16
    grid, depth = side // patch, 3 * patch * patch
    w = Weights(chain, "f16", 13)
    pictures = w.make(batch, grid * grid, depth, scale=1.0)
    patches, places = (w.make(HIDDEN, depth), w.make(HIDDEN, scale=0.1)), w.make(grid * grid, HIDDEN, scale=0.5)
    whole = w.put(np.tile(places.here.numpy(), (batch, 1)))
    layers = [layer_of(w) for _ in range(LAYERS)]
    last = (w.make(HIDDEN, scale=0.1, mean=1.0), w.make(HIDDEN, scale=0.1))
    head = w.make(classes, HIDDEN)
    there, here = There(chain, batch, grid * grid), Here(batch, grid * grid)
    x = there.product(pictures.there, patches)
    x = chain("residual_add", {"elements": batch * grid * grid * HIDDEN}, TYPES, x=x, y=whole.there)["out"]
    y = here.product(pictures.here.reshape(-1, depth), patches) + whole.here
    for layer in layers:
        x = there.product(there.attention(layer, there.norm(x, layer["norm"])), layer["out"], "bias_residual", x)
        inner = there.product(there.norm(x, layer["norm2"]), layer["up"], "bias_gelu")
        x = there.product(inner, layer["down"], "bias_residual", x)
        y = y + here.product(here.attention(layer, here.norm(y, layer["norm"])), layer["out"])
        y = y + here.feed_forward(layer, here.norm(y, layer["norm2"]))
    shape = {"n": batch, "h": grid, "w": grid, "c": HIDDEN, "size": grid}
    mean = chain("pool", shape, {**TYPES, "mode": "avg"}, x=there.norm(x, last))["out"]
    found = chain("gemv", {"m": batch, "n": classes, "k": HIDDEN}, {}, a=mean, b=head.there)["out"]
    expected = here.norm(y, last).reshape(batch, grid * grid, HIDDEN).mean(dim=1) @ head.here.T
    return {"classes": (chain.read(found), expected.numpy().reshape(-1))}
