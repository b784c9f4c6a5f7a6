#!/usr/bin/env python3
"""Writes division.ptx and division.json: make-division.py OUTPUT-FOLDER.

Every division of PTX over pairs of edge values; the expected bits come from exact
rational arithmetic. Division by zero gives all ones for integers.
"""
import json
import math
import os
import struct
import sys
from fractions import Fraction


def bits32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def bits64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


class Format:
    """A binary format: rounds exact values to its bits."""

    def __init__(self, fraction_bits, exponent_bits, nan):
        self.fraction_bits, self.nan = fraction_bits, nan
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.infinity = ((1 << exponent_bits) - 1) << fraction_bits
        self.sign = 1 << (fraction_bits + exponent_bits)

    def split(self, bits):
        """(sign, kind or exact value) of a number."""
        sign, magnitude = bool(bits & self.sign), bits & (self.sign - 1)
        if magnitude > self.infinity:
            return sign, "nan"
        if magnitude == self.infinity:
            return sign, "infinity"
        exponent = max(magnitude >> self.fraction_bits, 1)
        significand = magnitude & ((1 << self.fraction_bits) - 1)
        if magnitude >> self.fraction_bits:
            significand |= 1 << self.fraction_bits
        power = exponent - self.bias - self.fraction_bits
        return sign, Fraction(significand) * Fraction(2) ** power

    def round(self, sign, below, mode, exact):
        """The bits of a magnitude; below(m) says how m compares with it.

        Magnitudes are ordered as their bits are, so the search is over bits.
        """
        low, high = 0, self.infinity  # value(low) <= exact < value(high)
        while high - low > 1:
            middle = (low + high) // 2
            if below(self.split(middle)[1]) <= 0:
                low = middle
            else:
                high = middle
        if below(self.split(low)[1]) == 0:
            return low | (self.sign if sign else 0)
        up = {"rz": False, "rm": sign, "rp": not sign}.get(mode)
        if up is None:
            # The value of the infinity's bits, if exponents went on.
            top = self.split(high)[1]
            if top == "infinity":
                top = Fraction(2) ** (self.bias + 1)
            half = below((self.split(low)[1] + top) / 2)
            up = half < 0 or (half == 0 and low & 1)
        return (low + bool(up)) | (self.sign if sign else 0)

    def divide(self, a, b, mode):
        (sa, va), (sb, vb) = self.split(a), self.split(b)
        sign = sa != sb
        if "nan" in (va, vb) or va == vb == "infinity" or va == vb == 0:
            return self.nan
        signed = self.sign if sign else 0
        if va == "infinity" or vb == 0:
            return self.infinity | signed
        if vb == "infinity" or va == 0:
            return signed
        exact = va / vb
        return self.round(sign, lambda m: (m > exact) - (m < exact), mode, exact)

    def root(self, a, mode):
        sign, v = self.split(a)
        if v == 0 or (v == "infinity" and not sign):
            return a
        if v == "nan" or sign:
            return self.nan
        return self.round(False, lambda m: (m * m > v) - (m * m < v), mode, v)


F32 = Format(23, 8, 0x7FFFFFFF)
F64 = Format(52, 11, 0xFFF8000000000000)


def integer(op, signed, width, a, b):
    mask = (1 << width) - 1
    if b == 0:
        return mask
    if signed:
        a, b = (x - (1 << width) if x >> (width - 1) else x for x in (a, b))
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return (quotient if op == "div" else a - quotient * b) & mask


def integer_edges(width):
    top = 1 << (width - 1)
    return [0, 1, 2, 3, 7, 10, 1000003, top - 1, top, top + 1, 2 * top - 1,
            2 * top - 3, (1 << 24) + 1, (1 << (width // 2)) + 1, top // 3]


FLOATS = [0.0, 1.0, -1.0, 3.0, -10.0, 1 / 3, math.inf, -math.inf, 1.9999998807907104,
          0.9999999403953552, 3.4028234663852886e38, 1.1754943508222875e-38,
          1.401298464324817e-45, 5e-39, 1e30, -1e-30, 16777217.0]
EDGES = {
    "u32": integer_edges(32), "s32": integer_edges(32),
    "u64": integer_edges(64), "s64": integer_edges(64),
    "f32": [bits32(x) for x in FLOATS] + [0x7FC00000],
    "f64": [bits64(x) for x in FLOATS] + [0x3FEFFFFFFFFFFFFF, 0x3FFFFFFFFFFFFFFF,
            1, 0x7FEFFFFFFFFFFFFF, 0x0010000000000000, 0x7FF8000000000000],
}


def operations(kind):
    """(mnemonic, number of operands, function) of each division of a type."""
    if kind[0] in "us":
        width = int(kind[1:])
        return [("%s.%s" % (op, kind), 2,
                 lambda a, b, op=op: integer(op, kind[0] == "s", width, a, b))
                for op in ("div", "rem")]
    form = {"f32": F32, "f64": F64}[kind]
    one = bits32(1.0) if kind == "f32" else bits64(1.0)
    found = []
    for mode in ("rn", "rz", "rm", "rp"):
        found += [
            ("div.%s.%s" % (mode, kind), 2, lambda a, b, m=mode: form.divide(a, b, m)),
            ("rcp.%s.%s" % (mode, kind), 1, lambda a, b, m=mode: form.divide(one, a, m)),
            ("sqrt.%s.%s" % (mode, kind), 1, lambda a, b, m=mode: form.root(a, m)),
        ]
    return found


def entry(kind, mnemonics):
    """An entry whose thread I applies all operations to a[I] and b[I]."""
    width = int(kind[1:]) // 8
    reg = {"u": "u", "s": "s", "f": "f"}[kind[0]] + kind[1:]
    names = ["a", "b"] + ["r%d" % i for i in range(len(mnemonics))]
    lines = [".visible .entry %s(.param .u32 n, %s)" % (
        kind, ", ".join(".param .u64 p_%s" % name for name in names)), "{",
        "  .reg .pred %p; .reg .u32 %i, %n, %t; .reg .u64 %o, %q;",
        "  .reg .%s %%a, %%b, %%r;" % reg,
        "  mov.u32 %i, %ctaid.x; mov.u32 %t, %ntid.x; mov.u32 %n, %tid.x;",
        "  mad.lo.u32 %i, %i, %t, %n; ld.param.u32 %n, [n];",
        "  setp.ge.u32 %p, %i, %n; @%p bra DONE;",
        "  mul.wide.u32 %%o, %%i, %d;" % width]
    for name in ("a", "b"):
        lines += ["  ld.param.u64 %%q, [p_%s]; add.u64 %%q, %%q, %%o;" % name,
                  "  ld.global.%s %%%s, [%%q];" % (reg, name)]
    for index, (mnemonic, count) in enumerate(mnemonics):
        lines += ["  %s %%r, %s;" % (mnemonic, ", ".join(["%a", "%b"][:count])),
                  "  ld.param.u64 %%q, [p_r%d]; add.u64 %%q, %%q, %%o;" % index,
                  "  st.global.%s [%%q], %%r;" % reg]
    return "\n".join(lines + ["DONE:", "  ret;", "}", ""])


def main():
    ptx = [".version 8.0\n.target sm_90\n.address_size 64\n"]
    launches, expect = [], []
    for kind, edges in EDGES.items():
        pairs = [(a, b) for a in edges for b in edges]
        ops = operations(kind)
        ptx.append(entry(kind, [(name, count) for name, count, _ in ops]))
        form = "0x%0" + str(int(kind[1:]) // 4) + "x"

        def buffer(name, values):
            return {"buffer": kind + name, "type": "b" + kind[1:], "count": len(pairs),
                    "init": {"bits": [form % v for v in values]}}

        args = [{"type": "u32", "value": len(pairs)},
                buffer("a", [a for a, _ in pairs]), buffer("b", [b for _, b in pairs])]
        for index, (name, _, function) in enumerate(ops):
            args.append({"buffer": "%s:%s" % (kind, name), "type": "b" + kind[1:],
                         "count": len(pairs), "init": "zero"})
            expect.append({"buffer": "%s:%s" % (kind, name),
                           "bits": [form % function(a, b) for a, b in pairs]})
        launches.append({"entry": kind, "grid": [(len(pairs) + 63) // 64, 1, 1],
                         "block": [64, 1, 1], "args": args})
    with open(os.path.join(sys.argv[1], "division.ptx"), "w") as file:
        file.write("\n".join(ptx))
    with open(os.path.join(sys.argv[1], "division.json"), "w") as file:
        json.dump({"module": "division.ptx", "launches": launches, "expect": expect}, file)


if __name__ == "__main__":
    main()
