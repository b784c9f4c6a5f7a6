"""Networks of convolutions: a ResNet of one stage, and a step of a small UNet with attention to a text."""
import torch
import torch.nn.functional as F

from ..chain import Chain, Tensor
from .weights import Weight, Weights

TYPES = {"type": "f16"}


class Plane:
    """Pictures on the device (channels last) and on the host (channels first)."""

    def __init__(self, there: Tensor, here: torch.Tensor) -> None:
        self.there, self.here = there, here

    def shape(self) -> dict:
        batch, channels, height, width = self.here.shape
        return {"n": batch, "h": height, "w": width, "c": channels}


class Network:
    """Operators on planes, with weights that are made where they are needed."""

    def __init__(self, chain: Chain, seed: int) -> None:
        self.chain, self.w = chain, Weights(chain, "f16", seed)

    def picture(self, batch: int, channels: int, side: int) -> Plane:
        pixels = self.w.make(batch, side, side, channels, scale=1.0)
        return Plane(pixels.there, pixels.here.permute(0, 3, 1, 2))

    def conv(self, x: Plane, channels: int, size: int, stride: int = 1, epilogue: str = "bias",
             residual: Plane | None = None) -> Plane:  # fmt: skip
        weight, bias = self.w.make(channels, size, size, x.here.shape[1]), self.w.make(channels, scale=0.1)
        shape = {**x.shape(), "k": channels, "r": size, "s": size, "stride": stride, "pad": size // 2}
        given = {"x": x.there, "weights": weight.there, "bias": bias.there}
        here = F.conv2d(x.here, weight.here.permute(0, 3, 1, 2), bias.here, stride, size // 2)
        if residual is not None:
            given["residual"] = residual.there
            here = here + residual.here
        there = self.chain("conv2d", shape, {**TYPES, "epilogue": epilogue}, **given)["out"]
        return Plane(there, F.relu(here) if epilogue.endswith("relu") else here)

    def pool(self, x: Plane, size: int, stride: int, pad: int, mode: str) -> Plane:
        shape = {**x.shape(), "size": size, "stride": stride, "pad": pad}
        there = self.chain("pool", shape, {**TYPES, "mode": mode}, x=x.there)["out"]
        function = F.max_pool2d if mode == "max" else F.avg_pool2d
        return Plane(there, function(x.here, size, stride, pad))

    def norm(self, x: Plane, activation: str = "silu") -> Plane:
        channels, groups = x.here.shape[1], 8
        weight, bias = self.w.make(channels, scale=0.1, mean=1.0), self.w.make(channels, scale=0.1)
        shape, types = {**x.shape(), "groups": groups}, {**TYPES, "activation": activation}
        there = self.chain("groupnorm_silu", shape, types, x=x.there, weight=weight.there, bias=bias.there)["out"]
        here = F.group_norm(x.here, groups, weight.here, bias.here, 1e-5)
        return Plane(there, F.silu(here) if activation == "silu" else here)

    def double(self, x: Plane) -> Plane:
        there = self.chain("upsample", x.shape(), TYPES, x=x.there)["out"]
        return Plane(there, F.interpolate(x.here, scale_factor=2, mode="nearest"))

    def residual_block(self, x: Plane, channels: int) -> Plane:
        inner = self.conv(self.norm(x), channels, 3)
        shortcut = x if x.here.shape[1] == channels else self.conv(x, channels, 1)
        return self.conv(self.norm(inner), channels, 3, 1, "bias_residual", shortcut)


class Rows:
    """Rows on the device and on the host."""

    def __init__(self, network: Network, there: Tensor, here: torch.Tensor) -> None:
        self.network, self.there, self.here = network, there, here

    def times(self, columns: int, epilogue: str = "bias", residual: "Rows | None" = None) -> "Rows":
        rows, depth = self.here.shape
        gates = 2 if epilogue == "silu_mul" else 1
        weight, bias = self.network.w.make(gates * columns, depth), self.network.w.make(columns, scale=0.1)
        given, here = {"a": self.there, "b": weight.there}, self.here @ weight.here.T
        if epilogue.startswith("bias"):
            given["bias"], here = bias.there, here + bias.here
        if epilogue == "silu_mul":
            here = F.silu(here[:, :columns]) * here[:, columns:]
        if residual is not None:
            given["residual"], here = residual.there, here + residual.here
        shape = {"m": rows, "n": columns, "k": depth}
        return Rows(self.network, self.network.chain("gemm", shape, {"epilogue": epilogue}, **given)["out"], here)

    def norm(self) -> "Rows":
        rows, columns = self.here.shape
        weight, bias = self.network.w.make(columns, scale=0.1, mean=1.0), self.network.w.make(columns, scale=0.1)
        given = {"x": self.there, "weight": weight.there, "bias": bias.there}
        there = self.network.chain("layernorm", {"rows": rows, "columns": columns}, TYPES, **given)["out"]
        return Rows(self.network, there, F.layer_norm(self.here, (columns,), weight.here, bias.here, 1e-5))


def attention(q: Rows, k: Rows, v: Rows, batch: int) -> Rows:
    """With one head of 64 for each 64 columns, of queries to any keys."""
    columns = q.here.shape[1]
    heads = columns // 64
    queries, keys = q.here.shape[0] // batch, k.here.shape[0] // batch
    shape = {"batch": batch, "heads": heads, "kv_heads": heads, "q": queries, "kv": keys, "head_dim": 64, "causal": 0}
    there = q.network.chain("attention_prefill", shape, TYPES, q=q.there, k=k.there, v=v.there)["out"]
    parts = (x.here.reshape(batch, -1, heads, 64).transpose(1, 2) for x in (q, k, v))
    here = F.scaled_dot_product_attention(*parts).transpose(1, 2).reshape(-1, columns)
    return Rows(q.network, there, here)


def transformer(network: Network, x: Plane, text: Weight) -> Plane:
    """Attention of places to each other and to a text, and a gated part, as a block of SDXL has them."""
    batch, channels, height, width = x.here.shape
    normal = network.norm(x, "none")
    stream = Rows(network, normal.there, normal.here.permute(0, 2, 3, 1).reshape(-1, channels)).times(channels)
    inner = stream.norm()
    itself = attention(inner.times(channels), inner.times(channels), inner.times(channels), batch)
    stream = itself.times(channels, "bias_residual", stream)
    words = Rows(network, text.there, text.here.reshape(-1, text.here.shape[-1]))
    other = attention(stream.norm().times(channels), words.times(channels), words.times(channels), batch)
    stream = other.times(channels, "bias_residual", stream)
    stream = stream.norm().times(4 * channels, "silu_mul").times(channels, "bias_residual", stream)
    before = Rows(network, x.there, x.here.permute(0, 2, 3, 1).reshape(-1, channels))
    out = stream.times(channels, "bias_residual", before)
    return Plane(out.there, out.here.reshape(batch, height, width, channels).permute(0, 3, 1, 2))


def values(chain: Chain, x: Plane) -> tuple:
    return chain.read(x.there), x.here.permute(0, 2, 3, 1).reshape(-1).numpy()


def resnet(chain: Chain) -> dict:
    """The first convolution, two bottlenecks of which one halves the sides, and the classes."""
    network = Network(chain, 17)
    x = network.conv(network.picture(2, 8, 32), 64, 7, 2, "bias_relu")
    x = network.pool(x, 3, 2, 1, "max")
    for width, stride in ((64, 1), (64, 2)):
        inner = network.conv(x, width, 1, 1, "bias_relu")
        inner = network.conv(inner, width, 3, stride, "bias_relu")
        shortcut = network.conv(x, 4 * width, 1, stride)
        x = network.conv(inner, 4 * width, 1, 1, "bias_residual_relu", shortcut)
    mean = network.pool(x, 4, 4, 0, "avg")
    weight = network.w.make(16, 256)
    classes = chain("gemv", {"m": 2, "n": 16, "k": 256}, {}, a=mean.there, b=weight.there)["out"]
    return {"classes": (chain.read(classes), (mean.here.reshape(2, 256) @ weight.here.T).reshape(-1).numpy())}


def unet(chain: Chain) -> dict:
    """Down to half the sides, attention, and up again; what was kept is added."""
    network = Network(chain, 19)
    text = network.w.make(2, 20, 128, scale=1.0)
    x = network.residual_block(network.conv(network.picture(2, 8, 16), 64, 3), 64)
    kept = x
    x = network.residual_block(network.conv(x, 64, 3, 2), 128)
    x = transformer(network, x, text)
    x = network.double(network.residual_block(x, 128))
    x = network.conv(x, 64, 3, 1, "bias_residual", kept)
    x = network.conv(network.norm(network.residual_block(x, 64)), 8, 3)
    return {"noise": values(chain, x)}
