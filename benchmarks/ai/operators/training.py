"""What training does beside the forward operators."""
import math

from .attention import FLOATS as ATTENTION_FLOATS
from .attention import pairs
from .launch import NOTHING, Buffer, Step, integer, number, output, real, scratch
from .library import Specialisation, multiple, pointer
from .kinds import KINDS, Kind, Operator, OperatorError, size
from .norms import EPSILON, block_of, warps_of
from .targets import CORES

FLOATS = ("bf16", "f16", "f32")
BLOCK = 1024


def sum_of_rows(x: Buffer, out: Buffer, rows: int, columns: int, parts: int) -> Step:
    """The sum of the rows of x, or of so many parts of them."""
    ragged = "" if columns % 16 == 0 else "-ragged"
    signature = {"x": pointer(x.type), "out": pointer(out.type), "rows": "i32"}
    signature.update(columns=multiple(columns), per_part="i32")
    tag = "%s-%s%s" % (x.type, out.type, ragged)
    kernel = Specialisation("training", "sum_of_rows", tag, signature, {"ROWS": 32, "BC": 64})
    given = {"x": x, "out": out, "rows": integer(rows), "columns": integer(columns)}
    return Step(kernel, (math.ceil(columns / 64), parts), {**given, "per_part": integer(math.ceil(rows / parts))})


def plan_bias_gradient(op: Operator, target: str) -> list[Step]:
    rows, columns, kind = op.shape["rows"], op.shape["columns"], op.types["type"]
    parts = max(1, min(64, math.ceil(2 * CORES[target] / math.ceil(columns / 64)), rows // 64))
    x, out = real("gradient", kind, rows * columns, 1), output("out", "f32", columns)
    if parts == 1:
        return [sum_of_rows(x, out, rows, columns, 1)]
    partial = scratch("parts", "f32", parts * columns)
    return [sum_of_rows(x, partial, rows, columns, parts), sum_of_rows(partial, out, parts, columns, 1)]


# A product's tile, its warps and stages, and what a part more costs in writing and adding its sums, in
# units of the whole product's time on all cores.
GRADIENT_TILE, GRADIENT_WARPS, GRADIENT_STAGES, PART_COST, MOST_PARTS = (128, 256, 64), 8, 3, 0.012, 16


def parts_of(op: Operator, target: str) -> int:
    """Into how many parts the rows are divided, so that all cores have a tile."""
    rows, columns, _ = GRADIENT_TILE
    tiles = math.ceil(op.shape["m"] / rows) * math.ceil(op.shape["n"] / columns)

    def cost(parts: int) -> float:
        return math.ceil(tiles * parts / CORES[target]) * CORES[target] / (tiles * parts) + PART_COST * parts

    return min((1 << shift for shift in range(MOST_PARTS.bit_length())), key=cost)


def plan_weight_gradient(op: Operator, target: str) -> list[Step]:
    """A product for each part of the rows, and their sum."""
    m, n, k, kind = (*(op.shape[key] for key in "mnk"), op.types["type"])
    parts, (rows, columns, inner) = parts_of(op, target), GRADIENT_TILE
    if k % (parts * inner):
        raise OperatorError("weight_gradient: k has to be a multiple of %d" % (parts * inner))
    signature = {"a": pointer(kind), "b": pointer(kind), "sums": "*fp32:16", "m": multiple(m), "n": multiple(n)}
    signature["per_part"] = "i32:16"
    constants = {"BM": rows, "BN": columns, "BK": inner, "STAGES": GRADIENT_STAGES}
    tag = "%s-%dx%dx%d%s" % (kind, rows, columns, inner, "" if m % 16 == n % 16 == 0 else "-ragged")
    kernel = Specialisation(
        "training", "weight_gradient", tag, signature, constants, GRADIENT_WARPS, GRADIENT_STAGES
    )
    sums, out = scratch("sums", "f32", parts * m * n), output("out", kind, m * n)
    given = {
        "a": real("a", kind, k * m, 1), "b": real("b", kind, k * n, 2), "sums": sums,
        "m": integer(m), "n": integer(n), "per_part": integer(k // parts),
    }  # fmt: skip
    grid = (math.ceil(m / rows) * math.ceil(n / columns), parts)
    return [Step(kernel, grid, given), sum_of_rows(sums, out, parts, m * n, 1)]


def plan_norm(op: Operator, target: str) -> list[Step]:
    rows, columns, kind = op.shape["rows"], op.shape["columns"], op.types["type"]
    block = block_of(columns)
    at_once = max(1, min(4, 4096 // block))
    per_part = math.ceil(rows / at_once / (2 * CORES[target])) * at_once
    parts = math.ceil(rows / per_part)
    signature = dict.fromkeys(("x", "gradient", "weight", "dx"), pointer(kind))
    signature.update(dweight="*fp32:16", dbias="*fp32:16", rows="i32", columns=multiple(columns))
    signature.update(per_part="i32", epsilon="fp32")
    tag = "%s-%dx%d%s" % (kind, at_once, block, "" if columns % 16 == 0 else "-ragged")
    kernel = Specialisation(
        "training", "layernorm_backward", tag, signature, {"ROWS": at_once, "BLOCK": block}, warps_of(at_once * block)
    )
    weights, biases = (scratch(name, "f32", parts * columns) for name in ("weight_parts", "bias_parts"))
    given = {
        "x": real("x", kind, rows * columns, 1), "gradient": real("gradient", kind, rows * columns, 2),
        "weight": real("weight", kind, columns, 3), "dx": output("dx", kind, rows * columns),
        "dweight": weights, "dbias": biases, "rows": integer(rows), "columns": integer(columns),
        "per_part": integer(per_part), "epsilon": number(EPSILON),
    }  # fmt: skip
    sums = [
        sum_of_rows(part, output(name, "f32", columns), parts, columns, 1)
        for part, name in ((weights, "dweight"), (biases, "dbias"))
    ]
    return [Step(kernel, (parts,), given), *sums]


def row_length(op: Operator) -> int:
    return op.shape["padded"] or op.shape["vocabulary"]


def plan_cross_entropy(op: Operator, target: str) -> list[Step]:
    rows, vocabulary, kind, length = op.shape["rows"], op.shape["vocabulary"], op.types["type"], row_length(op)
    if length < vocabulary:
        raise OperatorError("cross_entropy: padded is at least vocabulary")
    block = block_of(vocabulary, 4096)
    signature = {"logits": pointer(kind), "targets": "*i32:16", "losses": "*fp32:16", "gradient": pointer(kind)}
    signature.update(vocabulary="i32", row_length=multiple(length), scale="fp32")
    tag = "%s-%d%s" % (kind, block, "" if length % 16 == 0 else "-ragged")
    kernel = Specialisation("training", "cross_entropy", tag, signature, {"BLOCK": block}, max(4, warps_of(block)))
    spread = {"random": {"seed": 2, "low": 0, "high": vocabulary - 1}}
    given = {
        "logits": real("logits", kind, rows * length, 1, -4, 4),
        "targets": Buffer("targets", "i32", rows, "input", spread), "losses": output("losses", "f32", rows),
        "gradient": output("gradient", kind, rows * length), "vocabulary": integer(vocabulary),
        "row_length": integer(length), "scale": number(1 / rows),
    }  # fmt: skip
    return [Step(kernel, (rows,), given)]


# The constants of a step of AdamW: those of llm.c at its first step.
ADAMW = {"rate": 3e-4, "beta1": 0.9, "beta2": 0.95, "epsilon": 1e-8, "decay": 0.1}


def plan_adamw(op: Operator, target: str) -> list[Step]:
    elements, kind, slopes = op.shape["elements"], op.types["type"], op.types["gradient"]
    master = kind != "f32"
    signature = {"parameter": pointer(kind), "master": "*fp32:16", "gradient": pointer(slopes)}
    signature.update(first_moment="*fp32:16", second_moment="*fp32:16", elements=multiple(elements))
    names = ("rate", "beta1", "beta2", "correction1", "correction2", "epsilon", "decay")
    signature.update(dict.fromkeys(names, "fp32"))
    tag = "%s-%s%s" % (kind, slopes, "" if elements % 16 == 0 else "-ragged")
    kernel = Specialisation("training", "adamw", tag, signature, {"MASTER": master, "BLOCK": BLOCK})
    start = real("parameter", "f32", elements, 1)
    both = Buffer("parameter", kind, elements, "both", start.init)
    parameter = output("parameter", kind, elements) if master else both
    moments = [
        Buffer(name, "f32", elements, "both", real(name, "f32", elements, seed, low, 0.01).init)
        for name, seed, low in (("first_moment", 3, -0.01), ("second_moment", 4, 0.0))
    ]
    values = {**ADAMW, "correction1": 1 - ADAMW["beta1"], "correction2": 1 - ADAMW["beta2"]}
    given = {
        "parameter": parameter, "master": Buffer("master", "f32", elements, "both", start.init) if master else NOTHING,
        "gradient": real("gradient", slopes, elements, 2, -0.1, 0.1),
        "first_moment": moments[0], "second_moment": moments[1], "elements": integer(elements),
        **{name: number(values[name]) for name in names},
    }  # fmt: skip
    return [Step(kernel, (math.ceil(elements / BLOCK),), given)]


def plan_embedding(op: Operator, target: str) -> list[Step]:
    s, kind = op.shape, op.types["type"]
    columns, table = s["columns"], s["vocabulary"] * s["columns"]
    signature = {"tokens": "*i32:16", "gradient": pointer(kind), "dtable": "*fp32:16", "columns": multiple(columns)}
    tag = kind + ("" if columns % 16 == 0 else "-ragged")
    kernel = Specialisation("training", "embedding_backward", tag, signature, {"BLOCK": BLOCK})
    given = {
        "tokens": Buffer("tokens", "i32", s["tokens"], "input",
                         {"random": {"seed": 1, "low": 0, "high": s["vocabulary"] - 1}}),
        "gradient": real("gradient", kind, s["tokens"] * columns, 2),
        "dtable": Buffer("dtable", "f32", table, "both", "zero"), "columns": integer(columns),
    }  # fmt: skip
    return [Step(kernel, (math.ceil(columns / BLOCK), s["tokens"]), given)]


def plan_attention(op: Operator, target: str) -> list[Step]:
    """The products of outputs with their gradients, gradients of keys and values, and those of queries."""
    s, kind, packed = op.shape, op.types["type"], op.types["layout"] == "packed"
    batch, heads, length, dimension = (s[key] for key in ("batch", "heads", "q", "head_dim"))
    if s["kv_heads"] != heads or s["kv"] != length:
        raise OperatorError("attention_backward: as many heads and tokens of keys as of queries")
    rows = batch * length * heads * dimension
    out, gradient = real("out", kind, rows, 4), real("gradient", kind, rows, 5)
    delta = scratch("delta", "f32", batch * heads * length)
    logsum = real("logsum", "f32", batch * heads * length, 6, 4, 8)
    if packed:
        whole, change = real("qkv", kind, 3 * rows, 1), output("dqkv", kind, 3 * rows)
        inputs, changes = ([x.behind(i * heads * dimension) for i in range(3)] for x in (whole, change))
    else:
        inputs = [real(name, kind, rows, seed) for name, seed in (("q", 1), ("k", 2), ("v", 3))]
        changes = [output(name, kind, rows) for name in ("dq", "dk", "dv")]
    stride = heads * dimension * (3 if packed else 1)
    shared = {"gradient": gradient, "logsum": logsum, "delta": delta, "heads": integer(heads)}
    shared.update(length=integer(length), stride=integer(stride), scale=number(1 / math.sqrt(dimension)))
    shared.update(zip(("q", "k", "v"), inputs))
    return [
        _row_products(op, out, gradient, delta),
        _gradient(op, "attention_dkv", {**shared, "dk": changes[1], "dv": changes[2]}),
        _gradient(op, "attention_dq", {**shared, "dq": changes[0]}),
    ]


def _row_products(op: Operator, out: Buffer, gradient: Buffer, delta: Buffer) -> Step:
    s, kind = op.shape, op.types["type"]
    signature = {"out": pointer(kind), "gradient": pointer(kind), "delta": "*fp32:16", "heads": "i32", "queries": "i32"}
    tag = "%s-d%d" % (kind, s["head_dim"])
    kernel = Specialisation("training", "row_products", tag, signature, {"DIMENSION": s["head_dim"], "BM": 64})
    given = {"out": out, "gradient": gradient, "delta": delta, "heads": integer(s["heads"]), "queries": integer(s["q"])}
    return Step(kernel, (math.ceil(s["q"] / 64), s["heads"], s["batch"]), given)


def _gradient(op: Operator, function: str, given: dict) -> Step:
    s, kind = op.shape, op.types["type"]
    results = [name for name in ("dq", "dk", "dv") if name in given]
    signature = dict.fromkeys(("q", "k", "v", "gradient"), pointer(kind))
    signature.update(logsum="*fp32:16", delta="*fp32:16", **dict.fromkeys(results, pointer(kind)))
    signature.update(heads="i32", length="i32", stride="i32:16", scale="fp32")
    constants = {"CAUSAL": bool(s["causal"]), "DIMENSION": s["head_dim"], "BM": 64, "BN": 64}
    tag = "%s-%s-d%d" % (kind, "causal" if s["causal"] else "full", s["head_dim"])
    kernel = Specialisation("training", function, tag, signature, constants, 4, 2)
    return Step(kernel, (math.ceil(s["q"] / 64), s["heads"], s["batch"]), given)


def _cells(op: Operator) -> int:
    return op.shape["rows"] * op.shape["columns"]


ROWS = {"rows": None, "columns": None}
KINDS["weight_gradient"] = Kind(
    {"m": None, "n": None, "k": None},
    {"type": ("bf16", "f16")},
    lambda op: 2.0 * op.shape["m"] * op.shape["n"] * op.shape["k"],
    lambda op: size(op.shape["k"] * (op.shape["m"] + op.shape["n"]) + op.shape["m"] * op.shape["n"], op.types["type"]),
    plan_weight_gradient,
)
KINDS["layernorm_backward"] = Kind(
    ROWS, {"type": FLOATS}, lambda op: 14.0 * _cells(op), lambda op: size(3 * _cells(op), op.types["type"]), plan_norm
)
KINDS["bias_gradient"] = Kind(
    ROWS,
    {"type": FLOATS},
    lambda op: float(_cells(op)),
    lambda op: size(_cells(op), op.types["type"]),
    plan_bias_gradient,
)
KINDS["cross_entropy"] = Kind(
    {"rows": None, "vocabulary": None, "padded": 0},
    {"type": FLOATS},
    lambda op: 8.0 * op.shape["rows"] * op.shape["vocabulary"],
    lambda op: size(2 * op.shape["rows"] * row_length(op), op.types["type"]),
    plan_cross_entropy,
    {"padded": 0},
)
KINDS["adamw"] = Kind(
    {"elements": None},
    {"type": FLOATS, "gradient": FLOATS},
    lambda op: 15.0 * op.shape["elements"],
    lambda op: op.shape["elements"]
    * (16 + size(1, op.types["gradient"]) + (8 if op.types["type"] == "f32" else 8 + size(1, op.types["type"]))),
    plan_adamw,
)
KINDS["embedding_backward"] = Kind(
    {"tokens": None, "columns": None, "vocabulary": None},
    {"type": FLOATS},
    lambda op: float(op.shape["tokens"] * op.shape["columns"]),
    lambda op: op.shape["tokens"] * op.shape["columns"] * (8 + size(1, op.types["type"])),
    plan_embedding,
)
KINDS["attention_backward"] = Kind(
    {"batch": 1, "heads": None, "kv_heads": None, "q": None, "kv": None, "head_dim": None, "causal": 1},
    {"type": ATTENTION_FLOATS, "layout": ("apart", "packed")},
    lambda op: 10 * pairs(op) * op.shape["head_dim"],
    lambda op: size(8 * op.shape["batch"] * op.shape["q"] * op.shape["heads"] * op.shape["head_dim"], op.types["type"]),
    plan_attention,
    {"causal": 0},
)
