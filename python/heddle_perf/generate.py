"""Kernels of any shape for suites: products of matrices, attention, normalisation.

Each is PTX written here, with a manifest whose expectations come from sums in double
precision. The kernels are plain ones: they are for finding out what a shape does to the
compiler and to the model, not for being fast.
"""
import array
import json
import math
import os
import random
from typing import Callable, Sequence

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
WARP = 32
TILE = 16
MOST_DIMENSION = 256  # of a head of attention, in registers of a warp


class ShapeError(Exception):
    """A shape that there is no kernel for."""


def _entry(name: str, parameters: str, declarations: str, body: str) -> str:
    params = ", ".join(".param .%s p%d" % (p, i) for i, p in enumerate(parameters.split()))
    loads = "".join(
        "  ld.param.%s %%%s%d, [p%d];\n" % (p, "rd" if p == "u64" else "n", i, i)
        for i, p in enumerate(parameters.split())
    )
    registers = (
        "  .reg .pred %p<16>; .reg .b32 %r<64>; .reg .b32 %n<8>; .reg .b64 %rd<32>;\n"
        "  .reg .f32 %f<64>;\n"
    )
    return "%s.visible .entry %s(%s) {\n%s%s%s%s  ret;\n}\n" % (
        HEAD,
        name,
        params,
        registers,
        declarations,
        loads,
        body,
    )


def _word(address: str, base: str, index: str) -> str:
    """The address of a word of an array."""
    return "  mul.wide.u32 %%rd31, %s, 4;\n  add.u64 %s, %s, %%rd31;\n" % (index, address, base)


def _sum_of_warp(value: str, operation: str = "add.f32") -> str:
    return "".join(
        "  mov.b32 %%r60, %s;\n  shfl.sync.bfly.b32 %%r61, %%r60, %d, 31, -1;\n"
        "  mov.b32 %%f60, %%r61;\n  %s %s, %s, %%f60;\n" % (value, step, operation, value, value)
        for step in (16, 8, 4, 2, 1)
    )


# ===- Kernels --------------------------------------------------------------------===


def gemm(m: int, n: int, k: int) -> str:
    """C = A B in tiles of 16 by 16; what lies outside counts as zero."""

    def guarded(to: str, row: str, rows: str, column: str, columns: str, base: str) -> str:
        return (
            "  setp.lt.u32 %%p1, %s, %s;\n  setp.lt.and.u32 %%p2, %s, %s, %%p1;\n"
            "  mad.lo.u32 %%r20, %s, %s, %s;\n%s  mov.f32 %%f1, 0f00000000;\n"
            "  @%%p2 ld.global.f32 %%f1, [%%rd10];\n  st.shared.f32 [%s], %%f1;\n"
        ) % (row, rows, column, columns, row, columns, column, _word("%rd10", base, "%r20"), to)

    body = (
        "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %tid.y;\n  mov.u32 %r3, %ctaid.x;\n"
        "  mov.u32 %r4, %ctaid.y;\n"
        "  mad.lo.u32 %r5, %r3, 16, %r1;\n  mad.lo.u32 %r6, %r4, 16, %r2;\n"
        "  mov.u32 %r7, tile_a;\n  mov.u32 %r8, tile_b;\n"
        "  mad.lo.u32 %r9, %r2, 16, %r1;\n  shl.b32 %r9, %r9, 2;\n"
        "  add.u32 %r10, %r7, %r9;\n  add.u32 %r11, %r8, %r9;\n"
        "  shl.b32 %r12, %r2, 6;\n  add.u32 %r12, %r7, %r12;\n"
        "  shl.b32 %r13, %r1, 2;\n  add.u32 %r13, %r8, %r13;\n"
        "  mov.f32 %f0, 0f00000000;\n  mov.u32 %r14, 0;\nLOOP:\n"
        "  add.u32 %r15, %r14, %r1;\n  add.u32 %r16, %r14, %r2;\n"
        + guarded("%r10", "%r6", "%n3", "%r15", "%n5", "%rd0")
        + guarded("%r11", "%r16", "%n5", "%r5", "%n4", "%rd1")
        + "  bar.sync 0;\n"
        + "".join(
            "  ld.shared.f32 %%f2, [%%r12+%d];\n  ld.shared.f32 %%f3, [%%r13+%d];\n"
            "  fma.rn.f32 %%f0, %%f2, %%f3, %%f0;\n" % (4 * i, 4 * TILE * i)
            for i in range(TILE)
        )
        + "  bar.sync 0;\n  add.u32 %r14, %r14, 16;\n  setp.lt.u32 %p3, %r14, %n5;\n  @%p3 bra LOOP;\n"
        "  setp.lt.u32 %p4, %r6, %n3;\n  setp.lt.and.u32 %p5, %r5, %n4, %p4;\n"
        "  mad.lo.u32 %r20, %r6, %n4, %r5;\n"
        + _word("%rd10", "%rd2", "%r20")
        + "  @%p5 st.global.f32 [%rd10], %f0;\n"
    )
    tiles = "  .shared .align 16 .b8 tile_a[1024];\n  .shared .align 16 .b8 tile_b[1024];\n"
    return _entry("gemm", "u64 u64 u64 u32 u32 u32", tiles, body)


def norm(rows: int, columns: int) -> str:
    """Each row less its mean, over its deviation; a warp for each row."""
    loop = (
        "  mov.u32 %%r5, %%r1;\n%s:\n  mad.lo.u32 %%r6, %%r2, %%n2, %%r5;\n"
        + _word("%rd10", "%rd0", "%r6").replace("%", "%%")
        + "  ld.global.f32 %%f1, [%%rd10];\n%s"
        "  add.u32 %%r5, %%r5, 32;\n  setp.lt.u32 %%p1, %%r5, %%n2;\n  @%%p1 bra %s;\n"
    )
    body = (
        "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n  cvt.rn.f32.u32 %f10, %n2;\n"
        "  rcp.rn.f32 %f10, %f10;\n  mov.f32 %f0, 0f00000000;\n  mov.f32 %f2, 0f00000000;\n"
        + loop % ("SUM", "  add.f32 %f0, %f0, %f1;\n", "SUM")
        + _sum_of_warp("%f0")
        + "  mul.f32 %f0, %f0, %f10;\n"
        + loop % ("SQUARES", "  sub.f32 %f3, %f1, %f0;\n  fma.rn.f32 %f2, %f3, %f3, %f2;\n", "SQUARES")
        + _sum_of_warp("%f2")
        + "  fma.rn.f32 %f2, %f2, %f10, 0f3727C5AC;\n  sqrt.rn.f32 %f2, %f2;\n  rcp.rn.f32 %f2, %f2;\n"
        + loop
        % (
            "WRITE",
            "  sub.f32 %f3, %f1, %f0;\n  mul.f32 %f3, %f3, %f2;\n"
            + _word("%rd11", "%rd1", "%r6")
            + "  st.global.f32 [%rd11], %f3;\n",
            "WRITE",
        )
    )
    return _entry("norm", "u64 u64 u32", "", body)


def attention(length: int, dimension: int) -> str:
    """A warp for each query, over all keys, with the running maximum and sum of softmax."""
    words = dimension // WARP

    def addresses(base: str, row: str) -> str:
        return "  mad.lo.u32 %%r6, %s, %d, %%r1;\n" % (row, dimension) + _word("%rd10", base, "%r6")

    def load(first: int) -> str:
        return "".join(
            "  ld.global.f32 %%f%d, [%%rd10+%d];\n" % (first + i, 4 * WARP * i) for i in range(words)
        )

    scale = array.array("f", [1 / math.sqrt(dimension)]).tobytes()[::-1].hex().upper()
    body = (
        "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n"
        + addresses("%rd0", "%r2")
        + load(0)
        + "".join("  mov.f32 %%f%d, 0f00000000;\n" % (16 + i) for i in range(words))
        + "  mov.f32 %f40, 0fFF800000;\n  mov.f32 %f41, 0f00000000;\n  mov.u32 %r3, 0;\nLOOP:\n"
        + addresses("%rd1", "%r3")
        + load(8)
        + "  mov.f32 %f42, 0f00000000;\n"
        + "".join("  fma.rn.f32 %%f42, %%f%d, %%f%d, %%f42;\n" % (i, 8 + i) for i in range(words))
        + _sum_of_warp("%f42")
        + "  mul.f32 %%f42, %%f42, 0f%s;\n  max.f32 %%f43, %%f40, %%f42;\n" % scale
        + "  sub.f32 %f44, %f40, %f43;\n  mul.f32 %f44, %f44, 0f3FB8AA3B;\n  ex2.approx.f32 %f44, %f44;\n"
        "  sub.f32 %f45, %f42, %f43;\n  mul.f32 %f45, %f45, 0f3FB8AA3B;\n  ex2.approx.f32 %f45, %f45;\n"
        "  fma.rn.f32 %f41, %f41, %f44, %f45;\n  mov.f32 %f40, %f43;\n"
        + addresses("%rd2", "%r3")
        + load(8)
        + "".join(
            "  mul.f32 %%f%d, %%f%d, %%f44;\n  fma.rn.f32 %%f%d, %%f%d, %%f45, %%f%d;\n"
            % (16 + i, 16 + i, 16 + i, 8 + i, 16 + i)
            for i in range(words)
        )
        + "  add.u32 %r3, %r3, 1;\n  setp.lt.u32 %p1, %r3, %n4;\n  @%p1 bra LOOP;\n"
        "  rcp.rn.f32 %f41, %f41;\n"
        + addresses("%rd3", "%r2")
        + "".join(
            "  mul.f32 %%f%d, %%f%d, %%f41;\n  st.global.f32 [%%rd10+%d], %%f%d;\n"
            % (16 + i, 16 + i, 4 * WARP * i, 16 + i)
            for i in range(words)
        )
    )
    return _entry("attention", "u64 u64 u64 u64 u32", "", body)


# ===- Manifests --------------------------------------------------------------------===

Values = list[float]


def _values(count: int, seed: int) -> Values:
    """Of single precision, from -1 to 1."""
    draw = random.Random(seed)
    return array.array("f", [draw.uniform(-1, 1) for _ in range(count)]).tolist()


def _product(m: int, n: int, k: int, a: Values, b: Values) -> Values:
    columns = [b[j::n] for j in range(n)]
    rows = [a[i * k : (i + 1) * k] for i in range(m)]
    return [math.fsum(map(float.__mul__, row, column)) for row in rows for column in columns]


def _normal(rows: int, columns: int, x: Values) -> Values:
    out: Values = []
    for row in (x[i * columns : (i + 1) * columns] for i in range(rows)):
        mean = math.fsum(row) / columns
        deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in row) / columns + 1e-5)
        out += [(v - mean) / deviation for v in row]
    return out


def _attended(length: int, dimension: int, q: Values, k: Values, v: Values) -> Values:
    rows = [[x[i * dimension : (i + 1) * dimension] for i in range(length)] for x in (q, k, v)]
    out: Values = []
    for query in rows[0]:
        scores = [math.fsum(map(float.__mul__, query, key)) / math.sqrt(dimension) for key in rows[1]]
        weights = [math.exp(s - max(scores)) for s in scores]
        total = math.fsum(weights)
        out += [math.fsum(w * value[d] for w, value in zip(weights, rows[2])) / total for d in range(dimension)]
    return out


def _write(
    folder: str,
    name: str,
    ptx: str,
    launch: dict,
    inputs: Sequence[Values],
    output: Values,
    numbers: Sequence[int],
) -> None:
    def put(suffix: str, values: Values) -> str:
        with open(os.path.join(folder, name + suffix), "wb") as file:
            array.array("f", values).tofile(file)
        return name + suffix

    arguments: list[dict] = [
        {"buffer": "in%d" % i, "type": "f32", "count": len(x), "init": {"file": put(".in%d" % i, x)}}
        for i, x in enumerate(inputs)
    ]
    arguments.append({"buffer": "out", "type": "f32", "count": len(output)})
    arguments += [{"type": "u32", "value": n} for n in numbers]
    manifest = {
        "module": name + ".ptx",
        "launches": [{**launch, "args": arguments}],
        "expect": [{"buffer": "out", "file": put(".out", output), "atol": 1e-4, "rtol": 1e-4}],
    }
    with open(os.path.join(folder, name + ".ptx"), "w", encoding="utf-8") as file:
        file.write(ptx)
    with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)


def _make_gemm(folder: str, name: str, m: int, n: int, k: int) -> None:
    a, b = _values(m * k, 1), _values(k * n, 2)
    grid = [-(-n // TILE), -(-m // TILE), 1]
    launch = {"entry": "gemm", "grid": grid, "block": [TILE, TILE, 1]}
    _write(folder, name, gemm(m, n, k), launch, (a, b), _product(m, n, k, a, b), (m, n, k))


def _make_norm(folder: str, name: str, rows: int, columns: int) -> None:
    if columns < WARP:
        raise ShapeError("a row that is normalised has %d columns at least" % WARP)
    x = _values(rows * columns, 3)
    launch = {"entry": "norm", "grid": [rows, 1, 1], "block": [WARP, 1, 1]}
    _write(folder, name, norm(rows, columns), launch, (x,), _normal(rows, columns, x), (columns,))


def _make_attention(folder: str, name: str, length: int, dimension: int) -> None:
    if dimension % WARP or dimension > MOST_DIMENSION:
        raise ShapeError("a head's dimension is a multiple of %d up to %d" % (WARP, MOST_DIMENSION))
    q, k, v = (_values(length * dimension, seed) for seed in (4, 5, 6))
    launch = {"entry": "attention", "grid": [length, 1, 1], "block": [WARP, 1, 1]}
    out = _attended(length, dimension, q, k, v)
    _write(folder, name, attention(length, dimension), launch, (q, k, v), out, (length,))


# By kind: how many extents a shape has, the shapes by default, and what makes a kernel.
KINDS: dict[str, tuple[int, str, Callable[..., None]]] = {
    "gemm": (3, "16x16x16,32x32x64,64x48x33,1x128x64", _make_gemm),
    "attention": (2, "16x32,32x64,33x128", _make_attention),
    "norm": (2, "4x64,16x257,3x1024", _make_norm),
}


def shapes_of(kind: str, text: str) -> list[tuple[int, ...]]:
    count = KINDS[kind][0]
    shapes = []
    for each in filter(None, text.split(",")):
        extents = each.split("x")
        if len(extents) != count or not all(e.isdecimal() and int(e) > 0 for e in extents):
            raise ShapeError("'%s' is no shape of %s: %s" % (each, kind, "x".join(["N"] * count)))
        shapes.append(tuple(map(int, extents)))
    return shapes


def generate(folder: str, shapes: dict[str, list[tuple[int, ...]]]) -> list[str]:
    """Writes kernels, manifests and a suite of all of them into a folder; their names."""
    os.makedirs(folder, exist_ok=True)
    names = []
    for kind, each in shapes.items():
        for shape in each:
            name = "-".join([kind, "x".join(map(str, shape))])
            KINDS[kind][2](folder, name, *shape)
            names.append(name)
    with open(os.path.join(folder, "suite.toml"), "w", encoding="utf-8") as file:
        file.write('name = "shapes"\n')
        file.writelines('\n[[case]]\nmanifest = "%s.json"\n' % name for name in names)
    return names
