"""Normalisation of rows, and softmax."""
from .launch import NOTHING, Step, integer, number, output, real
from .library import Specialisation, pointer
from .kinds import KINDS, Kind, Operator, size

FLOATS = ("f16", "bf16", "f32")
EPSILON = 1e-5


def block_of(columns: int, most: int = 1 << 20) -> int:
    """The least power of two with so many columns."""
    return min(1 << max(columns - 1, 31).bit_length(), most)


def warps_of(block: int) -> int:
    return max(1, min(16, block // 512))


def plan_norm(op: Operator, target: str) -> list[Step]:
    rows, columns, kind = op.shape["rows"], op.shape["columns"], op.types["type"]
    centre, residual = op.kind == "layernorm", op.types["residual"] == "fused"
    block = block_of(columns)
    signature = dict.fromkeys(("x", "residual", "weight", "bias", "out", "total"), pointer(kind))
    signature.update(columns="i32:16" if columns % 16 == 0 else "i32", epsilon="fp32")
    parts = [kind, "mean" if centre else "", "residual" if residual else "", str(block)]
    if columns % 16:
        parts.append("ragged")
    constants = {"CENTRE": centre, "RESIDUAL": residual, "BLOCK": block}
    tag = "-".join(part for part in parts if part)
    kernel = Specialisation("norms", "norm", tag, signature, constants, warps_of(block))
    arguments = {
        "x": real("x", kind, rows * columns, 1),
        "residual": real("residual", kind, rows * columns, 2) if residual else NOTHING,
        "weight": real("weight", kind, columns, 3),
        "bias": real("bias", kind, columns, 4) if centre else NOTHING,
        "out": output("out", kind, rows * columns),
        "total": output("total", kind, rows * columns) if residual else NOTHING,
        "columns": integer(columns),
        "epsilon": number(EPSILON),
    }
    return [Step(kernel, (rows,), arguments)]


def norm_flops(op: Operator) -> float:
    return (6.0 if op.kind == "layernorm" else 4.0) * op.shape["rows"] * op.shape["columns"]


def norm_bytes(op: Operator) -> float:
    arrays = 4 if op.types["residual"] == "fused" else 2
    return size(arrays * op.shape["rows"] * op.shape["columns"], op.types["type"])


def plan_softmax(op: Operator, target: str) -> list[Step]:
    rows, columns, kind = op.shape["rows"], op.shape["columns"], op.types["type"]
    block = block_of(columns, 4096)
    signature = {"x": pointer(kind), "out": pointer(kind), "columns": "i32", "scale": "fp32"}
    if columns % 16 == 0:
        signature["columns"] = "i32:16"
    tag = "%s-%d%s" % (kind, block, "-ragged" if columns % 16 else "")
    kernel = Specialisation("norms", "softmax", tag, signature, {"BLOCK": block}, warps_of(block))
    arguments = {
        "x": real("x", kind, rows * columns, 1, -4, 4),
        "out": output("out", kind, rows * columns),
        "columns": integer(columns),
        "scale": number(1.0),
    }
    return [Step(kernel, (rows,), arguments)]


def _cells(op: Operator) -> float:
    return float(op.shape["rows"] * op.shape["columns"])


NORM_TYPES = {"type": FLOATS, "residual": ("none", "fused")}
for _kind in ("rmsnorm", "layernorm"):
    KINDS[_kind] = Kind({"rows": None, "columns": None}, NORM_TYPES, norm_flops, norm_bytes, plan_norm)
KINDS["softmax"] = Kind(
    {"rows": None, "columns": None},
    {"type": FLOATS},
    lambda op: 5 * _cells(op),
    lambda op: size(2 * _cells(op), op.types["type"]),
    plan_softmax,
)
