#!/usr/bin/env python3
"""Writes float.ptx and float.json, a launch with exact expectations.

usage: float-arithmetic.py FOLDER

Every instruction is done by each of the threads on values of its own. The
expected results come from fractions, rounded once in the instruction's mode.
"""
import json
import os
import random
import struct
import sys
from fractions import Fraction

THREADS = 256
NAN = 0x7FFFFFFF
INFINITY = 0x7F800000
SIGN = 1 << 31
MODES = ("rn", "rz", "rm", "rp")


def single(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def single_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def double_bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def is_nan(b):
    return b & ~SIGN > INFINITY


def is_infinite(b):
    return b & ~SIGN == INFINITY


def flush(b):
    return b & SIGN if b & INFINITY == 0 else b


def rounds_up(n, rest, mode, negative):
    if mode == "rn":
        return rest > Fraction(1, 2) or (rest == Fraction(1, 2) and n & 1 == 1)
    return rest > 0 and mode == ("rm" if negative else "rp")


def to_single(x, mode, zero_sign=0):
    """The bits of the .f32 that a fraction rounds to."""
    if x == 0:
        return zero_sign << 31
    negative, magnitude = x < 0, abs(x)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    exponent = max(exponent, -126)
    scaled = magnitude / Fraction(2) ** (exponent - 23)
    n = scaled.numerator // scaled.denominator
    n += rounds_up(n, scaled - n, mode, negative)
    if n >> 24:
        n, exponent = n >> 1, exponent + 1
    if exponent > 127:
        away = mode == "rn" or mode == ("rm" if negative else "rp")
        bits = INFINITY if away else INFINITY - 1
    else:
        bits = n if n < 1 << 23 else (exponent + 126 << 23) + n
    return bits | negative << 31


def saturate(b):
    return 0 if is_nan(b) or b & SIGN else min(b, 0x3F800000)


def total(x, y, mode, x_sign, y_sign):
    """x + y, where a sum of zero takes its sign from the operands or mode."""
    zero = x_sign if x_sign == y_sign else int(mode == "rm")
    return to_single(x + y, mode, zero)


def add(mode, ftz=False, negate=False):
    def f(a, b, c):
        b ^= SIGN if negate else 0
        if ftz:
            a, b = flush(a), flush(b)
        if is_nan(a) or is_nan(b):
            return NAN
        if is_infinite(a):
            return NAN if is_infinite(b) and a != b else a
        if is_infinite(b):
            return b
        r = total(Fraction(single(a)), Fraction(single(b)), mode, a >> 31, b >> 31)
        return flush(r) if ftz else r

    return f


def fma(mode, ftz=False, product_only=False):
    def f(a, b, c):
        if ftz:
            a, b, c = flush(a), flush(b), flush(c)
        sign = (a ^ b) >> 31
        if is_nan(a) or is_nan(b) or (not product_only and is_nan(c)):
            return NAN
        if is_infinite(a) or is_infinite(b):
            product = INFINITY | sign << 31
            if a & ~SIGN == 0 or b & ~SIGN == 0:
                return NAN
            clash = not product_only and is_infinite(c) and c != product
            return NAN if clash else product
        x = Fraction(single(a)) * Fraction(single(b))
        if product_only:
            r = to_single(x, mode, sign)
        elif is_infinite(c):
            return c
        else:
            r = total(x, Fraction(single(c)), mode, sign, c >> 31)
        return flush(r) if ftz else r

    return f


def extremum(pick, keeps_nan, ftz):
    def order(b):
        return -(b & ~SIGN) - 1 if b & SIGN else b

    def f(a, b, c):
        if ftz:
            a, b = flush(a), flush(b)
        if is_nan(a) or is_nan(b):
            return NAN if keeps_nan or (is_nan(a) and is_nan(b)) else b if is_nan(a) else a
        return pick(a, b, key=order)

    return f


def to_integral(x, mode):
    floor = x.numerator // x.denominator
    ceiling = floor + (x != floor)
    if mode == "rni":
        return floor + rounds_up(floor, x - floor, "rn", False)
    return {"rmi": floor, "rpi": ceiling, "rzi": floor if x >= 0 else ceiling}[mode]


def to_integer(width, is_signed, mode, ftz=False, from_double=False):
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if is_signed else (0, (1 << width) - 1)

    def f(a, b, c):
        x = double(a) if from_double else single(flush(a) if ftz else a)
        if x != x:
            n = 1 << width - 1 if from_double or width == 64 else 0
        elif x in (float("inf"), float("-inf")):
            n = high if x > 0 else low
        else:
            n = max(low, min(high, to_integral(Fraction(x), mode)))
        n &= (1 << width) - 1
        return n - (1 << width) if is_signed and n >> width - 1 else n

    return f


def integral_single(mode, ftz):
    def f(a, b, c):
        a = flush(a) if ftz else a
        if is_nan(a) or is_infinite(a):
            return a
        return to_single(Fraction(to_integral(Fraction(single(a)), mode)), "rn", a >> 31)

    return f


def double_to_single(mode, ftz):
    def f(d, b, c):
        x = double(d)
        if x != x:
            return NAN
        if x in (float("inf"), float("-inf")):
            return INFINITY | d >> 63 << 31
        r = to_single(Fraction(x), mode, d >> 63)
        return flush(r) if ftz else r

    return f


def integer_to_single(mode, width, is_signed):
    def f(d, b, c):
        n = d & (1 << width) - 1
        return to_single(Fraction(n - (1 << width) if is_signed and n >> width - 1 else n), mode)

    return f


def arithmetic():
    for mode in MODES:
        for ftz in ("", ".ftz"):
            z = bool(ftz)
            yield "add.%s%s.f32 %%f3, %%f0, %%f1;" % (mode, ftz), add(mode, z)
            yield "sub.%s%s.f32 %%f3, %%f0, %%f1;" % (mode, ftz), add(mode, z, True)
            yield "mul.%s%s.f32 %%f3, %%f0, %%f1;" % (mode, ftz), fma(mode, z, True)
            yield "fma.%s%s.f32 %%f3, %%f0, %%f1, %%f2;" % (mode, ftz), fma(mode, z)
            yield "cvt.%s%s.f32.f64 %%f3, %%d0;" % (mode, ftz), double_to_single(mode, z)
        for sign in "us":
            for w in (8, 16, 32, 64):
                yield ("cvt.%s.f32.%s%d %%f3, %%rd0;" % (mode, sign, w),
                       integer_to_single(mode, w, sign == "s"))
    yield "add.sat.f32 %f3, %f0, %f1;", lambda a, b, c: saturate(add("rn")(a, b, c))
    yield ("mul.ftz.sat.f32 %f3, %f0, %f1;",
           lambda a, b, c: saturate(fma("rn", True, True)(a, b, c)))
    yield "cvt.sat.f32.f32 %f3, %f0;", lambda a, b, c: saturate(a)
    for ftz in ("", ".ftz"):
        for nan in ("", ".NaN"):
            yield ("min%s%s.f32 %%f3, %%f0, %%f1;" % (ftz, nan),
                   extremum(min, bool(nan), bool(ftz)))
            yield ("max%s%s.f32 %%f3, %%f0, %%f1;" % (ftz, nan),
                   extremum(max, bool(nan), bool(ftz)))
        for mode in ("rni", "rzi", "rmi", "rpi"):
            yield "cvt.%s%s.f32.f32 %%f3, %%f0;" % (mode, ftz), integral_single(mode, bool(ftz))
    yield ("slct.f32.f32 %f3, %f0, %f1, %f2;",
           lambda a, b, c: a if not is_nan(c) and single(c) >= 0 else b)
    yield "copysign.f32 %f3, %f0, %f1;", lambda a, b, c: b & ~SIGN | a & SIGN


def integers():
    for mode in ("rni", "rzi", "rmi", "rpi"):
        for sign in "us":
            for w in (8, 16, 32, 64):
                for ftz in ("", ".ftz"):
                    yield ("cvt.%s%s.%s%d.f32 %%rd3, %%f0;" % (mode, ftz, sign, w),
                           to_integer(w, sign == "s", mode, bool(ftz)))
                yield ("cvt.%s.%s%d.f64 %%rd3, %%d0;" % (mode, sign, w),
                       to_integer(w, sign == "s", mode, from_double=True))
    comparisons = {
        "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
        "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
        "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    }
    either = lambda a, b: is_nan(a) or is_nan(b)
    for name, test in comparisons.items():
        yield ("setp.%s.f32 %%p, %%f0, %%f1; selp.b64 %%rd3, 1, 0, %%p;" % name,
               lambda a, b, c, t=test: int(not either(a, b) and t(single(a), single(b))))
        yield ("setp.%su.ftz.f32 %%p|%%q, %%f0, %%f1; selp.b64 %%rd3, 1, 0, %%q;" % name,
               lambda a, b, c, t=test:
               int(not (either(a, b) or t(single(flush(a)), single(flush(b))))))
    yield ("setp.num.f32 %p, %f0, %f1; selp.b64 %rd3, 1, 0, %p;",
           lambda a, b, c: int(not either(a, b)))


SINGLES = [0, SIGN, 1, SIGN | 1, 0x7FFFFF, 0x800000, 0x3F800000, 0xBF800000, INFINITY,
           SIGN | INFINITY, 0x7FC00000, 0xFFC00001, 0x7F7FFFFF] + [
    single_bits(x) for x in (0.5, -0.5, 1.5, 2.5, 127, 255.5, 8388607.5, 2.0**31, -(2.0**31), 2.0**63)]
DOUBLES = [0, 1 << 63, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 0xFFFFF << 44] + [
    double_bits(x) for x in (1.5, -2.5, 1e300, -1e300, 65535.5, -32768.5, 255.5, 2.0**31,
                             -(2.0**31) - 1, 2.0**63, 1e-40, -1e-46, 3.4028235677973366e38,
                             1 + 2.0**-24, 1 + 3 * 2.0**-24)]


def random_single(source):
    kind = source.random()
    if kind < 0.3:
        return source.choice(SINGLES)
    if kind < 0.5:
        return source.getrandbits(32)
    if kind < 0.7:
        return single_bits(source.uniform(-300, 300))
    if kind < 0.8:
        return source.getrandbits(23) | source.getrandbits(1) << 31
    return source.getrandbits(1) << 31 | source.randint(120, 160) << 23 | source.getrandbits(23)


def random_double(source):
    kind = source.random()
    if kind < 0.3:
        return source.choice(DOUBLES)
    if kind < 0.5:
        return source.getrandbits(64)
    if kind < 0.7:
        return double_bits(source.uniform(-300, 300))
    return (source.getrandbits(1) << 63 | source.randint(1023 - 150, 1023 + 70) << 52
            | source.getrandbits(52))


PROLOGUE = """.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u64 f,
                  .param .u64 i) {
.reg .f32 %f<4>; .reg .f64 %d0; .reg .b64 %rd<4>; .reg .b64 %x<8>; .reg .b32 %t;
.reg .pred %p, %q;
ld.param.u64 %x0, [a]; ld.param.u64 %x1, [b]; ld.param.u64 %x2, [c]; ld.param.u64 %x3, [d];
ld.param.u64 %x4, [f]; ld.param.u64 %x5, [i];
mov.u32 %t, %tid.x; mul.wide.u32 %x6, %t, 4; mul.wide.u32 %x7, %t, 8;
add.u64 %x0, %x0, %x6; add.u64 %x1, %x1, %x6; add.u64 %x2, %x2, %x6; add.u64 %x3, %x3, %x7;
add.u64 %x4, %x4, %x6; add.u64 %x5, %x5, %x7;
ld.global.f32 %f0, [%x0]; ld.global.f32 %f1, [%x1]; ld.global.f32 %f2, [%x2];
ld.global.f64 %d0, [%x3]; mov.b64 %rd0, %d0;
"""


def main(folder):
    source = random.Random(5)
    a, b, c = ([random_single(source) for _ in range(THREADS)] for _ in range(3))
    d = [random_double(source) for _ in range(THREADS)]
    text, floats, ints = PROLOGUE, [], []
    for cases, results, store, width in (
        (arithmetic(), floats, "st.global.f32 [%%x4+%d], %%f3;", 32),
        (integers(), ints, "st.global.u64 [%%x5+%d], %%rd3;", 64),
    ):
        for code, f in cases:
            text += code + " " + store % (len(results) * width // 8) + "\n"
            wide = "%d0" in code or "%rd0" in code
            for t in range(THREADS):
                results.append(f(d[t] if wide else a[t], b[t], c[t]) & (1 << width) - 1)
    with open(os.path.join(folder, "float.ptx"), "w") as file:
        file.write(text + "ret;\n}\n")
    bits = lambda values, digits: ["0x%0*x" % (digits, v) for v in values]
    given = lambda name, kind, values, digits: {
        "buffer": name, "type": kind, "count": THREADS, "init": {"bits": bits(values, digits)}}
    wanted = lambda name, kind, values: {
        "buffer": name, "type": kind, "count": len(values), "init": "zero"}
    manifest = {
        "module": "float.ptx", "entry": "k", "grid": [1, 1, 1], "block": [THREADS, 1, 1],
        "args": [given("a", "f32", a, 8), given("b", "f32", b, 8), given("c", "f32", c, 8),
                 given("d", "f64", d, 16), wanted("f", "f32", floats), wanted("i", "b64", ints)],
        "expect": [{"buffer": "f", "bits": bits(floats, 8), "nan": "any"},
                   {"buffer": "i", "bits": bits(ints, 16)}],
    }
    with open(os.path.join(folder, "float.json"), "w") as file:
        json.dump(manifest, file)


if __name__ == "__main__":
    main(sys.argv[1])
