"""A mixture of experts: the gate with the sorting of tokens, and products by expert."""
import dataclasses
import math

from .launch import Buffer, Step, integer, listed, output, real, scratch
from .library import Specialisation, multiple, pointer
from .kinds import KINDS, Kind, Operator, OperatorError, size
from .matrix import plan_gemm as plan_product
from .norms import block_of

FLOATS = ("f16", "bf16")
BLOCK = 1024


def plan_gate(op: Operator, target: str) -> list[Step]:
    """The router's product where columns says how deep it is, the choice of experts, and the lists of each."""
    s = op.shape
    kind = "f32" if s["columns"] else op.types["type"]
    tokens, experts, top = s["tokens"], s["experts"], s["top_k"]
    if top > experts:
        raise OperatorError("moe_gate: top_k is at most experts")
    block = max(16, block_of(experts))
    signature = {"logits": pointer(kind), "ids": "*i32:16", "weights": "*fp32:16", "tokens": "i32", "experts": "i32"}
    constants = {"TOP": top, "BT": 16, "BE": block}
    gate = Specialisation("experts", "moe_gate", "%s-top%d-%d" % (kind, top, block), signature, constants, 1)
    ids = output("ids", "i32", tokens * top)
    router = _router(op, target) if s["columns"] else []
    logits = router[0].arguments["out"] if router else real("logits", kind, tokens * experts, 1, -4, 4)
    given = {"logits": logits, "ids": ids}
    given.update(weights=output("weights", "f32", tokens * top), tokens=integer(tokens), experts=integer(experts))
    signature = {"ids": "*i32:16", "lists": "*i32:16", "counts": "*i32:16", "pairs": "i32", "capacity": "i32"}
    sort = Specialisation("experts", "moe_sort", str(BLOCK), signature, {"BLOCK": BLOCK})
    sorted_ = {
        "ids": ids,
        "lists": Buffer("lists", "i32", experts * tokens, "both", "zero"),
        "counts": output("counts", "i32", experts),
        "pairs": integer(tokens * top),
        "capacity": integer(tokens),
    }
    return [*router, Step(gate, (math.ceil(tokens / 16),), given), Step(sort, (experts,), sorted_)]


def _router(op: Operator, target: str) -> list[Step]:
    s, kind = op.shape, op.types["type"]
    shape = {"m": s["tokens"], "n": s["experts"], "k": s["columns"]}
    step = plan_product(Operator("gemm", shape, {"a": kind, "b": kind, "out": "f32"}), target)[0]
    logits = scratch("logits", "f32", s["tokens"] * s["experts"])
    return [dataclasses.replace(step, arguments={**step.arguments, "out": logits})]


def even_lists(tokens: int, experts: int, top: int) -> tuple[list[int], list[int]]:
    """Lists of pairs in which all experts have about as much to do, as the gate makes them."""
    lists, counts = [0] * (experts * tokens), [0] * experts
    for pair in range(tokens * top):
        expert = (pair // top * top + pair % top) % experts
        lists[expert * tokens + counts[expert]] = pair
        counts[expert] += 1
    return lists, counts


def row_tile(op: Operator) -> int:
    """Rows of a tile: as many as an expert has on average."""
    each = op.shape["tokens"] * op.shape["top_k"] / op.shape["experts"]
    return 16 if each <= 16 else 64 if each <= 128 else 128


def plan_gemm(op: Operator, target: str) -> list[Step]:
    s, kind, weights, epilogue = op.shape, op.types["a"], op.types["b"], op.types["epilogue"]
    tokens, n, k, experts, top = (s[key] for key in ("tokens", "n", "k", "experts", "top_k"))
    if k % 128:
        raise OperatorError("moe_gemm: k has to be a multiple of 128")
    rows = row_tile(op)
    columns = 64 if rows < 128 else 128
    depth, stages = (128, 4) if rows == 16 else (64, 3)
    signature = {"x": pointer(kind), "w": pointer(weights), "lists": "*i32:16", "counts": "*i32:16"}
    signature.update(weights="*fp32:16", out=pointer(kind), n=multiple(n), k=multiple(k), capacity="i32")
    signature.update(row_tiles="i32")
    constants = {"EPILOGUE": epilogue, "TOP": top, "BM": rows, "BN": columns, "BK": depth, "STAGES": stages}
    tag = "%s-%s-%s-top%d-%dx%dx%d" % (kind, weights, epilogue, top, rows, columns, depth)
    tag += "-ragged" if n % 16 else ""
    kernel = Specialisation("experts", "moe_gemm", tag, signature, constants, 8 if rows == 128 else 4, stages)
    lists, counts = even_lists(tokens, experts, top)
    up = epilogue == "silu_mul"
    row_tiles = math.ceil(tokens / rows)
    made = output("out", kind, tokens * top * n) if up else scratch("parts", kind, tokens * top * n)
    given = {
        "x": real("x", kind, (tokens if up else tokens * top) * k, 1),
        "w": real("w", weights, experts * n * k * (2 if up else 1), 2),
        "lists": listed("lists", lists), "counts": listed("counts", counts),
        "weights": real("weights", "f32", tokens * top, 3, 0, 1), "out": made,
        "n": integer(n), "k": integer(k), "capacity": integer(tokens), "row_tiles": integer(row_tiles),
    }  # fmt: skip
    steps = [Step(kernel, (experts * row_tiles * math.ceil(n / columns),), given)]
    return steps if up else [*steps, _summed(op, made)]


def _summed(op: Operator, parts: Buffer) -> Step:
    n, kind, top = op.shape["n"], op.types["a"], op.shape["top_k"]
    signature = {"parts": pointer(kind), "out": pointer(kind), "columns": multiple(n)}
    tag = "%s-top%d%s" % (kind, top, "-ragged" if n % 16 else "")
    kernel = Specialisation("experts", "moe_sum", tag, signature, {"TOP": top, "BLOCK": BLOCK})
    out = output("out", kind, op.shape["tokens"] * n)
    return Step(kernel, (math.ceil(n / BLOCK), op.shape["tokens"]), {"parts": parts, "out": out, "columns": integer(n)})


def gemm_flops(op: Operator) -> float:
    s = op.shape
    return 2.0 * s["tokens"] * s["top_k"] * s["n"] * s["k"] * (2 if op.types["epilogue"] == "silu_mul" else 1)


def gemm_bytes(op: Operator) -> float:
    """Of weights, those of the experts that have a row."""
    s, up = op.shape, op.types["epilogue"] == "silu_mul"
    used = min(s["experts"], s["tokens"] * s["top_k"])
    rows = s["tokens"] * (1 if up else s["top_k"]) * s["k"] + s["tokens"] * (s["top_k"] if up else 1) * s["n"]
    return size(used * s["n"] * s["k"] * (2 if up else 1), op.types["b"]) + size(rows, op.types["a"])


def gate_bytes(op: Operator) -> float:
    s, kind = op.shape, op.types["type"]
    pairs = 12.0 * s["tokens"] * s["top_k"]
    if s["columns"]:
        return pairs + size((s["tokens"] + s["experts"]) * s["columns"], kind)
    return pairs + size(s["tokens"] * s["experts"], kind)


KINDS["moe_gate"] = Kind(
    {"tokens": None, "experts": None, "top_k": None, "columns": 0},
    {"type": ("f16", "bf16", "f32")},
    lambda op: float(op.shape["tokens"] * op.shape["experts"] * (op.shape["top_k"] + 2 * op.shape["columns"])),
    gate_bytes,
    plan_gate,
    {"columns": 0},
)
KINDS["moe_gemm"] = Kind(
    {"tokens": None, "n": None, "k": None, "experts": None, "top_k": None},
    {"a": FLOATS, "b": ("f16", "bf16", "f8e4m3"), "epilogue": ("weighted", "silu_mul")},
    gemm_flops, gemm_bytes, plan_gemm,
)  # fmt: skip
