"""A step of training of a small GPT-2: forward, backward and AdamW.

Numbers are in bfloat16, gradients of weights in single precision.
"""
import math

import numpy as np
import torch
import torch.nn.functional as F

from ..chain import Chain, Tensor
from ..training import ADAMW
from .weights import Weight, Weights

HIDDEN, HEADS, DIMENSION, WIDE, LAYERS = 128, 2, 64, 512, 2
VOCABULARY, PADDED, TOKENS = 500, 512, 48
TYPES = {"type": "bf16"}
REAL = {"a": "bf16", "b": "bf16", "out": "bf16"}
SHAPE = {"heads": HEADS, "kv_heads": HEADS, "q": TOKENS, "kv": TOKENS, "head_dim": DIMENSION}
PRODUCTS = {"qkv": (3 * HIDDEN, HIDDEN), "out": (HIDDEN, HIDDEN), "up": (WIDE, HIDDEN), "down": (HIDDEN, WIDE)}


class Model:
    """Parameters by names, and what the forward pass keeps for the backward one."""

    def __init__(self, chain: Chain) -> None:
        self.chain, w = chain, Weights(chain, "bf16", 23)
        table = w.make(PADDED, HIDDEN, scale=0.3).here.numpy().copy()
        table[VOCABULARY:] = 0
        self.weights: dict[str, Weight] = {"table": w.put(table), "places": w.make(TOKENS, HIDDEN, scale=0.3)}
        for layer in range(LAYERS):
            for name, shape in PRODUCTS.items():
                self.weights["%s%d" % (name, layer)] = w.make(*shape)
                self.weights["%s%d bias" % (name, layer)] = w.make(shape[0], scale=0.1)
            for name in ("norm", "norm2"):
                self._norm(w, "%s%d" % (name, layer))
        self._norm(w, "last")
        self.tokens, self.targets = w.tokens(TOKENS, VOCABULARY), w.tokens(TOKENS, VOCABULARY)
        self.gradients: dict[str, Tensor] = {}

    def _norm(self, w: Weights, name: str) -> None:
        self.weights[name] = w.make(HIDDEN, scale=0.1, mean=1.0)
        self.weights[name + " bias"] = w.make(HIDDEN, scale=0.1)

    # Forward on the device.

    def product(self, x: Tensor, name: str, residual: Tensor | None = None) -> Tensor:
        columns, depth = self.weights[name].here.shape
        given = {"a": x, "b": self.weights[name].there, "bias": self.weights[name + " bias"].there}
        epilogue = "bias"
        if residual is not None:
            epilogue, given["residual"] = "bias_residual", residual
        shape = {"m": TOKENS, "n": columns, "k": depth}
        return self.chain("gemm", shape, {**REAL, "epilogue": epilogue}, **given)["out"]

    def norm(self, x: Tensor, name: str) -> Tensor:
        given = {"x": x, "weight": self.weights[name].there, "bias": self.weights[name + " bias"].there}
        return self.chain("layernorm", {"rows": TOKENS, "columns": HIDDEN}, TYPES, **given)["out"]

    def forward(self) -> dict:
        """Everything that the backward pass needs, and the losses with the gradient of logits."""
        shape = {"tokens": TOKENS, "columns": HIDDEN, "vocabulary": PADDED, "length": TOKENS}
        given = {"tokens": self.tokens.there, "table": self.weights["table"].there}
        given["positions"] = self.weights["places"].there
        x = self.chain("embedding", shape, {**TYPES, "positions": "learned"}, **given)["out"]
        kept: dict = {"layers": []}
        for layer in range(LAYERS):
            k = {"x": x, "normal": self.norm(x, "norm%d" % layer)}
            k["qkv"] = self.product(k["normal"], "qkv%d" % layer)
            types = {**TYPES, "logsum": "kept", "layout": "packed"}
            k["attended"] = self.chain("attention_prefill", SHAPE, types, qkv=k["qkv"])
            k["x2"] = self.product(k["attended"]["out"], "out%d" % layer, x)
            k["normal2"] = self.norm(k["x2"], "norm2%d" % layer)
            k["inner"] = self.product(k["normal2"], "up%d" % layer)
            k["bent"] = self.chain("gelu", {"elements": TOKENS * WIDE}, TYPES, x=k["inner"])["out"]
            x = self.product(k["bent"], "down%d" % layer, k["x2"])
            kept["layers"].append(k)
        normal = self.norm(x, "last")
        shape = {"m": TOKENS, "n": PADDED, "k": HIDDEN}
        logits = self.chain("gemm", shape, REAL, a=normal, b=self.weights["table"].there)["out"]
        shape = {"rows": TOKENS, "vocabulary": VOCABULARY, "padded": PADDED}
        loss = self.chain("cross_entropy", shape, TYPES, logits=logits, targets=self.targets.there)
        return {**kept, "x": x, "normal": normal, "losses": loss["losses"], "dlogits": loss["gradient"]}

    # Backward on the device.

    def product_back(self, x: Tensor, given: Tensor, name: str) -> Tensor:
        """The gradient of the input; those of weights and biases are kept."""
        columns, depth = self.weights[name].here.shape
        self.gradients[name] = self.weight_gradient(x, given, columns, depth)
        shape = {"rows": TOKENS, "columns": columns}
        self.gradients[name + " bias"] = self.chain("bias_gradient", shape, TYPES, gradient=given)["out"]
        return self.input_gradient(given, self.weights[name].there, columns, depth)

    def weight_gradient(self, x: Tensor, given: Tensor, columns: int, depth: int) -> Tensor:
        shape, types = {"m": columns, "n": depth, "k": TOKENS}, {**REAL, "out": "f32", "layout": "tn"}
        return self.chain("gemm", shape, types, a=given, b=x)["out"]

    def input_gradient(self, given: Tensor, weight: Tensor, columns: int, depth: int) -> Tensor:
        shape = {"m": TOKENS, "n": depth, "k": columns}
        return self.chain("gemm", shape, {**REAL, "layout": "nn"}, a=given, b=weight)["out"]

    def norm_back(self, x: Tensor, given: Tensor, name: str) -> Tensor:
        shape = {"rows": TOKENS, "columns": HIDDEN}
        made = self.chain("layernorm_backward", shape, TYPES, x=x, gradient=given, weight=self.weights[name].there)
        self.gradients[name], self.gradients[name + " bias"] = made["dweight"], made["dbias"]
        return made["dx"]

    def sum(self, x: Tensor, y: Tensor) -> Tensor:
        return self.chain("residual_add", {"elements": TOKENS * HIDDEN}, TYPES, x=x, y=y)["out"]

    def backward(self, kept: dict) -> None:
        table = self.weights["table"].there
        self.gradients["table"] = self.weight_gradient(kept["normal"], kept["dlogits"], PADDED, HIDDEN)
        dx = self.norm_back(kept["x"], self.input_gradient(kept["dlogits"], table, PADDED, HIDDEN), "last")
        for layer in reversed(range(LAYERS)):
            k = kept["layers"][layer]
            dbent = self.product_back(k["bent"], dx, "down%d" % layer)
            shape = {"elements": TOKENS * WIDE}
            dinner = self.chain("gelu_backward", shape, TYPES, x=k["inner"], y=dbent)["out"]
            dnormal = self.product_back(k["normal2"], dinner, "up%d" % layer)
            dx = self.sum(dx, self.norm_back(k["x2"], dnormal, "norm2%d" % layer))
            dattended = self.product_back(k["attended"]["out"], dx, "out%d" % layer)
            types, given = {**TYPES, "layout": "packed"}, {name: k["attended"][name] for name in ("out", "logsum")}
            dqkv = self.chain("attention_backward", SHAPE, types, qkv=k["qkv"], gradient=dattended, **given)["dqkv"]
            dnormal = self.product_back(k["normal"], dqkv, "qkv%d" % layer)
            dx = self.sum(dx, self.norm_back(k["x"], dnormal, "norm%d" % layer))
        shape = {"tokens": TOKENS, "columns": HIDDEN, "vocabulary": PADDED}
        given = {"tokens": self.tokens.there, "gradient": dx, "dtable": self.gradients["table"]}
        self.chain("embedding_backward", shape, TYPES, **given)
        # With one sequence, a row for each place.
        self.gradients["places"] = dx

    def update(self, name: str) -> tuple[Tensor, Tensor]:
        """The parameter and its exact copy after a first step of AdamW."""
        weight, gradient = self.weights[name], self.gradients[name]
        count = weight.there.count
        moments = {moment: self.chain.zeros(count, "f32") for moment in ("first_moment", "second_moment")}
        master = self.chain.tensor(weight.here.numpy(), "f32")
        types = {**TYPES, "gradient": gradient.type}
        made = self.chain("adamw", {"elements": count}, types, master=master, gradient=gradient, **moments)
        return made["parameter"], master

    # On the host.

    def expected(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The losses of the tokens, and the gradients of their mean, by PyTorch."""
        p = {name: weight.here.clone().requires_grad_() for name, weight in self.weights.items()}

        def norm(x: torch.Tensor, name: str) -> torch.Tensor:
            return F.layer_norm(x, (HIDDEN,), p[name], p[name + " bias"], 1e-5)

        def product(x: torch.Tensor, name: str) -> torch.Tensor:
            return x @ p[name].T + p[name + " bias"]

        x = p["table"][self.tokens.here] + p["places"]
        for layer in range(LAYERS):
            heads = product(norm(x, "norm%d" % layer), "qkv%d" % layer).reshape(TOKENS, 3, HEADS, DIMENSION)
            q, k, v = heads.permute(1, 2, 0, 3)
            scores = q @ k.transpose(1, 2) / math.sqrt(DIMENSION)
            scores = scores.masked_fill(~torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril(), -math.inf)
            attended = (scores.softmax(-1) @ v).transpose(0, 1).reshape(TOKENS, HIDDEN)
            x = x + product(attended, "out%d" % layer)
            inner = product(norm(x, "norm2%d" % layer), "up%d" % layer)
            x = x + product(F.gelu(inner, approximate="tanh"), "down%d" % layer)
        logits = (norm(x, "last") @ p["table"].T)[:, :VOCABULARY]
        losses = F.cross_entropy(logits, self.targets.here, reduction="none")
        losses.mean().backward()
        return losses.detach().numpy(), {name: value.grad.numpy().reshape(-1) for name, value in p.items()}


def stepped(values: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """AdamW's first step from no moments: by the sign of the gradient, but for epsilon."""
    step = gradient / (np.abs(gradient) + ADAMW["epsilon"])
    return values - ADAMW["rate"] * (step + ADAMW["decay"] * values)


def gpt2(chain: Chain) -> dict:
    """Losses, gradients, and parameters after a step with the gradients that the device has."""
    model = Model(chain)
    kept = model.forward()
    model.backward(kept)
    losses, gradients = model.expected()
    pairs = {"losses": (chain.read(kept["losses"]), losses)}
    for name, expected in gradients.items():
        pairs["gradient of " + name] = (chain.read(model.gradients[name]), expected)
    for name in ("table", "qkv0", "places"):
        before = model.weights[name].here.numpy().reshape(-1)
        master = chain.read(model.update(name)[1])
        change = stepped(before, chain.read(model.gradients[name])) - before
        pairs["change of " + name] = (master - before, change)
    return pairs
