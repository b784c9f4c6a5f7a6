"""ld, ldu, st and mov in every type, with registers wider than the type, and
multimem on a group of one device, where memory is what the group holds.
Usage: memory-types.py FOLDER"""

import random
import struct
import sys

from ptxtest import MASK64, Module

RNG = random.Random(9)
INTEGERS = [k + str(n) for n in (8, 16, 32, 64) for k in "bus"]
FLOATS = ["f32", "f64"]
EDGES = [0, 1, 0x80, 0x7F, 0xFF, 0x8000, 0x7FFF, 0xFFFF, 1 << 31, (1 << 31) - 1,
         (1 << 32) - 1, 1 << 63, (1 << 63) - 1, MASK64, 0x0123456789ABCDEF,
         0xFEDCBA9876543210]


def width(ty):
    return int(ty[1:])


def extended(value, ty):
    """What a register of 64 bits holds after loading a type."""
    value &= (1 << width(ty)) - 1
    if ty[0] == "s" and value >> (width(ty) - 1):
        value |= MASK64 & ~((1 << width(ty)) - 1)
    return value


def register(ty, n=1):
    return "%%%s%d" % ({"f32": "f", "f64": "d"}.get(ty, "d"), n)


def words(rows):
    return [w for row in rows for w in row]


def add_loads(m, op):
    types = INTEGERS + FLOATS
    body = ""
    for i, ty in enumerate(types):
        body += "  %s.global.%s %s, [%%a];\n" % (op, ty, register(ty))
        body += "  st.global.%s [%%o+%d], %s;\n" % (
            ty if ty in FLOATS else "b64", 8 * i, register(ty))
    m.kernel(op, [("a", 8)], [("o", 8 * len(types))], body)
    expected = [[extended(v, ty) for ty in types] for v in EDGES]
    m.launch(op, [("b64", EDGES)], [("b64", words(expected))], len(EDGES))


def add_stores(m):
    types = INTEGERS + FLOATS
    body = "  ld.global.b64 %d1, [%a];\n  mov.b64 {%r1, %r2}, %d1;\n"
    body += "  mov.b32 %f1, %r1;\n"
    for i, ty in enumerate(types):
        body += "  st.global.%s [%%o+%d], %s;\n" % (ty, 8 * i, register(ty))
    m.kernel("stores", [("a", 8)], [("o", 8 * len(types))], body)
    expected = [[v & ((1 << width(ty)) - 1) for ty in types] for v in EDGES]
    m.launch("stores", [("b64", EDGES)], [("b64", words(expected))], len(EDGES))


def add_moves(m):
    types = [t for t in INTEGERS if width(t) > 8] + FLOATS
    body = "  .reg .b128 %q<3>;\n"
    for i, ty in enumerate(types):
        name = {16: "%h", 32: "%f" if ty == "f32" else "%r", 64: "%d"}[width(ty)]
        body += "  ld.global.b%d %s1, [%%a];\n" % (width(ty), name)
        body += "  mov.%s %s2, %s1;\n" % (ty, name, name)
        body += "  st.global.b%d [%%o+%d], %s2;\n" % (width(ty), 8 * i, name)
    end = 8 * len(types)
    body += """  ld.global.b64 %%d1, [%%a];
  not.b64 %%d2, %%d1;
  mov.b128 %%q1, {%%d1, %%d2};
  mov.b128 %%q2, %%q1;
  mov.b128 {%%d3, %%d4}, %%q2;
  st.global.b64 [%%o+%d], %%d3;
  st.global.b64 [%%o+%d], %%d4;
""" % (end, end + 8)
    m.kernel("moves", [("a", 8)], [("o", end + 16)], body)
    expected = [[v & ((1 << width(ty)) - 1) for ty in types] + [v, v ^ MASK64]
                for v in EDGES]
    m.launch("moves", [("b64", EDGES)], [("b64", words(expected))], len(EDGES))


def add_wide_uniform_load(m):
    m.kernel("wide_ldu", [("a", 16)], [("o", 16)], """  .reg .b128 %q<2>;
  ldu.global.b128 %q1, [%a];
  mov.b128 {%d1, %d2}, %q1;
  st.global.v2.b64 [%o], {%d2, %d1};
""")
    pairs = [[v, v ^ 0x5555] for v in EDGES]
    m.launch("wide_ldu", [("b64", words(pairs))],
             [("b64", words([high, low] for low, high in pairs))], len(EDGES))


def add_wide_volatile(m):
    """Local memory may be volatile, and .mmio is for 128 bits, too."""
    m.kernel("wide_volatile", [("a", 16)], [("o", 16)], """  .reg .b128 %q<4>;
  .local .align 16 .b8 %place[48];
  ld.mmio.relaxed.sys.global.b128 %q1, [%a];
  st.volatile.local.b128 [%place+16], %q1;
  ld.local.v2.b64 {%d1, %d2}, [%place+16];
  not.b64 %d1, %d1;
  st.local.v2.b64 [%place+32], {%d2, %d1};
  ld.volatile.local.b128 %q2, [%place+32];
  st.mmio.relaxed.sys.global.b128 [%o], %q2;
""")
    pairs = [[v, v ^ 0x5555] for v in EDGES]
    m.launch("wide_volatile", [("b64", words(pairs))],
             [("b64", words([high, low ^ MASK64] for low, high in pairs))], len(EDGES))


def half(x):
    return struct.unpack("<H", struct.pack("<e", x))[0]


def brain(x):
    return struct.unpack("<I", struct.pack("<f", x))[0] >> 16


def pair(low, high):
    return low | high << 16


def bits(ty, x):
    """Small numbers, which are exact in every type."""
    if ty in ("f16x2", "bf16x2"):
        f = half if ty == "f16x2" else brain
        return pair(f(x), f(x + 1))
    if ty == "f64":
        return struct.unpack("<Q", struct.pack("<d", x))[0]
    if ty == "f32":
        return struct.unpack("<I", struct.pack("<f", x))[0]
    return x & ((1 << width(ty)) - 1)


def size(ty):
    return {"f16x2": 32, "bf16x2": 32}.get(ty) or width(ty)


REDUCTIONS = [("add", t) for t in ("u32", "s32", "u64", "f32", "f64", "f16x2", "bf16x2")]
REDUCTIONS += [(op, t) for op in ("min", "max") for t in ("u32", "s32", "u64", "s64")]
REDUCTIONS += [(op, t) for op in ("and", "or", "xor") for t in ("b32", "b64")]


def reduced(op, ty, x, y):
    if op == "add" and ty in ("f16x2", "bf16x2"):
        f = half if ty == "f16x2" else brain
        return pair(f(x + y), f(x + 1 + y + 1))
    z = {"add": x + y, "min": min(x, y), "max": max(x, y), "and": x & y,
         "or": x | y, "xor": x ^ y}[op]
    return bits(ty, z)


def add_multimem(m):
    """%o has pairs of words: what ld_reduce gives, and what memory holds in the
    end. The operand is 5, what memory holds first is 3. Two halves more are
    added to as a vector."""
    body, expected, start = "", [], []
    for i, (op, ty) in enumerate(REDUCTIONS):
        at, reg = 8 * i, {32: "%r", 64: "%d"}[size(ty)]
        if ty in FLOATS:
            reg = {"f32": "%f", "f64": "%d"}[ty]
        b = size(ty)
        body += "  ld.global.b%d %s1, [%%as+%d];\n" % (b, reg, at)
        body += "  ld.global.b%d %s2, [%%bs+%d];\n" % (b, reg, at)
        body += "  multimem.st.relaxed.gpu.global.%s [%%os+%d], %s1;\n" % (
            ty, 16 * i + 8, reg)
        body += "  multimem.red.relaxed.gpu.global.%s.%s [%%os+%d], %s2;\n" % (
            op, ty, 16 * i + 8, reg)
        load = "add" if ty.startswith(("f", "bf")) else op
        body += "  multimem.ld_reduce.relaxed.gpu.global.%s.%s %s3, [%%os+%d];\n" % (
            load, ty, reg, 16 * i + 8)
        body += "  st.global.b%d [%%os+%d], %s3;\n" % (b, 16 * i, reg)
        result = reduced(op, ty, 3, 5)
        expected += [result, result]
        start.append((bits(ty, 3), bits(ty, 5)))
    for i, (ty, f) in enumerate((("f16", half), ("bf16", brain)), len(REDUCTIONS)):
        body += "  ld.global.v2.b16 {%%h1, %%h2}, [%%as+%d];\n" % (8 * i)
        body += "  ld.global.v2.b16 {%%h3, %%h4}, [%%bs+%d];\n" % (8 * i)
        body += "  st.global.v2.b16 [%%os+%d], {%%h1, %%h2};\n" % (16 * i)
        body += "  multimem.red.relaxed.gpu.global.add.v2.%s [%%os+%d], {%%h3, %%h4};\n" % (
            ty, 16 * i)
        expected += [pair(f(8), f(10)), 0]
        start.append((pair(f(3), f(4)), pair(f(5), f(6))))
    m.kernel("multimem", [("a", 8), ("b", 8)], [("o", 16)], body)
    m.launch("multimem", [("b64", [a for a, _ in start]), ("b64", [b for _, b in start])],
             [("b64", expected)], 1)


def add_multimem_vectors(m):
    """Vectors of narrow types are stored and loaded as they are."""
    forms = [("v2.f16", "h", 2, 16), ("v4.bf16", "h", 4, 16), ("v2.e4m3x2", "h", 2, 16),
             ("v4.e5m2x2", "h", 4, 16), ("e4m3x4", "r", 1, 32), ("v2.e5m2x4", "r", 2, 32),
             ("v4.e4m3", "c", 4, 8), ("v4.e5m2", "c", 4, 8)]
    body, values, expected = "  .reg .b8 %c<17>;\n", [], []
    for i, (ty, reg, count, b) in enumerate(forms):
        value = [RNG.randrange(0x38) for _ in range(count * b // 8)] + [0] * 16
        values += [int.from_bytes(bytes(value[k:k + 8]), "little") for k in (0, 8)]
        for n in range(count):
            body += "  ld.global.b%d %%%s%d, [%%as+%d];\n" % (b, reg, n, 16 * i + n * b // 8)
        vector = ", ".join("%%%s%d" % (reg, n) for n in range(count))
        loaded = ", ".join("%%%s%d" % (reg, n + 4) for n in range(count))
        if count > 1:
            vector, loaded = "{%s}" % vector, "{%s}" % loaded
        body += "  multimem.st.relaxed.sys.global.%s [%%os+%d], %s;\n" % (ty, 32 * i, vector)
        body += "  multimem.ld_reduce.relaxed.sys.global.add.%s %s, [%%os+%d];\n" % (
            ty, loaded, 32 * i)
        for n in range(count):
            body += "  st.global.b%d [%%os+%d], %%%s%d;\n" % (
                b, 32 * i + 16 + n * b // 8, reg, n + 4)
        expected += values[-2:] * 2
    m.kernel("vectors", [("a", 8)], [("o", 8)], body)
    m.launch("vectors", [("b64", values)], [("b64", expected)], 1)


def add_short_addresses(m):
    """Addresses of 32 bits: of the stack, and of shared memory."""
    m.kernel("short", [("a", 8)], [("o", 16)], """  .shared .b64 place;
  ld.global.b64 %d1, [%a];
  stacksave.u32 %r1;
  alloca.u32 %r2, 32, 16;
  st.local.b64 [%r2+8], %d1;
  ld.local.b64 %d2, [%r2+8];
  stackrestore.u32 %r1;
  mov.u32 %r3, place;
  getctarank.shared::cluster.u32 %r4, %r3;
  st.global.b64 [%o], %d2;
  st.global.b32 [%o+8], %r4;
""")
    m.launch("short", [("b64", EDGES)], [("b64", words([v, 0] for v in EDGES))],
             len(EDGES))


def main():
    m = Module(version="9.1")
    for op in ("ld", "ldu"):
        add_loads(m, op)
    add_stores(m)
    add_moves(m)
    add_wide_uniform_load(m)
    add_wide_volatile(m)
    add_multimem(m)
    add_multimem_vectors(m)
    add_short_addresses(m)
    m.write(sys.argv[1], "types")


main()
