"""Attention forward: of whole sequences, and of one query over a paged cache."""
import math

from .launch import Step, integer, listed, number, output, real, scratch
from .launch import NOTHING
from .library import Specialisation, multiple, pointer
from .kinds import KINDS, Kind, Operator, OperatorError, size
from .targets import CORES

FLOATS = ("f16", "bf16")
DIMENSIONS = (16, 32, 64, 128)
MOST_PARTS = 64
KEYS = 64


def _checked(op: Operator) -> dict:
    s = op.shape
    if s["heads"] % s["kv_heads"]:
        raise OperatorError("%s: heads have to be a multiple of kv_heads" % op.kind)
    if s["head_dim"] not in DIMENSIONS:
        raise OperatorError("%s: head_dim has to be one of %s" % (op.kind, ", ".join(map(str, DIMENSIONS))))
    return s


def prefill_tile(op: Operator, target: str) -> tuple[int, int, int, int]:
    """Queries and keys of a tile, warps, stages."""
    if op.shape["q"] <= 64 or target != "sm_90":
        return 64, 64, 4, 2
    return (128, 64, 8, 3) if op.shape["head_dim"] > 64 else (128, 64, 4, 3)


def plan_prefill(op: Operator, target: str) -> list[Step]:
    s, kind = _checked(op), op.types["type"]
    batch, heads, kv_heads, queries, keys, dimension = (
        s[key] for key in ("batch", "heads", "kv_heads", "q", "kv", "head_dim")
    )
    rows, columns, warps, stages = prefill_tile(op, target)
    logsum, packed = op.types["logsum"] == "kept", op.types["layout"] == "packed"
    if packed and queries != keys:
        raise OperatorError("attention_prefill: packed queries, keys and values are of as many tokens")
    signature = dict.fromkeys(("q", "k", "v", "out"), pointer(kind))
    signature.update(logsum="*fp32:16", heads="i32", kv_heads="i32", queries="i32", keys="i32")
    q_stride = dimension * (heads + 2 * kv_heads if packed else heads)
    kv_stride = q_stride if packed else dimension * kv_heads
    signature.update(q_stride="i32:16", kv_stride="i32:16", scale="fp32")
    constants = {
        "CAUSAL": bool(s["causal"]), "LOGSUM": logsum, "DIMENSION": dimension,
        "BM": rows, "BN": columns, "STAGES": stages,
    }  # fmt: skip
    parts = [kind, "causal" if s["causal"] else "full", "logsum" if logsum else "", "d%d" % dimension]
    tag = "-".join(part for part in (*parts, "%dx%d" % (rows, columns)) if part)
    kernel = Specialisation("attention", "prefill", tag, signature, constants, warps, stages)
    arguments = {
        **_sequences(op, packed),
        "out": output("out", kind, batch * queries * heads * dimension),
        "logsum": output("logsum", "f32", batch * heads * queries) if logsum else NOTHING,
        "heads": integer(heads), "kv_heads": integer(kv_heads), "queries": integer(queries), "keys": integer(keys),
        "q_stride": integer(q_stride), "kv_stride": integer(kv_stride),
        "scale": number(1 / math.sqrt(dimension)),
    }  # fmt: skip
    return [Step(kernel, (math.ceil(queries / rows) * heads * batch,), arguments)]


def _sequences(op: Operator, packed: bool) -> dict:
    """Queries, keys and values, in arrays of their own or side by side in each row."""
    s, kind = op.shape, op.types["type"]
    if packed:
        row = (s["heads"] + 2 * s["kv_heads"]) * s["head_dim"]
        whole = real("qkv", kind, s["batch"] * s["q"] * row, 1)
        heads = s["heads"] * s["head_dim"]
        kv_heads = s["kv_heads"] * s["head_dim"]
        return {"q": whole, "k": whole.behind(heads), "v": whole.behind(heads + kv_heads)}
    kept = s["batch"] * s["kv"] * s["kv_heads"] * s["head_dim"]
    q = real("q", kind, s["batch"] * s["q"] * s["heads"] * s["head_dim"], 1)
    return {"q": q, "k": real("k", kind, kept, 2), "v": real("v", kind, kept, 3)}


def decode_parts(op: Operator, target: str) -> tuple[int, int]:
    """How many parts the cache is divided in, so that they fill the chip, and the keys of each."""
    s = op.shape
    wanted = max(1, math.ceil(2 * CORES[target] / (s["batch"] * s["kv_heads"])))
    pieces = math.ceil(s["kv"] / KEYS)
    each = math.ceil(pieces / min(wanted, pieces, MOST_PARTS))
    return math.ceil(pieces / each), each * KEYS


def plan_decode(op: Operator, target: str) -> list[Step]:
    s, kind, kept = _checked(op), op.types["type"], op.types["cache"]
    batch, heads, kv_heads, dimension = (s[key] for key in ("batch", "heads", "kv_heads", "head_dim"))
    if s["q"] != 1 or heads // kv_heads > 16:
        raise OperatorError("attention_decode: one query for each sequence, at most 16 heads for a head of keys")
    parts, per_part = decode_parts(op, target)
    pages = math.ceil(s["kv"] / s["page"])
    signature = {"q": pointer(kind), "k_cache": pointer(kept), "v_cache": pointer(kept), "table": "*i32:16"}
    signature.update(lengths="*i32:16", sums="*fp32:16", logsum="*fp32:16", heads="i32", kv_heads="i32")
    signature.update(q_stride="i32:16", pages="i32", parts="i32", per_part="i32:16", scale="fp32")
    constants = {"PAGE": s["page"], "DIMENSION": dimension, "BM": 16, "BN": KEYS, "STAGES": 3}
    tag = "%s-%s-d%d-page%d" % (kind, kept, dimension, s["page"])
    # Numbers of eight bits are made larger in registers, of which a thread has enough.
    warps = 2 if kept == "f8e4m3" else 4
    first = Specialisation("attention", "decode_part", tag, signature, constants, warps, 3)
    row = heads * dimension if op.types["layout"] == "apart" else (heads + 2 * kv_heads) * dimension
    cells = batch * pages * s["page"] * kv_heads * dimension
    sums = scratch("sums", "f32", batch * heads * parts * dimension)
    logsum = scratch("logsum", "f32", batch * heads * parts)
    arguments = {
        "q": real("q", kind, batch * row, 1),
        "k_cache": real("k_cache", kept, cells, 2), "v_cache": real("v_cache", kept, cells, 3),
        "table": listed("table", [(7 * page + 3) % (batch * pages) for page in range(batch * pages)]
                        if (batch * pages) % 7 else list(range(batch * pages))),
        "lengths": listed("lengths", [s["kv"]] * batch),
        "sums": sums, "logsum": logsum, "heads": integer(heads), "kv_heads": integer(kv_heads),
        "q_stride": integer(row), "pages": integer(pages), "parts": integer(parts),
        "per_part": integer(per_part), "scale": number(1 / math.sqrt(dimension)),
    }  # fmt: skip
    return [Step(first, (parts, kv_heads, batch), arguments), _joined(op, sums, logsum, parts)]


def _joined(op: Operator, sums, logsum, parts: int) -> Step:
    kind, dimension = op.types["type"], op.shape["head_dim"]
    rows = op.shape["batch"] * op.shape["heads"]
    most = 16 if parts <= 16 else MOST_PARTS
    signature = {"sums": "*fp32:16", "logsum": "*fp32:16", "out": pointer(kind), "parts": "i32"}
    tag = "%s-d%d-%d" % (kind, dimension, most)
    kernel = Specialisation("attention", "decode_sum", tag, signature, {"DIMENSION": dimension, "BP": most})
    out = output("out", kind, rows * dimension)
    return Step(kernel, (rows,), {"sums": sums, "logsum": logsum, "out": out, "parts": integer(parts)})


def pairs(op: Operator) -> float:
    """Pairs of a query and a key that it sees."""
    s = op.shape
    all_pairs = s["q"] * s["kv"]
    unseen = s["q"] * (s["q"] - 1) / 2 if s.get("causal") else 0
    return float(s["batch"] * s["heads"] * (all_pairs - unseen))


def moved(op: Operator) -> float:
    s, kind = op.shape, op.types["type"]
    kept = op.types.get("cache", kind)
    queries = s["batch"] * s["q"] * s["heads"] * s["head_dim"]
    return size(2 * queries, kind) + size(2 * s["batch"] * s["kv"] * s["kv_heads"] * s["head_dim"], kept)


SHAPE = {"batch": 1, "heads": None, "kv_heads": None, "q": None, "kv": None, "head_dim": None, "causal": 1}
KINDS["attention_prefill"] = Kind(
    SHAPE,
    {"type": FLOATS, "logsum": ("dropped", "kept"), "layout": ("apart", "packed")},
    lambda op: 4 * pairs(op) * op.shape["head_dim"], moved, plan_prefill, {"causal": 0},
)  # fmt: skip
KINDS["attention_decode"] = Kind(
    {**SHAPE, "q": 1, "page": 16},
    {"type": FLOATS, "cache": ("f16", "bf16", "f8e4m3"), "layout": ("apart", "packed")},
    lambda op: 4 * pairs(op) * op.shape["head_dim"], moved, plan_decode, {"causal": 0},
)  # fmt: skip
