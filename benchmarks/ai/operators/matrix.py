"""Products of matrices: gemm, and gemv for at most 16 rows."""
import math

from .launch import NOTHING, Step, integer, number, output, real
from .library import Specialisation, multiple, pointer
from .kinds import KINDS, Kind, Operator, OperatorError, size
from .targets import CORES

FLOATS = ("f16", "bf16", "f8e4m3", "f32", "tf32")
EPILOGUES = ("none", "bias", "bias_gelu", "silu_mul", "residual", "bias_residual")
THIN = 16
# Tiles to choose from: rows, columns, depth in bytes, warps, stages, and how much of the matrix
# units' rate a whole chip of them reaches.
LITTLE_MEMORY = (
    (128, 128, 64, 4, 4, 1.0),
    (64, 128, 64, 4, 4, 0.8),
    (64, 64, 128, 4, 4, 0.6),
    (64, 32, 128, 4, 4, 0.4),
)
TILES = {
    "sm_90": (
        (128, 256, 128, 8, 3, 1.0),
        (128, 128, 128, 4, 3, 0.85),
        (64, 128, 128, 4, 4, 0.7),
        (64, 64, 128, 4, 4, 0.5),
        (64, 32, 256, 4, 4, 0.35),
    ),
    "sm_80": LITTLE_MEMORY,
    "sm_89": LITTLE_MEMORY,
}


def columns_of(op: Operator) -> int:
    """Columns of the weights; a product with silu_mul has a gate beside each output."""
    return op.shape["n"] * (2 if op.types["epilogue"] == "silu_mul" else 1)


def flops(op: Operator) -> float:
    return 2.0 * op.shape["m"] * op.shape["k"] * columns_of(op)


def moved(op: Operator) -> float:
    m, n, k = (op.shape[key] for key in "mnk")
    total = size(m * k, op.types["a"]) + size(columns_of(op) * k, op.types["b"]) + size(m * n, op.types["out"])
    if op.types["b"] == "i4":
        total += size(columns_of(op) * k / op.shape["group"], "f16")
    if op.types["epilogue"].endswith("residual"):
        total += size(m * n, op.types["out"])
    return total


def tile_of(op: Operator, target: str) -> tuple[int, ...]:
    """The tile with which the last wave of the chip wastes least."""
    m, n = op.shape["m"], op.shape["n"]

    def cost(tile: tuple) -> float:
        rows, columns = tile[:2]
        waves = math.ceil(math.ceil(m / rows) * math.ceil(n / columns) / CORES[target])
        return waves * rows * columns / tile[5]

    tiles = TILES[target]
    if op.types["epilogue"] == "silu_mul":
        tiles = [tile for tile in tiles if tile[0] * tile[1] <= 128 * 128]
    return min(tiles, key=cost)


def _arguments(op: Operator) -> dict:
    m, n, k = (op.shape[key] for key in "mnk")
    out, epilogue = op.types["out"], op.types["epilogue"]
    return {
        "bias": real("bias", out, n, 3) if epilogue.startswith("bias") else NOTHING,
        "residual": real("residual", out, m * n, 4) if epilogue.endswith("residual") else NOTHING,
        "out": output("out", out, m * n),
        "m": integer(m),
        "n": integer(n),
        "k": integer(k),
        "alpha": number(1.0),
    }


def _signature(op: Operator, **pointers: str) -> dict:
    out = pointer(op.types["out"])
    types = {**pointers, "bias": out, "residual": out, "out": out, "m": "i32"}
    return {**types, "n": multiple(op.shape["n"]), "k": multiple(op.shape["k"]), "alpha": "fp32"}


def _tag(op: Operator, *parts: object) -> str:
    kinds = [op.types[key] for key in ("a", "b", "out")]
    ends = "" if op.shape["n"] % 16 == 0 else "ragged"
    return "-".join(str(part) for part in (*kinds, op.types["epilogue"], *parts, ends) if part)


def plan_gemm(op: Operator, target: str) -> list[Step]:
    if op.shape["m"] <= THIN and op.types["layout"] == "nt":
        return plan_thin(op, target)
    m, n, k = (op.shape[key] for key in "mnk")
    a, b = op.types["a"], op.types["b"]
    if b == "i4" and a in ("f16", "bf16") and op.types["layout"] == "nt":
        return [_some_rows(op, target)]
    if a != b:
        raise OperatorError("gemm: a and b have to be of one type, or b of four bits with layout nt")
    rows, columns, depth, warps, stages, _ = tile_of(op, target)
    inner = int(depth // size(1, a))
    if op.types["layout"] == "tn" and k % inner:
        inner = 32
    constants = {
        "LAYOUT": op.types["layout"], "EPILOGUE": op.types["epilogue"], "EVEN": k % inner == 0,
        "BM": rows, "BN": columns, "BK": inner, "GROUP": 8, "STAGES": stages,
    }  # fmt: skip
    shape = "%dx%dx%d" % (rows, columns, inner)
    tag = _tag(op, op.types["layout"], shape, "" if k % inner == 0 else "tail", "" if k % 16 == 0 else "odd")
    kernel = Specialisation(
        "matrix", "gemm", tag, _signature(op, a=pointer(a), b=pointer(b)), constants, warps, stages
    )
    grid = math.ceil(m / rows) * math.ceil(n / columns)
    a_buffer, b_buffer = real("a", a, m * k, 1), real("b", b, columns_of(op) * k, 2)
    return [Step(kernel, (grid,), {"a": a_buffer, "b": b_buffer, **_arguments(op)})]


def _weights(op: Operator) -> dict:
    n, k, group = columns_of(op), op.shape["k"], op.shape["group"]
    if op.types["b"] != "i4":
        return {"w": real("b", op.types["b"], n * k, 2), "scales": NOTHING}
    if k % group:
        raise OperatorError("k of weights of four bits has to be a multiple of the group, %d" % group)
    return {"w": real("b", "i4", n * k, 2), "scales": real("scales", "f16", n * k // group, 5, 0.0, 0.125)}


def plan_thin(op: Operator, target: str) -> list[Step]:
    if op.shape["m"] > THIN:
        raise OperatorError("gemv: m is at most %d" % THIN)
    if op.shape["m"] == 1:
        return [_one_row(op)]
    return [_some_rows(op, target)]


def _one_row(op: Operator) -> Step:
    four_bits = op.types["b"] == "i4"
    arguments = {"x": real("a", op.types["a"], op.shape["k"], 1), **_weights(op), **_arguments(op)}
    signature = _signature(op, x=pointer(op.types["a"]), w=pointer(op.types["b"]), scales="*fp16:16")
    dropped = ["m", "alpha"] if four_bits else ["m", "scales"]
    signature = {key: value for key, value in signature.items() if key not in dropped}
    columns = 4
    if four_bits:
        groups = 8
        constants = {"GROUP": op.shape["group"], "GROUPS": groups}
        tag = _tag(op, "g%d" % op.shape["group"], "%dx%d" % (columns, groups))
    else:
        depth = 1024
        constants = {"BK": depth}
        tag = _tag(op, "%dx%d" % (columns, depth))
    constants = {"EPILOGUE": op.types["epilogue"], "BN": columns, "STAGES": 1, **constants}
    function = "gemv_i4" if four_bits else "gemv"
    kernel = Specialisation("matrix", function, tag, signature, constants)
    return Step(kernel, (math.ceil(op.shape["n"] / columns),), arguments)


def _some_rows(op: Operator, target: str) -> Step:
    m, n, group = op.shape["m"], op.shape["n"], op.shape["group"] if op.types["b"] == "i4" else 0
    rows = THIN if m <= THIN else 64 if m <= 64 else 128
    columns = 32 if n / 64 < 2 * CORES[target] and m <= 64 else 64
    depth = group or int(256 // size(1, op.types["b"]))
    if op.shape["k"] % depth:
        raise OperatorError("gemv: k of several rows has to be a multiple of %d" % depth)
    arguments = {"x": real("a", op.types["a"], op.shape["m"] * op.shape["k"], 1), **_weights(op), **_arguments(op)}
    signature = _signature(op, x=pointer(op.types["a"]), w=pointer(op.types["b"]), scales="*fp16:16")
    constants = {
        "EPILOGUE": op.types["epilogue"], "GROUP": group, "BM": rows, "BN": columns, "BK": depth, "STAGES": 4,
    }  # fmt: skip
    tag = _tag(op, "%dx%dx%d" % (rows, columns, depth))
    kernel = Specialisation("matrix", "thin_gemm", tag, signature, constants, stages=4)
    return Step(kernel, (math.ceil(n / columns), math.ceil(m / rows)), arguments)


KINDS["gemm"] = Kind(
    {"m": None, "n": None, "k": None, "group": 128},
    {
        "a": FLOATS, "b": (*FLOATS, "i4"), "out": ("f16", "bf16", "f32"),
        "epilogue": EPILOGUES, "layout": ("nt", "nn", "tn"),
    },
    flops, moved, plan_gemm,
)  # fmt: skip
KINDS["gemv"] = Kind(
    {"m": 1, "n": None, "k": None, "group": 128},
    {
        "a": ("f16", "bf16"), "b": ("f16", "f8e4m3", "i4", "bf16"), "out": ("f16", "bf16", "f32"),
        "epilogue": EPILOGUES,
    },
    flops, moved, plan_thin,
)  # fmt: skip
