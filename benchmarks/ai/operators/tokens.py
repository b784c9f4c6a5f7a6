"""Embedding of tokens, and choice of the next one."""
import math

from .launch import NOTHING, Buffer, Step, integer, output, real, scratch
from .library import Specialisation, multiple, pointer
from .norms import plan_softmax
from .kinds import KINDS, Kind, Operator, size

FLOATS = ("f16", "bf16", "f32")
BLOCK = 1024
PARTS = 64


def plan_embedding(op: Operator, target: str) -> list[Step]:
    s, kind, places = op.shape, op.types["type"], op.types["positions"] == "learned"
    columns = s["columns"]
    signature = {"tokens": "*i32:16", "table": pointer(kind), "positions": pointer(kind), "out": pointer(kind)}
    signature.update(columns=multiple(columns), length="i32")
    tag = kind + ("-positions" if places else "") + ("-ragged" if columns % 16 else "")
    kernel = Specialisation(
        "tokens", "embedding", tag, signature, {"POSITIONS": places, "BLOCK": BLOCK}
    )
    spread = {"random": {"seed": 1, "low": 0, "high": s["vocabulary"] - 1}}
    arguments = {
        "tokens": Buffer("tokens", "i32", s["tokens"], "input", spread),
        "table": real("table", kind, s["vocabulary"] * columns, 2),
        "positions": real("positions", kind, s["length"] * columns, 3) if places else NOTHING,
        "out": output("out", kind, s["tokens"] * columns),
        "columns": integer(columns),
        "length": integer(s["length"]),
    }
    return [Step(kernel, (math.ceil(columns / BLOCK), s["tokens"]), arguments)]


def plan_sample(op: Operator, target: str) -> list[Step]:
    rows, vocabulary, kind = op.shape["rows"], op.shape["vocabulary"], op.types["type"]
    if op.types["mode"] == "softmax":
        return plan_softmax(Operator("softmax", {"rows": rows, "columns": vocabulary}, {"type": kind}), target)
    per_part = max(BLOCK, math.ceil(vocabulary / PARTS / BLOCK) * BLOCK)
    parts = math.ceil(vocabulary / per_part)
    signature = {"logits": pointer(kind), "largest": "*fp32:16", "places": "*i32:16"}
    signature.update(vocabulary=multiple(vocabulary), parts="i32")
    tag = "%s-%d%s" % (kind, per_part, "-ragged" if vocabulary % 16 else "")
    constants = {"BLOCK": BLOCK, "PER_PART": per_part}
    first = Specialisation("tokens", "largest_of_part", tag, signature, constants)
    largest, places = scratch("largest", "f32", rows * parts), scratch("places", "i32", rows * parts)
    shared = {"largest": largest, "places": places, "parts": integer(parts)}
    logits = real("logits", kind, rows * vocabulary, 1, -8, 8)
    types = {"largest": "*fp32:16", "places": "*i32:16", "out": "*i32:16", "parts": "i32"}
    second = Specialisation("tokens", "largest_of_row", "%d" % PARTS, types, {"BLOCK": PARTS}, 1)
    return [
        Step(first, (parts, rows), {"logits": logits, "vocabulary": integer(vocabulary), **shared}),
        Step(second, (rows,), {"out": output("out", "i32", rows), **shared}),
    ]


KINDS["embedding"] = Kind(
    {"tokens": None, "columns": None, "vocabulary": None, "length": 1024},
    {"type": FLOATS, "positions": ("none", "learned")},
    lambda op: float(op.shape["tokens"] * op.shape["columns"] * (op.types["positions"] == "learned")),
    lambda op: size(2 * op.shape["tokens"] * op.shape["columns"], op.types["type"]),
    plan_embedding,
)
KINDS["sample"] = Kind(
    {"rows": None, "vocabulary": None},
    {"type": FLOATS, "mode": ("argmax", "softmax")},
    lambda op: float(op.shape["rows"] * op.shape["vocabulary"]),
    lambda op: size(op.shape["rows"] * op.shape["vocabulary"], op.types["type"]),
    plan_sample,
)
