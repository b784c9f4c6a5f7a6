#!/usr/bin/env python3
"""Writes atomics.ptx, atomics.json and data: make-atomics.py OUTPUT-FOLDER
[THREADS].

Every operation and type of atom and red, scalar and on vectors, in global and
shared memory and through generic addresses, on edge values and random ones. Each
thread has a place of its own; the expected old and new values are computed here
with Python's integers and doubles.
"""
import itertools
import json
import math
import os
import random
import struct
import sys

# Enough for the edge values and as many random ones; a second argument of the
# program takes its place.
THREADS = 1024
BLOCK = 128

# Formats: struct's letter, bits; bf16 is the high half of an f32.
FLOATS = {"f16": ("e", 16), "bf16": ("f", 16), "f32": ("f", 32), "f64": ("d", 64)}


def bits_of_type(ty):
    return 32 if ty.endswith("x2") else int("".join(c for c in ty[1:] if c.isdigit()) or 0) \
        if not ty.startswith("bf") else 16


def decode(ty, bits):
    letter, width = FLOATS[ty]
    if ty == "bf16":
        bits <<= 16
    size = struct.calcsize("<" + letter)
    return struct.unpack("<" + letter, bits.to_bytes(size, "little"))[0]


def canonical_nan(ty):
    return {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF, "f64": 0xFFF8000000000000}[ty]


def encode(ty, value):
    """Rounds a double to nearest even."""
    if math.isnan(value):
        return canonical_nan(ty)
    if ty == "bf16":
        whole = int.from_bytes(struct.pack("<d", value), "little")
        sign, magnitude = whole >> 63, whole & (2**63 - 1)
        exponent = (magnitude >> 52) - 1023
        if magnitude == 0x7FF << 52 or exponent > 127:
            return sign << 15 | 0x7F80
        significand = magnitude & (2**52 - 1)
        if magnitude >> 52:
            significand |= 1 << 52
        # The value is significand * 2^(exponent - 52); eight bits remain.
        unit = max(exponent, -126) - 7
        shift = unit - (exponent - 52)
        if shift > 60:
            return sign << 15
        kept, rest = significand >> shift, significand & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        kept += rest > half or (rest == half and kept & 1)
        result = ((max(exponent, -126) + 126) << 7) + kept
        return sign << 15 | result
    try:
        return int.from_bytes(struct.pack("<" + FLOATS[ty][0], value), "little")
    except OverflowError:
        infinity = {"f16": 0x7C00, "f32": 0x7F800000}[ty]
        return infinity | ((1 << (FLOATS[ty][1] - 1)) if value < 0 else 0)


def is_nan(ty, bits):
    return math.isnan(decode(ty, bits))


def flush(bits):
    return bits & 0x80000000 if bits & 0x7F800000 == 0 else bits


def float_op(op, ty, a, b, ftz):
    if op == "add":
        if ftz:
            a, b = flush(a), flush(b)
        x, y = decode(ty, a), decode(ty, b)
        if math.isnan(x) or math.isnan(y) or (math.isinf(x) and x == -y):
            return canonical_nan(ty)
        result = encode(ty, x + y)
        return flush(result) if ftz else result
    if is_nan(ty, a) or is_nan(ty, b):
        return canonical_nan(ty) if is_nan(ty, a) and is_nan(ty, b) else b if is_nan(ty, a) else a
    sign = 1 << (FLOATS[ty][1] - 1)
    key = lambda v: -(v & (sign - 1)) - 1 if v & sign else v
    return min(a, b, key=key) if op == "min" else max(a, b, key=key)


def signed(v, bits):
    return v - (1 << bits) if v >> (bits - 1) else v


def compute(op, ty, a, b, c, ftz):
    if ty.endswith("x2"):
        one = ty[:-2]
        return compute(op, one, a & 0xFFFF, b & 0xFFFF, 0, False) | \
            compute(op, one, a >> 16, b >> 16, 0, False) << 16
    if op == "exch":
        return b
    if op == "cas":
        return c if a == b else a
    if ty in FLOATS:
        return float_op(op, ty, a, b, ftz)
    bits = bits_of_type(ty)
    mask = (1 << bits) - 1
    if op in ("min", "max"):
        value = (lambda v: signed(v, bits)) if ty[0] == "s" else (lambda v: v)
        return (min if op == "min" else max)(a, b, key=value)
    return {
        "add": lambda: (a + b) & mask,
        "inc": lambda: 0 if a >= b else a + 1,
        "dec": lambda: b if a == 0 or a > b else a - 1,
        "and": lambda: a & b,
        "or": lambda: a | b,
        "xor": lambda: a ^ b,
    }[op]()


def edges(ty):
    if ty.endswith("x2"):
        one = edges(ty[:-2])
        return [x | y << 16 for x in one for y in one[::3]]
    bits = bits_of_type(ty)
    if ty in FLOATS:
        fraction = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[ty]
        infinity = ((1 << (bits - 1 - fraction)) - 1) << fraction
        magnitudes = [0, 1, (1 << fraction) - 1, 1 << fraction, infinity >> 1, infinity - 1,
                      infinity, infinity + 1, infinity | 1 << (fraction - 1), (infinity >> 1) + 3]
        return magnitudes + [m | 1 << (bits - 1) for m in magnitudes]
    return [0, 1, 2, (1 << (bits - 1)) - 1, 1 << (bits - 1), (1 << bits) - 1, (1 << bits) - 2]


def operands(ty, rng, count):
    corner = edges(ty)
    bits = bits_of_type(ty)
    pairs = [(x, y) for x in corner for y in corner][:count // 2]
    while len(pairs) < count:
        a = rng.getrandbits(bits)
        # Values near each other make sums cancel and comparisons close.
        b = rng.choice([rng.getrandbits(bits), a, a ^ 1, a ^ 1 << (bits - 1)])
        pairs.append((a, b))
    return pairs


class Suite:
    def __init__(self, folder):
        self.folder = folder
        self.rng = random.Random(4)
        self.ptx = [".version 9.4\n.target sm_90\n.address_size 64\n"]
        self.launches, self.expect = [], []

    def save(self, name, values, bits):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(b"".join(v.to_bytes(bits // 8, "little") for v in values))
        return {"file": name}

    def add(self, mnemonic, op, ty, space="global", vector=1, red=False, policy=False):
        """One kernel and its launch."""
        number = len(self.launches)
        bits = bits_of_type(ty)
        count = THREADS * vector
        pairs = operands(ty, self.rng, count)
        a, b = [p[0] for p in pairs], [p[1] for p in pairs]
        c = [self.rng.getrandbits(bits) for _ in pairs]
        ftz = ty == "f32" and op == "add" and space != "shared" and ".noftz" not in mnemonic
        new = [compute(op, ty, *v, ftz) for v in zip(a, b, c)]
        self.kernel(number, mnemonic, op, ty, space, vector, red, policy)
        element = "b%d" % min(bits, 64)
        words = max(bits // 64, 1)
        args = []
        data = (("a", a), ("b", b), ("c", c), ("old", None))
        for name, values in data:
            arg = {"buffer": name + str(number), "type": element, "count": count * words,
                   "init": "zero"}
            if values is not None:
                arg["init"] = self.save("%s%d.bin" % (name, number), values, bits)
            args.append(arg)
        self.launches.append({"entry": "k%d" % number, "grid": [THREADS // BLOCK],
                              "block": [BLOCK], "args": args})
        self.expect.append({"buffer": "a%d" % number,
                            **self.save("new%d.bin" % number, new, bits)})
        if not red:
            self.expect.append({"buffer": "old%d" % number,
                                "file": "a%d.bin" % number})

    def kernel(self, number, mnemonic, op, ty, space, vector, red, policy):
        bits = bits_of_type(ty)
        size = bits // 8 * vector
        cls = {16: ".b16", 32: ".b32", 64: ".b64", 128: ".b128"}[bits]
        names = lambda base: ["%%%s%d" % (base, i) for i in range(vector)]
        group = lambda regs: regs[0] if vector == 1 else "{" + ", ".join(regs) + "}"
        lines = [".visible .entry k%d(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 old) {" % number,
                 "  .reg .u64 %p<6>; .reg .u32 %t<4>; .reg .u64 %policy; .reg " + cls +
                 " " + ", ".join(names("x") + names("b") + names("c") + names("d")) + ";",
                 "  .shared .align 16 .b8 s[%d];" % (BLOCK * size),
                 "  mov.u32 %t0, %ctaid.x; mov.u32 %t1, %tid.x; mad.lo.u32 %t0, %t0, %d, %t1;".replace("%d,", "%d," % BLOCK),
                 "  mov.b64 %policy, 0;"]
        for i, name in enumerate(("a", "b", "c", "old")):
            lines.append("  ld.param.u64 %%p%d, [%s]; mad.wide.u32 %%p%d, %%t0, %d, %%p%d;"
                         % (i, name, i, size, i))
        for base, pointer in (("b", 1), ("c", 2)):
            for i, reg in enumerate(names(base)):
                lines.append("  ld.global%s %s, [%%p%d+%d];" % (cls, reg, pointer, i * bits // 8))
        place = "[%p0]"
        if space == "shared":
            lines.append("  mov.u32 %%t2, s; mad.lo.u32 %%t2, %%t1, %d, %%t2;" % size)
            for i, reg in enumerate(names("x")):
                lines.append("  ld.global%s %s, [%%p0+%d]; st.shared%s [%%t2+%d], %s;"
                             % (cls, reg, i * bits // 8, cls, i * bits // 8, reg))
            place = "[%t2]"
        operands_text = [place, group(names("b"))]
        if op == "cas":
            operands_text.append(group(names("c")))
        if not red:
            operands_text.insert(0, group(names("d")))
        if policy:
            operands_text.append("%policy")
        lines.append("  %s %s;" % (mnemonic, ", ".join(operands_text)))
        if space == "shared":
            for i, reg in enumerate(names("x")):
                lines.append("  ld.shared%s %s, [%%t2+%d]; st.global%s [%%p0+%d], %s;"
                             % (cls, reg, i * bits // 8, cls, i * bits // 8, reg))
        if not red:
            for i, reg in enumerate(names("d")):
                lines.append("  st.global%s [%%p3+%d], %s;" % (cls, i * bits // 8, reg))
        self.ptx.append("\n".join(lines + ["  exit;", "}"]) + "\n")

    def finish(self):
        with open(os.path.join(self.folder, "atomics.ptx"), "w") as file:
            file.write("".join(self.ptx))
        with open(os.path.join(self.folder, "atomics.json"), "w") as file:
            json.dump({"module": "atomics.ptx", "launches": self.launches,
                       "expect": self.expect}, file)


SCALARS = {
    "add": ["u32", "s32", "u64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"],
    "inc": ["u32"], "dec": ["u32"],
    "min": ["u32", "s32", "u64", "s64"], "max": ["u32", "s32", "u64", "s64"],
    "and": ["b32", "b64"], "or": ["b32", "b64"], "xor": ["b32", "b64"],
    "exch": ["b32", "b64", "b128"], "cas": ["b16", "b32", "b64", "b128"],
}


def main():
    global THREADS
    if len(sys.argv) > 2:
        THREADS = int(sys.argv[2])
    suite = Suite(sys.argv[1])
    for op, types in SCALARS.items():
        for ty in types:
            # Numbers of 32 bits may be added either way.
            ways = [".noftz"] if ty.startswith(("f16", "bf16")) else [""]
            if ty == "f32":
                ways.append(".noftz")
            for space, noftz in itertools.product(("global", "shared", "generic"), ways):
                dot = "" if space == "generic" else "." + space
                suite.add("atom%s.%s%s.%s" % (dot, op, noftz, ty), op, ty, space)
                if op not in ("exch", "cas"):
                    suite.add("red%s.%s%s.%s" % (dot, op, noftz, ty), op, ty, space, red=True)
    for scope in ("cta", "cluster", "gpu", "sys"):
        for sem in ("relaxed", "acquire", "release", "acq_rel"):
            suite.add("atom.%s.%s.global.add.u32" % (sem, scope), "add", "u32")
            suite.add("atom.%s.%s.shared::cta.cas.b64" % (sem, scope), "cas", "b64", "shared")
            suite.add("atom.%s.%s.global.cas.b128" % (sem, scope), "cas", "b128")
        for sem in ("relaxed", "release"):
            suite.add("red.%s.%s.global.max.s64" % (sem, scope), "max", "s64", red=True)
    for ty, vectors in (("f32", (2, 4)), ("f16", (2, 4, 8)), ("bf16", (2, 4, 8)),
                        ("f16x2", (2, 4)), ("bf16x2", (2, 4))):
        for vector in vectors:
            for op in ("add",) if ty == "f32" else ("add", "min", "max"):
                noftz = "" if ty == "f32" else ".noftz"
                tail = "%s%s.v%d.%s" % (op, noftz, vector, ty)
                suite.add("atom.global." + tail, op, ty, vector=vector)
                suite.add("red.relaxed.gpu.global." + tail, op, ty, vector=vector, red=True)
    suite.add("atom.global.add.L2::cache_hint.u32", "add", "u32", policy=True)
    suite.add("red.global.max.L2::cache_hint.s32", "max", "s32", red=True, policy=True)
    suite.add("atom.global.exch.L2::cache_hint.b128", "exch", "b128", policy=True)
    suite.add("atom.global.add.L2::cache_hint.v2.f32", "add", "f32", vector=2, policy=True)
    suite.finish()


main()
