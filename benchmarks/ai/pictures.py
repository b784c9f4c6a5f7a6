"""Steps of models of pictures: ResNet-50, and SDXL's UNet and decoder."""
import dataclasses

from layers import Part, Step, gated, product
from models import Workload
from operators import Operator


@dataclasses.dataclass(frozen=True)
class Plane:
    """Pictures at a place in a model."""

    batch: int
    side: int
    channels: int
    kind: str = "f16"  # of convolutions

    @property
    def stored(self) -> str:
        """The type of a number in memory."""
        return "f32" if self.kind == "tf32" else self.kind

    @property
    def rows(self) -> int:
        return self.batch * self.side**2

    @property
    def elements(self) -> int:
        return self.rows * self.channels


def conv(
    label: str, plane: Plane, channels: int, size: int, times: float = 1, stride: int = 1, epilogue: str = "bias"
) -> Part:
    """A convolution with padding that keeps the sides."""
    shape = {
        "n": plane.batch, "h": plane.side, "w": plane.side, "c": plane.channels, "k": channels,
        "r": size, "s": size, "stride": stride, "pad": size // 2,
    }  # fmt: skip
    return Part(label, Operator("conv2d", shape, {"type": plane.kind, "epilogue": epilogue}), times)


def normed(plane: Plane, times: float = 1) -> Part:
    shape = {"n": plane.batch, "h": plane.side, "w": plane.side, "c": plane.channels}
    return Part("norm of groups", Operator("groupnorm_silu", shape, {"type": plane.stored}), times)


def bottlenecks(plane: Plane, width: int, count: int, stride: int) -> tuple[list[Part], Plane]:
    """A stage of ResNet-50: three convolutions in each block, with norms in their weights."""
    wide = 4 * width
    inner = Plane(plane.batch, plane.side, width)
    small = Plane(plane.batch, plane.side // stride, width)
    out = Plane(plane.batch, small.side, wide)
    parts = [
        conv("1 x 1 in", plane, width, 1, 1, 1, "bias_relu"),
        conv("3 x 3", inner, width, 3, 1, stride, "bias_relu"),
        conv("1 x 1 shortcut", plane, wide, 1, 1, stride),
        conv("1 x 1 in", out, width, 1, count - 1, 1, "bias_relu"),
        conv("3 x 3", small, width, 3, count - 1, 1, "bias_relu"),
        conv("1 x 1 out", small, wide, 1, count, 1, "bias_residual_relu"),
    ]
    return parts, out


def resnet(work: Workload) -> Step:
    model = work.model
    side = model.height_width
    # Channels of the picture are padded from three to eight, as libraries do.
    parts = [conv("7 x 7", Plane(work.batch, side, 8), model.width, 7, 1, 2, "bias_relu")]
    plane = Plane(work.batch, side // 2, model.width)
    pool = {"n": work.batch, "h": plane.side, "w": plane.side, "c": plane.channels, "size": 3, "stride": 2, "pad": 1}
    parts.append(Part("largest of 3 x 3", Operator("pool", pool), 1))
    plane = Plane(work.batch, side // 4, model.width)
    for number, count in enumerate(model.blocks):
        made, plane = bottlenecks(plane, model.width << number, count, 2 if number else 1)
        parts += made
    whole = {"n": work.batch, "h": plane.side, "w": plane.side, "c": plane.channels, "size": plane.side}
    parts.append(Part("mean of all places", Operator("pool", whole, {"mode": "avg"}), 1))
    parts.append(Part("classes", product(work.batch, model.classes, plane.channels, work.weights), 1))
    return Step(tuple(parts), (), work.batch, "images", 2 * 3 * side**2 * work.batch)


def res_block(plane: Plane, channels: int) -> list[Part]:
    """Two convolutions with norms; a shortcut where the number of channels changes."""
    out = dataclasses.replace(plane, channels=channels)
    parts = [normed(plane), conv("3 x 3", plane, channels, 3), normed(out)]
    parts.append(conv("3 x 3", out, channels, 3, epilogue="bias_residual"))
    return parts + ([conv("1 x 1 shortcut", plane, channels, 1)] if plane.channels != channels else [])


def transformer(work: Workload, plane: Plane, depth: int) -> list[Part]:
    """Blocks of attention to the picture and to the text, and a gated part."""
    model, rows, width = work.model, plane.rows, plane.channels
    heads, tokens = width // model.head_dim, plane.side**2
    sizes = {"batch": plane.batch, "heads": heads, "kv_heads": heads, "head_dim": model.head_dim, "causal": 0}
    itself = Operator("attention_prefill", {**sizes, "q": tokens, "kv": tokens}, {"layout": "packed"})
    text = Operator("attention_prefill", {**sizes, "q": tokens, "kv": model.text_tokens})
    words = plane.batch * model.text_tokens
    return [
        normed(plane),
        Part("into and out of blocks", product(rows, width, width, work.weights, "bias"), 2),
        Part("norm", Operator("layernorm", {"rows": rows, "columns": width}), 3 * depth),
        Part("queries, keys, values", product(rows, 3 * width, width, work.weights), depth),
        Part("attention to itself", itself, depth),
        Part("attention out", product(rows, width, width, work.weights, "bias_residual"), 2 * depth),
        Part("queries to the text", product(rows, width, width, work.weights), depth),
        Part("keys and values of the text", product(words, 2 * width, model.text_hidden, work.weights), depth),
        Part("attention to the text", text, depth),
        *gated(rows, 4 * width, width, work.weights, depth),
        Part("down", product(rows, width, 4 * width, work.weights, "bias_residual"), depth),
    ]


def unet(work: Workload) -> Step:
    """One step of denoising: down through three sizes and up again."""
    model = work.model
    plane = Plane(work.batch, model.latent, 8)
    parts = [conv("3 x 3 in", plane, model.channels[0], 3)]
    plane = dataclasses.replace(plane, channels=model.channels[0])
    kept = [plane.channels]
    for level, channels in enumerate(model.channels):
        for _ in range(model.blocks):
            parts += res_block(plane, channels)
            plane = dataclasses.replace(plane, channels=channels)
            if model.transformer_layers[level]:
                parts += transformer(work, plane, model.transformer_layers[level])
            kept.append(channels)
        if level + 1 < len(model.channels):
            parts.append(conv("3 x 3 to half", plane, channels, 3, 1, 2))
            plane = dataclasses.replace(plane, side=plane.side // 2)
            kept.append(channels)
    parts += [*res_block(plane, plane.channels), *transformer(work, plane, model.transformer_layers[-1])]
    parts += res_block(plane, plane.channels)
    for level in reversed(range(len(model.channels))):
        channels = model.channels[level]
        for _ in range(model.blocks + 1):
            parts += res_block(dataclasses.replace(plane, channels=plane.channels + kept.pop()), channels)
            plane = dataclasses.replace(plane, channels=channels)
            if model.transformer_layers[level]:
                parts += transformer(work, plane, model.transformer_layers[level])
        if level:
            parts.append(enlarge(plane))
            plane = dataclasses.replace(plane, side=2 * plane.side)
            parts.append(conv("3 x 3 behind doubling", plane, channels, 3))
    parts += [normed(plane), conv("3 x 3 out", plane, 8, 3)]
    return Step(tuple(parts), (), work.batch, "steps")


def enlarge(plane: Plane) -> Part:
    shape = {"n": plane.batch, "h": plane.side, "w": plane.side, "c": plane.channels}
    return Part("doubling", Operator("upsample", shape, {"type": plane.stored}), 1)


def picture_decoder(work: Workload) -> Step:
    """Latents to a picture, by three doublings; attention in the middle has one head."""
    model = work.model
    channels = list(reversed(model.channels))
    plane = Plane(work.batch, model.latent, 8, "tf32" if work.weights == "tf32" else "f16")
    parts = [conv("3 x 3 in", plane, channels[0], 3)]
    plane = dataclasses.replace(plane, channels=channels[0])
    parts += res_block(plane, channels[0]) + middle(work, plane) + res_block(plane, channels[0])
    for level, width in enumerate(channels):
        for _ in range(model.blocks):
            parts += res_block(plane, width)
            plane = dataclasses.replace(plane, channels=width)
        if level + 1 < len(channels):
            parts.append(enlarge(plane))
            plane = dataclasses.replace(plane, side=2 * plane.side)
            parts.append(conv("3 x 3 behind doubling", plane, width, 3))
    parts += [normed(plane), conv("3 x 3 out", plane, 8, 3)]
    return Step(tuple(parts), (), work.batch, "pictures", 2 * 3 * plane.rows)


def middle(work: Workload, plane: Plane) -> list[Part]:
    """Attention with a head of all channels: as two products and a softmax of each picture."""
    tokens, width = plane.side**2, plane.channels
    return [
        normed(plane),
        Part("queries, keys, values, out", product(plane.rows, width, width, work.weights, "bias"), 4),
        Part("scores", product(tokens, tokens, width, work.weights), plane.batch),
        Part("softmax", Operator("softmax", {"rows": tokens, "columns": tokens}, {"type": plane.stored}), plane.batch),
        Part("weighted values", product(tokens, width, tokens, work.weights), plane.batch),
    ]
