"""Decoders: a small Llama, and one with a mixture of experts. A prompt, then tokens one by one over a paged cache."""
import numpy as np
import torch
import torch.nn.functional as F

from ..chain import Chain, Tensor
from .weights import Weights

HIDDEN, HEADS, KV_HEADS, DIMENSION, WIDE, VOCABULARY, LAYERS = 256, 4, 2, 64, 512, 512, 2
EXPERTS, TOP = 8, 2
PROMPT, NEW, PAGE = 24, 3, 16
EPSILON = 1e-5
TYPES = {"type": "f16"}


class Decoder:
    """The weights of a decoder, and its two ways to compute."""

    def __init__(self, chain: Chain, experts: int) -> None:
        self.chain, self.experts = chain, experts
        w = Weights(chain, "f16", 7)
        self.table, self.head = w.make(VOCABULARY, HIDDEN, scale=1.0), w.make(VOCABULARY, HIDDEN)
        self.last_norm = w.make(HIDDEN, scale=0.1, mean=1.0)
        self.layers = [self._layer(w) for _ in range(LAYERS)]
        at = np.arange(PROMPT + NEW)[:, None] / 10000 ** (np.arange(DIMENSION // 2) * 2 / DIMENSION)
        self.cosines, self.sines = w.put(np.cos(at), "f32"), w.put(np.sin(at), "f32")
        pages = -(-(PROMPT + NEW) // PAGE)
        self.pages = np.arange(pages)[::-1].copy()
        self.table_of_pages = w.put(self.pages, "i32")
        self.tokens = w.tokens(PROMPT + NEW, VOCABULARY)

    def _layer(self, w: Weights) -> dict:
        rows = (HEADS + 2 * KV_HEADS) * DIMENSION
        layer = {
            "qkv": w.make(rows, HIDDEN), "out": w.make(HIDDEN, HEADS * DIMENSION),
            "norm": w.make(HIDDEN, scale=0.1, mean=1.0), "norm2": w.make(HIDDEN, scale=0.1, mean=1.0),
            "cache": [self.chain.zeros(4 * PAGE * KV_HEADS * DIMENSION, "f16") for _ in range(2)],
        }  # fmt: skip
        if not self.experts:
            return {**layer, "up": w.make(2 * WIDE, HIDDEN), "down": w.make(HIDDEN, WIDE)}
        return {
            **layer,
            "gate": w.make(self.experts, HIDDEN, scale=0.2),
            "up": w.make(self.experts, 2 * WIDE, HIDDEN, scale=HIDDEN**-0.5),
            "down": w.make(self.experts, HIDDEN, WIDE, scale=WIDE**-0.5),
        }

    # On the device.

    def product(self, x: Tensor, weight, rows: int, columns: int, depth: int, **types: str) -> Tensor:
        kind = "gemv" if rows <= 16 else "gemm"
        return self.chain(kind, {"m": rows, "n": columns, "k": depth}, types, a=x, b=weight.there)["out"]

    def norm(self, x: Tensor, stream: Tensor | None, weight, rows: int) -> tuple[Tensor, Tensor]:
        """The normal rows of a sum, and the sum."""
        shape = {"rows": rows, "columns": HIDDEN}
        if stream is None:
            return self.chain("rmsnorm", shape, TYPES, x=x, weight=weight.there)["out"], x
        types = {**TYPES, "residual": "fused"}
        made = self.chain("rmsnorm", shape, types, x=x, residual=stream, weight=weight.there)
        return made["out"], made["total"]

    def attention(self, layer: dict, qkv: Tensor, rows: int, past: int) -> Tensor:
        k_cache, v_cache = layer["cache"]
        shape = {"heads": HEADS, "kv_heads": KV_HEADS, "head_dim": DIMENSION}
        places = np.arange(past, past + rows)
        slots = self.pages[places // PAGE] * PAGE + places % PAGE
        turned = self.chain(
            "rope", {**shape, "tokens": rows, "slots": 4 * PAGE}, {**TYPES, "cache": "paged"}, qkv=qkv,
            cosines=self.cosines.there, sines=self.sines.there, positions=self.chain.tensor(places, "i32"),
            slots=self.chain.tensor(slots, "i32"), k_cache=k_cache, v_cache=v_cache,
        )["qkv"]  # fmt: skip
        if past == 0:
            sizes = {**shape, "q": rows, "kv": rows}
            return self.chain("attention_prefill", sizes, {**TYPES, "layout": "packed"}, qkv=turned)["out"]
        return self.chain(
            "attention_decode", {**shape, "kv": PROMPT + NEW, "page": PAGE}, {**TYPES, "layout": "packed"}, q=turned,
            k_cache=k_cache, v_cache=v_cache, table=self.table_of_pages.there,
            lengths=self.chain.tensor(np.array([past + 1]), "i32"),
        )["out"]  # fmt: skip

    def feed_forward(self, layer: dict, x: Tensor, rows: int) -> Tensor:
        if not self.experts:
            inner = self.product(x, layer["up"], rows, WIDE, HIDDEN, epilogue="silu_mul")
            return self.product(inner, layer["down"], rows, HIDDEN, WIDE)
        sizes = {"tokens": rows, "experts": self.experts, "top_k": TOP}
        gate = self.chain("moe_gate", {**sizes, "columns": HIDDEN}, {}, a=x, b=layer["gate"].there)
        given = {name: gate[name] for name in ("lists", "counts")}
        up = self.chain(
            "moe_gemm", {**sizes, "n": WIDE, "k": HIDDEN}, {"epilogue": "silu_mul"}, x=x, w=layer["up"].there,
            weights=gate["weights"], **given,
        )["out"]  # fmt: skip
        return self.chain(
            "moe_gemm", {**sizes, "n": HIDDEN, "k": WIDE}, {}, x=up, w=layer["down"].there, weights=gate["weights"],
            **given,
        )["out"]  # fmt: skip

    def step(self, tokens: np.ndarray, past: int) -> tuple[np.ndarray, np.ndarray]:
        """Logits of tokens behind others, and the likeliest of each."""
        rows = len(tokens)
        shape = {"tokens": rows, "columns": HIDDEN, "vocabulary": VOCABULARY}
        given = {"tokens": self.chain.tensor(tokens, "i32"), "table": self.table.there}
        x, stream = self.chain("embedding", shape, TYPES, **given)["out"], None
        for layer in self.layers:
            normal, stream = self.norm(x, stream, layer["norm"], rows)
            qkv = self.product(normal, layer["qkv"], rows, (HEADS + 2 * KV_HEADS) * DIMENSION, HIDDEN)
            x = self.product(self.attention(layer, qkv, rows, past), layer["out"], rows, HIDDEN, HEADS * DIMENSION)
            normal, stream = self.norm(x, stream, layer["norm2"], rows)
            x = self.feed_forward(layer, normal, rows)
        normal, _ = self.norm(x, stream, self.last_norm, rows)
        logits = self.product(normal, self.head, rows, VOCABULARY, HIDDEN)
        chosen = self.chain("sample", {"rows": rows, "vocabulary": VOCABULARY}, {}, logits=logits)["out"]
        return self.chain.read(logits).reshape(rows, VOCABULARY), self.chain.read(chosen)

    # On the host.

    def expected(self) -> torch.Tensor:
        """The logits of all tokens, each of which sees those before it."""
        x = self.table.here[self.tokens.here]
        for layer in self.layers:
            x = x + self._attention(layer, F.rms_norm(x, (HIDDEN,), layer["norm"].here, EPSILON))
            x = x + self._feed_forward(layer, F.rms_norm(x, (HIDDEN,), layer["norm2"].here, EPSILON))
        return F.rms_norm(x, (HIDDEN,), self.last_norm.here, EPSILON) @ self.head.here.T

    def _attention(self, layer: dict, x: torch.Tensor) -> torch.Tensor:
        heads = (x @ layer["qkv"].here.T).reshape(len(x), -1, DIMENSION).transpose(0, 1)
        q, k, v = heads.split([HEADS, KV_HEADS, KV_HEADS])
        q, k = self._turned(q), self._turned(k)
        k, v = (y.repeat_interleave(HEADS // KV_HEADS, 0) for y in (k, v))
        out = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
        return out.transpose(0, 1).reshape(len(x), -1) @ layer["out"].here.T

    def _turned(self, x: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, dim=-1)
        cosine, sine = self.cosines.here, self.sines.here
        return torch.cat([first * cosine - second * sine, second * cosine + first * sine], dim=-1)

    def _feed_forward(self, layer: dict, x: torch.Tensor) -> torch.Tensor:
        up, down = layer["up"].here, layer["down"].here
        if not self.experts:
            gate, wide = (x @ up.T).chunk(2, dim=-1)
            return (F.silu(gate) * wide) @ down.T
        scores, ids = (x @ layer["gate"].here.T).topk(TOP, dim=-1)
        weights, rows = scores.softmax(dim=-1), []
        for token in range(len(x)):
            total = torch.zeros(HIDDEN, dtype=torch.float64)
            for rank in range(TOP):
                expert = ids[token, rank]
                gate, wide = (up[expert] @ x[token]).chunk(2)
                total += weights[token, rank] * (down[expert] @ (F.silu(gate) * wide))
            rows.append(total)
        return torch.stack(rows)


def decoded(chain: Chain, experts: int) -> dict:
    model = Decoder(chain, experts)
    tokens = model.tokens.here.numpy()
    found = [model.step(tokens[:PROMPT], 0)]
    found += [model.step(tokens[at : at + 1], at) for at in range(PROMPT, PROMPT + NEW)]
    logits = np.concatenate([step[0] for step in found])
    expected = model.expected().numpy()
    chosen = np.concatenate([step[1] for step in found])
    return {
        "prompt": (logits[:PROMPT], expected[:PROMPT]),
        "new tokens": (logits[PROMPT:], expected[PROMPT:]),
        "choice": (chosen, logits.argmax(axis=1)),
    }


def llama(chain: Chain) -> dict:
    return decoded(chain, 0)


def mixture(chain: Chain) -> dict:
    return decoded(chain, EXPERTS)
