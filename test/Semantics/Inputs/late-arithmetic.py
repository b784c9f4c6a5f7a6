"""Arithmetic that PTX 9.4 added, on random values, as exact fractions that are
rounded once. The compiler, the emulator and the interpreter each run it.
Usage: late-arithmetic.py FOLDER"""

import random
import struct
import sys
from fractions import Fraction

from ptxtest import Module

random.seed(47)
THREADS = 64
NAN, INF = "nan", "inf"


class Format:
    """A float of at most 64 bits. special: "ieee", "nan" (all ones) or "none"."""

    def __init__(self, exp, frac, special, nan, signed=True):
        self.exp, self.frac, self.special, self.nan = exp, frac, special, nan
        self.bits = exp + frac + signed
        self.bias = (1 << exp - 1) - 1
        self.top = (1 << exp + frac) - 1
        self.inf = self.top >> frac << frac
        self.largest = {"ieee": self.inf - 1, "nan": self.top - 1, "none": self.top}[special]
        self.signed = signed

    def decode(self, code):
        """(sign, a fraction or NAN or INF)"""
        code &= (1 << self.bits) - 1
        sign = self.signed and code >> self.bits - 1 & 1
        magnitude = code & self.top
        if magnitude > self.largest:
            return sign, INF if self.special == "ieee" and magnitude == self.inf else NAN
        return sign, self.number(magnitude)

    def number(self, magnitude):
        """Of a code without a sign, the one behind the largest included."""
        exponent, fraction = magnitude >> self.frac, magnitude & (1 << self.frac) - 1
        if exponent:
            fraction += 1 << self.frac
        return Fraction(fraction) * Fraction(2) ** (max(exponent, 1) - self.bias - self.frac)

    def encode(self, sign, value, rounding, finite=False):
        """What is too large is as the manual says: MAX_NORM, infinity, or NaN."""
        top = sign << self.bits - 1 if self.signed else 0
        most = self.largest if finite or self.special == "none" else None
        if value == NAN:
            return self.nan
        if value == INF:
            return top | (self.inf if most is None else most) if most is not None or self.special == "ieee" else self.nan
        low, high = 0, self.largest + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.number(middle) <= value else (low, middle)
        # The number after the largest one is where its successor would be.
        below, above = self.number(low), self.number(low) + self.unit(low)
        up = value > below and (
            rounding == "up" or (rounding == "rp" and not sign) or (rounding == "rm" and sign) or
            (rounding == "rn" and (value - below > above - value or (value - below == above - value and low & 1))))
        code = low + up
        if code > self.largest or value >= above:
            away = up or rounding in ("rn", "up") or (rounding == "rp" and not sign) or (rounding == "rm" and sign)
            if most is not None or not away:
                return top | self.largest
            return top | self.inf if self.special == "ieee" else self.nan
        return top | code

    def unit(self, magnitude):
        return Fraction(2) ** (max(magnitude >> self.frac, 1) - self.bias - self.frac)


F32 = Format(8, 23, "ieee", 0x7FFFFFFF)
F16, BF16 = Format(5, 10, "ieee", 0x7FFF), Format(8, 7, "ieee", 0x7FFF)
NARROW = {"e4m3": Format(4, 3, "nan", 0x7F), "e5m2": Format(5, 2, "ieee", 0x7F), "e3m2": Format(3, 2, "none", 0x1F),
          "e2m3": Format(2, 3, "none", 0x1F), "e2m1": Format(2, 1, "none", 0x7)}
UE5M3 = Format(5, 3, "nan", 0xFF, signed=False)
PAIRS = {"f32x2": F32, "f16x2": F16, "bf16x2": BF16}


def scale(code):
    return (0, NAN) if code == 255 else (0, Fraction(2) ** (code - 127))


def product(a, b):
    sign = a[0] ^ b[0]
    if NAN in (a[1], b[1]) or (INF in (a[1], b[1]) and 0 in (a[1], b[1])):
        return 0, NAN
    return sign, INF if INF in (a[1], b[1]) else a[1] * b[1]


def total(a, b, rounding="rn"):
    if NAN in (a[1], b[1]) or (a[1] == b[1] == INF and a[0] != b[0]):
        return 0, NAN
    if INF in (a[1], b[1]):
        return a if a[1] == INF else b
    value = (-a[1] if a[0] else a[1]) + (-b[1] if b[0] else b[1])
    if value == 0:
        same = a[0] == b[0]
        return (a[0] if same else int(rounding == "rm")), Fraction(0)
    return int(value < 0), abs(value)


def negated(a):
    return a[0] ^ 1, a[1]


def quad_element(name, word, lane):
    if name == "ue8m0":
        return scale(word >> 8 * lane & 255)
    field = 4 if name == "e2m1" else 8
    return NARROW[name.replace("p4", "")].decode(word >> field * lane)


class Kernel:
    """Instructions of which each takes words of this thread and stores one."""

    def __init__(self, target):
        self.m, self.body, self.inputs, self.outputs = Module(target, "9.4"), "", [[] for _ in range(THREADS)], []
        self.results = [[] for _ in range(THREADS)]

    def add(self, text, widths, result, compute):
        """%0, %1, ... and %d in the text are registers of these widths."""
        prefix = {8: "c", 16: "x", 32: "i", 64: "l"}
        lines = "  {\n    .reg .b8 %c<4>;\n    .reg .b16 %x<4>;\n    .reg .b32 %i<4>;\n    .reg .b64 %l<4>;\n"
        at = len(self.inputs[0])
        for n, width in enumerate(widths):
            kind = prefix[width]
            lines += "    ld.global.b%d %%%s%d, [%%in+%d];\n" % (width, kind, n, 8 * (at + n))
            text = text.replace("%%%d" % n, "%%%s%d" % (kind, n))
        lines += "    %s;\n    st.global.b%d [%%out+%d], %%%s3;\n  }\n" % (
            text.replace("%d", "%" + prefix[result] + "3"), result, 8 * len(self.results[0]), prefix[result])
        self.body += lines
        for thread in range(THREADS):
            words = [random_word(w) for w in widths]
            self.inputs[thread] += words
            self.results[thread].append(compute(*words) & (1 << result) - 1)

    def write(self, folder, name):
        inputs, results = len(self.inputs[0]), len(self.results[0])
        self.m.kernel(name, [("in", 8 * inputs)], [("out", 8 * results)], self.body)
        self.m.launch(name, [("u64", sum(self.inputs, []))], [("u64", sum(self.results, []))], THREADS)
        self.m.write(folder, name)


def random_word(width):
    """Any bits, or a few special bytes, or numbers of single precision."""
    if width == 64:
        return random_word(32) | random_word(32) << 32
    kind = random.random()
    if kind < 0.4:
        return random.getrandbits(width)
    if kind < 0.7 and width == 32:
        return struct.unpack("<I", struct.pack("<f", random.choice([1, -1]) * random.uniform(0.5, 2) * 2.0 ** random.randint(-20, 18)))[0]
    special = [0, 0x80, 0x38, 0x3C, 0xB8, 0x7C, 0x7F, 0xFF, 0xFE, 0x01, 0x7E, 0x47]
    return int.from_bytes(bytes(random.choice(special) for _ in range(width // 8)), "little")


def add_quads(k):
    names = ["e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "e2m1p4", "ue8m0"]
    width = lambda name: 16 if name == "e2m1" else 32

    def add(op, to, types, finite):
        def compute(*words):
            result = 0
            for lane in range(4):
                values = [quad_element(n, w, lane) for n, w in zip(types, words)]
                if op != "mul":
                    values.append(quad_element(to, words[-1], lane))
                if op in ("mul", "fma"):
                    values[:2] = [product(values[0], values[1])]
                if op == "sub":
                    values[1] = negated(values[1])
                value = values[0] if op == "mul" else total(*values)
                result |= NARROW[to].encode(*value, "rn", finite) << 8 * lane
            return result
        sources = list(types) + ([] if op == "mul" else [to])
        k.add("%s%s.%sx4.%s %%d, %s" % (op, ".satfinite" if finite else ".rn", to, ".".join(n + "x4" for n in types),
                                        ", ".join("%%%d" % n for n in range(len(sources)))),
              [width(n) for n in sources], 32, compute)
    for to in ("e4m3", "e5m2"):
        for finite in (False, True):
            for a in names:
                add("add", to, [a], finite)
                add("sub", to, [a], finite)
                b = random.choice(names)
                add("mul", to, [a, b], finite)
                add("fma", to, [b, a], finite)


def add_pairs(k):
    def add(op, rounding, ftz, to, types):
        result = PAIRS[to]

        def compute(*words):
            out = 0
            for lane in range(2):
                values = []
                for name, word in zip(types, words):
                    f = PAIRS[name]
                    v = f.decode(word >> lane * f.bits)
                    if ftz and v[1] not in (NAN, INF) and v[1] < Fraction(2) ** (1 - f.bias):
                        v = (v[0], Fraction(0))
                    values.append(v)
                if op == "sub":
                    values[1] = negated(values[1])
                value = product(*values[:2]) if op in ("mul", "fma") else total(*values, rounding)
                if op == "fma":
                    value = total(value, values[2], rounding)
                code = result.encode(*value, rounding)
                if ftz and 0 < code & result.top < 1 << result.frac:
                    code &= 1 << result.bits - 1
                out |= code << lane * result.bits
            return out
        written = "" if rounding == "rn" and op == "mul" else "." + rounding
        k.add("%s%s%s.%s.%s %%d, %s" % (op, written, ".ftz" if ftz else "", to, ".".join(types),
                                        ", ".join("%%%d" % n for n in range(len(types)))),
              [2 * PAIRS[n].bits for n in types], 2 * result.bits, compute)
    for narrow in ("f16x2", "bf16x2"):
        for rounding in ("rn", "rz", "rm", "rp"):
            add("add", rounding, False, "f32x2", [narrow, "f32x2"])
            add("sub", rounding, False, "f32x2", [narrow, "f32x2"])
            add("fma", rounding, False, "f32x2", [narrow, "f32x2", "f32x2"])
        for op in ("add", "sub", "mul"):
            add(op, "rz", narrow == "f16x2", narrow, ["f32x2", "f32x2"])
        add("mul", "rn", False, narrow, [narrow, "bf16x2" if narrow == "f16x2" else "f16x2"])


def add_comparisons(k):
    for ty in ("u8x4", "s8x4", "u16x2", "s16x2"):
        bits = int(ty[1:].split("x")[0])
        for name, holds in (("eq", lambda a, b: a == b), ("ne", lambda a, b: a != b), ("lt", lambda a, b: a < b),
                            ("le", lambda a, b: a <= b), ("gt", lambda a, b: a > b), ("ge", lambda a, b: a >= b)):
            def compute(a, b, holds=holds):
                result, ones = 0, (1 << bits) - 1
                for at in range(0, 32, bits):
                    x, y = a >> at & ones, b >> at & ones
                    if ty[0] == "s":
                        x, y = x ^ 1 << bits - 1, y ^ 1 << bits - 1
                    result |= ones << at if holds(x, y) else 0
                return result
            k.add("set.%s.%s %%d, %%0, %%1" % (name, ty), [32, 32], 32, compute)


def add_conversions(k):
    def sources(ty, words):
        """The upper and the lower element, and the scale."""
        if ty == "f32":
            return F32, words[0], words[1], words[2:]
        return PAIRS[ty], words[0] >> 16, words[0], words[1:]

    def add(to, ty, rounding, finite, positive, scaled):
        f = NARROW.get(to, UE5M3)
        field = 4 if to == "e2m1" else 8

        def element(source, code, scales):
            sign, value = source.decode(code)
            if scaled:
                if value not in (NAN, INF) and value < Fraction(2) ** (1 - source.bias):
                    value = Fraction(0)
                exponent = scales[0] & 255
                sign, value = product((sign, value), scale(exponent) if exponent == 255 else (0, Fraction(2) ** (127 - exponent)))
            if to == "ue5m3":
                return f.encode(0, value, "up" if rounding == "rp" else rounding, finite)
            code = f.encode(sign, value, rounding, finite)
            return 0 if positive and code & f.top == 0 else code

        def compute(*words):
            source, high, low, scales = sources(ty, words)
            return element(source, high, scales) << field | element(source, low, scales)
        widths = ([32, 32] if ty == "f32" else [32]) + ([8] if scaled else [])
        k.add("cvt.%s%s%s%s.%sx2.%s %%d, %s" % (
            rounding, ".satfinite" if finite else "", ".pzo" if positive else "", ".scaled::n1::ue8m0" if scaled else "",
            to, ty, ", ".join("%%%d" % n for n in range(len(widths)))), widths, 8 if to == "e2m1" else 16, compute)
    for ty in ("f32", "f16x2", "bf16x2"):
        for to in NARROW:
            for rounding, positive, scaled in (("rz", False, False), ("rn", True, False), ("rn", False, True), ("rz", True, True)):
                add(to, ty, rounding, True, positive, scaled)
        for finite in (False, True):
            for rounding in ("rn", "rz", "rp"):
                add("ue5m3", ty, rounding, finite, False, False)
            add("ue5m3", ty, "rn", finite, False, True)
            add("ue5m3", ty, "rz", finite, False, True)
    for name in [*NARROW, "ue5m3"]:
        f, field = NARROW.get(name, UE5M3), 4 if name == "e2m1" else 8

        def compute(word, scales, f=f, field=field):
            result = 0
            for lane in range(2):
                value = product(f.decode(word >> field * lane), scale(scales >> 8 * lane & 255))
                result |= BF16.encode(*value, "rn") << 16 * lane
            return result
        k.add("cvt.rn.scaled::n2::ue8m0.bf16x2.%sx2 %%d, %%0, %%1" % name, [2 * field, 16], 32, compute)
    k.add("cvt.rn.f16x2.ue5m3x2 %d, %0", [16], 32, lambda word: sum(
        F16.encode(*UE5M3.decode(word >> 8 * lane), "rn") << 16 * lane for lane in range(2)))


def main():
    quads = Kernel("sm_100a")
    add_quads(quads)
    quads.write(sys.argv[1], "quads")
    rest = Kernel("sm_107a")
    add_pairs(rest)
    add_comparisons(rest)
    add_conversions(rest)
    rest.write(sys.argv[1], "pairs")


main()
