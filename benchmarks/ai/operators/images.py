"""Operators on images, channels last."""
import math

from .launch import NOTHING, Step, integer, number, output, real, scratch
from .library import Specialisation, multiple, pointer
from .kinds import KINDS, Kind, Operator, OperatorError, size
from .norms import EPSILON, block_of
from .targets import CORES

FLOATS = ("f16", "bf16", "f32")
BLOCK = 1024
PARTS = 64
TILES = ((128, 128, 8, 3, 1.0), (128, 64, 4, 4, 0.8), (64, 64, 4, 4, 0.6))


def extents(op: Operator) -> tuple[int, int]:
    """Height and width of the output."""
    s = op.shape
    taps = (s["size"], s["size"]) if op.kind == "pool" else (s["r"], s["s"])
    return tuple((s[key] + 2 * s["pad"] - tap) // s["stride"] + 1 for key, tap in zip("hw", taps))


def plan_conv(op: Operator, target: str) -> list[Step]:
    s, kind, epilogue = op.shape, op.types["type"], op.types["epilogue"]
    p, q = extents(op)
    places, outputs, channels = s["n"] * p * q, s["k"], s["c"]

    def cost(tile: tuple) -> float:
        waves = math.ceil(math.ceil(places / tile[0]) * math.ceil(outputs / tile[1]) / CORES[target])
        return waves * tile[0] * tile[1] / tile[4]

    rows, columns, warps, stages, _ = min(TILES, key=cost)
    flat = channels < 16
    depth = 32 if channels == 32 or kind == "tf32" else 64
    made = "f32" if kind == "tf32" else kind
    signature = dict.fromkeys(("x", "w", "bias", "residual", "out"), pointer(kind))
    signature.update(dict.fromkeys(("batch", "height", "width"), "i32"))
    signature.update(channels=multiple(channels), outputs=multiple(outputs))
    signature.update(dict.fromkeys(("p", "q", "stride", "pad"), "i32"))
    constants = {
        "EPILOGUE": epilogue, "R": s["r"], "S": s["s"], "FLAT": flat,
        "BM": rows, "BN": columns, "BK": depth, "STAGES": stages,
    }  # fmt: skip
    parts = [kind, epilogue, "%dx%d" % (s["r"], s["s"]), "flat" if flat else "", "%dx%dx%d" % (rows, columns, depth)]
    parts += ["c%d" % channels if channels % 16 and not flat else "", "ragged" if outputs % 16 else ""]
    kernel = Specialisation(
        "images", "conv2d", "-".join(part for part in parts if part), signature, constants, warps, stages
    )
    with_bias, with_residual = epilogue != "none", "residual" in epilogue
    given = {
        "x": real("x", kind, s["n"] * s["h"] * s["w"] * channels, 1),
        "w": real("weights", kind, outputs * s["r"] * s["s"] * channels, 2),
        "bias": real("bias", made, outputs, 3) if with_bias else NOTHING,
        "residual": real("residual", made, places * outputs, 4) if with_residual else NOTHING,
        "out": output("out", made, places * outputs),
        "batch": integer(s["n"]), "height": integer(s["h"]), "width": integer(s["w"]), "channels": integer(channels),
        "outputs": integer(outputs), "p": integer(p), "q": integer(q), "stride": integer(s["stride"]),
        "pad": integer(s["pad"]),
    }  # fmt: skip
    return [Step(kernel, (math.ceil(places / rows) * math.ceil(outputs / columns),), given)]


def conv_flops(op: Operator) -> float:
    s, (p, q) = op.shape, extents(op)
    return 2.0 * s["n"] * p * q * s["k"] * s["r"] * s["s"] * s["c"]


def conv_bytes(op: Operator) -> float:
    s, (p, q) = op.shape, extents(op)
    outputs = s["n"] * p * q * s["k"] * (2 if "residual" in op.types["epilogue"] else 1)
    inputs = s["n"] * s["h"] * s["w"] * s["c"] + s["k"] * s["r"] * s["s"] * s["c"]
    return size(inputs + outputs, op.types["type"])


def plan_pool(op: Operator, target: str) -> list[Step]:
    s, kind, average = op.shape, op.types["type"], op.types["mode"] == "avg"
    p, q = extents(op)
    elements = s["n"] * p * q * s["c"]
    signature = {"x": pointer(kind), "out": pointer(kind), "elements": multiple(elements), "height": "i32"}
    signature.update(width="i32", channels=multiple(s["c"]), p="i32", q="i32", stride="i32", pad="i32")
    constants = {"AVERAGE": average, "R": s["size"], "S": s["size"], "BLOCK": BLOCK}
    tag = "%s-%s-%d%s" % (kind, op.types["mode"], s["size"], "-ragged" if s["c"] % 16 else "")
    kernel = Specialisation("images", "pool", tag, signature, constants)
    given = {
        "x": real("x", kind, s["n"] * s["h"] * s["w"] * s["c"], 1), "out": output("out", kind, elements),
        "elements": integer(elements), "height": integer(s["h"]), "width": integer(s["w"]),
        "channels": integer(s["c"]), "p": integer(p), "q": integer(q), "stride": integer(s["stride"]),
        "pad": integer(s["pad"]),
    }  # fmt: skip
    return [Step(kernel, (math.ceil(elements / BLOCK),), given)]


def plan_upsample(op: Operator, target: str) -> list[Step]:
    s, kind = op.shape, op.types["type"]
    inputs = s["n"] * s["h"] * s["w"] * s["c"]
    signature = {"x": pointer(kind), "out": pointer(kind), "elements": multiple(4 * inputs)}
    signature.update(height="i32", width="i32", channels=multiple(s["c"]))
    tag = kind + ("-ragged" if s["c"] % 16 else "")
    kernel = Specialisation("images", "upsample", tag, signature, {"BLOCK": BLOCK})
    given = {
        "x": real("x", kind, inputs, 1), "out": output("out", kind, 4 * inputs), "elements": integer(4 * inputs),
        "height": integer(s["h"]), "width": integer(s["w"]), "channels": integer(s["c"]),
    }  # fmt: skip
    return [Step(kernel, (math.ceil(4 * inputs / BLOCK),), given)]


def plan_group_norm(op: Operator, target: str) -> list[Step]:
    """Sums of channels over parts of each picture, the moments of groups, and the normal values."""
    s, kind = op.shape, op.types["type"]
    images, channels, groups, places = s["n"], s["c"], s["groups"], s["h"] * s["w"]
    if channels % groups:
        raise OperatorError("groupnorm_silu: c has to be a multiple of groups")
    in_group = channels // groups
    per_part = max(32, math.ceil(places / PARTS / 32) * 32)
    parts = math.ceil(places / per_part)
    sums, squares = (scratch(name, "f32", images * parts * channels) for name in ("sums", "squares"))
    moments = scratch("moments", "f32", images * groups * 2)
    x = real("x", kind, images * places * channels, 1)
    return [
        _channel_sums(x, sums, squares, (images, places, channels, parts, per_part)),
        _group_moments(sums, squares, moments, (images, groups, parts, channels, in_group, places)),
        _group_norm(op, x, moments, in_group),
    ]


def _channel_sums(x, sums, squares, counts: tuple[int, ...]) -> Step:
    images, places, channels, parts, per_part = counts
    signature = {"x": pointer(x.type), "sums": "*fp32:16", "squares": "*fp32:16", "places": "i32"}
    signature.update(channels=multiple(channels), per_part="i32:16")
    tag = "%s%s" % (x.type, "-ragged" if channels % 16 else "")
    kernel = Specialisation("images", "channel_sums", tag, signature, {"ROWS": 32, "BC": 64})
    given = {"x": x, "sums": sums, "squares": squares, "places": integer(places), "channels": integer(channels)}
    return Step(kernel, (parts, math.ceil(channels / 64), images), {**given, "per_part": integer(per_part)})


def _group_moments(sums, squares, moments, counts: tuple[int, ...]) -> Step:
    images, groups, parts, channels, in_group, places = counts
    block = block_of(in_group)
    signature = {"sums": "*fp32:16", "squares": "*fp32:16", "moments": "*fp32:16", "parts": "i32"}
    signature.update(channels="i32", in_group="i32", places="i32", epsilon="fp32")
    kernel = Specialisation("images", "group_moments", str(block), signature, {"BP": PARTS, "BC": block})
    given = {"sums": sums, "squares": squares, "moments": moments, "parts": integer(parts)}
    given.update(channels=integer(channels), in_group=integer(in_group), places=integer(places))
    return Step(kernel, (groups, images), {**given, "epsilon": number(EPSILON)})


def _group_norm(op: Operator, x, moments, in_group: int) -> Step:
    kind, channels, silu = op.types["type"], op.shape["c"], op.types["activation"] == "silu"
    signature = {"x": pointer(kind), "moments": "*fp32:16", "weight": pointer(kind), "bias": pointer(kind)}
    signature.update(out=pointer(kind), elements=multiple(x.count), per_image="i32", channels=multiple(channels))
    signature["in_group"] = "i32"
    tag = "%s%s%s" % (kind, "-silu" if silu else "", "-ragged" if channels % 16 else "")
    kernel = Specialisation("images", "group_norm", tag, signature, {"SILU": silu, "BLOCK": BLOCK})
    given = {
        "x": x, "moments": moments,
        "weight": real("weight", kind, channels, 2), "bias": real("bias", kind, channels, 3),
        "out": output("out", kind, x.count), "elements": integer(x.count), "channels": integer(channels),
        "per_image": integer(x.count // op.shape["n"]), "in_group": integer(in_group),
    }  # fmt: skip
    return Step(kernel, (math.ceil(x.count / BLOCK),), given)


def _cells(op: Operator) -> int:
    return op.shape["n"] * op.shape["h"] * op.shape["w"] * op.shape["c"]


def _pooled(op: Operator) -> int:
    return op.shape["n"] * math.prod(extents(op)) * op.shape["c"]


EPILOGUES = ("bias", "none", "bias_relu", "bias_residual", "bias_residual_relu")
IMAGE = {"n": 1, "h": None, "w": None, "c": None}
KINDS["conv2d"] = Kind(
    {**IMAGE, "k": None, "r": None, "s": None, "stride": 1, "pad": 0},
    {"type": ("f16", "bf16", "tf32"), "epilogue": EPILOGUES},
    conv_flops, conv_bytes, plan_conv, {"pad": 0},
)  # fmt: skip
KINDS["pool"] = Kind(
    {**IMAGE, "size": None, "stride": 1, "pad": 0},
    {"type": FLOATS, "mode": ("max", "avg")},
    lambda op: float(_pooled(op) * op.shape["size"] ** 2),
    lambda op: size(_cells(op) + _pooled(op), op.types["type"]),
    plan_pool,
    {"pad": 0},
)
KINDS["groupnorm_silu"] = Kind(
    {**IMAGE, "groups": 32},
    {"type": FLOATS, "activation": ("silu", "none")},
    lambda op: 10.0 * _cells(op),
    lambda op: size(2 * _cells(op), op.types["type"]),
    plan_group_norm,
)
KINDS["upsample"] = Kind(
    IMAGE, {"type": FLOATS}, lambda op: 0.0, lambda op: size(5 * _cells(op), op.types["type"]), plan_upsample
)
