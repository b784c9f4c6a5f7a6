"""Operations on each element by itself: activations, sums, and the turning of queries and keys."""
import math

from .launch import NOTHING, Buffer, Step, integer, listed, output, real
from .library import Specialisation, multiple, pointer
from .kinds import KINDS, Kind, Operator, size

FLOATS = ("f16", "bf16", "f32")
BLOCK = 1024


def plan_silu_mul(op: Operator, target: str) -> list[Step]:
    rows, columns, kind = op.shape["rows"], op.shape["columns"], op.types["type"]
    signature = {"x": pointer(kind), "out": pointer(kind), "columns": multiple(columns)}
    tag = kind + ("-ragged" if columns % 16 else "")
    kernel = Specialisation("pointwise", "silu_mul", tag, signature, {"BLOCK": BLOCK})
    arguments = {
        "x": real("x", kind, 2 * rows * columns, 1, -4, 4),
        "out": output("out", kind, rows * columns),
        "columns": integer(columns),
    }
    return [Step(kernel, (math.ceil(columns / BLOCK), rows), arguments)]


def plan_elementwise(op: Operator, target: str) -> list[Step]:
    elements, kind = op.shape["elements"], op.types["type"]
    operation = {"gelu": "gelu", "residual_add": "add", "gelu_backward": "gelu_slope"}[op.kind]
    signature = dict.fromkeys(("x", "y", "out"), pointer(kind))
    signature["elements"] = multiple(elements)
    tag = "%s-%s%s" % (operation.replace("_", "-"), kind, "-ragged" if elements % 16 else "")
    kernel = Specialisation(
        "pointwise", "elementwise", tag, signature, {"OPERATION": operation, "BLOCK": BLOCK}
    )
    arguments = {
        "x": real("x", kind, elements, 1, -4, 4),
        "y": NOTHING if operation == "gelu" else real("y", kind, elements, 2),
        "out": output("out", kind, elements),
        "elements": integer(elements),
    }
    return [Step(kernel, (math.ceil(elements / BLOCK),), arguments)]


def plan_rope(op: Operator, target: str) -> list[Step]:
    """Tokens are at positions one after the other, each behind `past` others."""
    s, kind, cache = op.shape, op.types["type"], op.types["cache"] == "paged"
    tokens, heads, kv_heads, dimension = (s[key] for key in ("tokens", "heads", "kv_heads", "head_dim"))
    positions = s["past"] + tokens
    signature = {"qkv": pointer(kind), "cosines": "*fp32:16", "sines": "*fp32:16", "positions": "*i32:16"}
    signature.update(k_cache=pointer(kind), v_cache=pointer(kind), slots="*i32:16", heads="i32", kv_heads="i32")
    tag = "%s-%d%s" % (kind, dimension, "-cache" if cache else "")
    constants = {"DIMENSION": dimension, "CACHE": cache}
    kernel = Specialisation("pointwise", "rope", tag, signature, constants, 1)
    row = (heads + 2 * kv_heads) * dimension
    inputs = real("qkv", kind, tokens * row, 1)
    kept = s["slots"] * kv_heads * dimension
    arguments = {
        "qkv": Buffer(inputs.name, kind, inputs.count, "both", inputs.init),
        "cosines": real("cosines", "f32", positions * dimension // 2, 2),
        "sines": real("sines", "f32", positions * dimension // 2, 3),
        "positions": listed("positions", [s["past"] + t for t in range(tokens)]),
        "k_cache": Buffer("k_cache", kind, kept, "both", "zero") if cache else NOTHING,
        "v_cache": Buffer("v_cache", kind, kept, "both", "zero") if cache else NOTHING,
        "slots": listed("slots", [(7 * t + 3) % s["slots"] for t in range(tokens)]) if cache else NOTHING,
        "heads": integer(heads),
        "kv_heads": integer(kv_heads),
    }
    heads_turned = heads + kv_heads * (2 if cache else 1)
    return [Step(kernel, (heads_turned, tokens), arguments)]


def rope_bytes(op: Operator) -> float:
    s = op.shape
    turned = 2 * s["tokens"] * (s["heads"] + s["kv_heads"]) * s["head_dim"]
    kept = 3 * s["tokens"] * s["kv_heads"] * s["head_dim"] if op.types["cache"] == "paged" else 0
    return size(turned + kept, op.types["type"])


def _cells(op: Operator) -> int:
    return op.shape["rows"] * op.shape["columns"]


KINDS["silu_mul"] = Kind(
    {"rows": None, "columns": None},
    {"type": FLOATS},
    lambda op: 6.0 * _cells(op),
    lambda op: size(3 * _cells(op), op.types["type"]),
    plan_silu_mul,
)
for _kind, _flops, _arrays in (("gelu", 12, 2), ("residual_add", 1, 3), ("gelu_backward", 20, 3)):
    KINDS[_kind] = Kind(
        {"elements": None},
        {"type": FLOATS},
        lambda op, flops=_flops: float(flops * op.shape["elements"]),
        lambda op, arrays=_arrays: size(arrays * op.shape["elements"], op.types["type"]),
        plan_elementwise,
    )
KINDS["rope"] = Kind(
    {"tokens": None, "heads": None, "kv_heads": None, "head_dim": None, "past": 0, "slots": 1024},
    {"type": FLOATS, "cache": ("none", "paged")},
    lambda op: 3.0 * op.shape["tokens"] * (op.shape["heads"] + op.shape["kv_heads"]) * op.shape["head_dim"],
    rope_bytes,
    plan_rope,
    {"past": 0},
)
