"""What PTX's matrix instructions compute, independently of the emulator: the
fragments' layouts as PTX's manual writes them, and the arithmetic of
docs/matrix.md in exact integers."""

import struct

# Exponent bits, fraction bits of the floats in registers.
FLOATS = {
    "f16": (5, 10),
    "bf16": (8, 7),
    "tf32": (8, 10),
    "f32": (8, 23),
    "e4m3": (4, 3),
    "e5m2": (5, 2),
    "e3m2": (3, 2),
    "e2m3": (2, 3),
    "e2m1": (2, 1),
}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s4": 4, "u4": 4, "b1": 1}
ALIGNED_BITS = 25


def bits_of(ty, packed=False):
    return 4 if ty == "e2m1" and packed else BITS.get(ty, 8)


# Values are (kind, significand, exponent of its lowest bit's unit, exponent by
# which terms are aligned); kinds: "finite", "zero", "inf", "nan".


def decode(ty, bits, packed=False):
    """The value of an element's bits."""
    if ty == "tf32":
        bits >>= 13
    if ty == "e2m1" and not packed:
        bits = bits >> 2 & 15
    exp_bits, frac_bits = FLOATS[ty]
    sign = -1 if bits >> (exp_bits + frac_bits) & 1 else 1
    exp = bits >> frac_bits & ((1 << exp_bits) - 1)
    frac = bits & ((1 << frac_bits) - 1)
    top = (1 << exp_bits) - 1
    if ty == "e4m3" and exp == top and frac == 7:
        return ("nan", 0, 0, 0)
    if ty in ("f16", "bf16", "tf32", "f32", "e5m2") and exp == top:
        return ("nan", 0, 0, 0) if frac else ("inf", sign, 0, 0)
    bias = (1 << (exp_bits - 1)) - 1
    e = max(exp, 1) - bias
    sig = frac + (1 << frac_bits if exp else 0)
    if sig == 0:
        return ("zero", 0, 0, 0)
    return ("finite", sign * sig, e - frac_bits, e)


def decode_scale(ty, bits):
    if ty == "ue4m3":
        return decode("e4m3", bits & 0x7F)
    if bits == 0xFF:
        return ("nan", 0, 0, 0)
    return ("finite", 1, bits - 127, bits - 127)


def times(x, y):
    kinds = (x[0], y[0])
    if "nan" in kinds or ("inf" in kinds and "zero" in kinds):
        return ("nan", 0, 0, 0)
    if "zero" in kinds:
        return ("zero", 0, 0, 0)
    if "inf" in kinds:
        return ("inf", -1 if (x[1] < 0) != (y[1] < 0) else 1, 0, 0)
    return ("finite", x[1] * y[1], x[2] + y[2], x[3] + y[3])


def towards_zero(value, shift):
    """value * 2**shift without its fraction."""
    magnitude = abs(value) << shift if shift >= 0 else abs(value) >> -shift
    return -magnitude if value < 0 else magnitude


def encode(negative, magnitude, unit, ty):
    """magnitude * 2**unit: to nearest even in f16, towards zero in f32."""
    exp_bits, frac_bits = FLOATS[ty]
    bias = (1 << (exp_bits - 1)) - 1
    sign = int(negative) << (exp_bits + frac_bits)
    infinity = sign | ((1 << exp_bits) - 1) << frac_bits
    leading = magnitude.bit_length() - 1 + unit
    if leading > bias:
        return infinity
    lowest = max(leading, 1 - bias) - frac_bits  # the result's unit
    shift = unit - lowest
    sig = towards_zero(magnitude, shift)
    if ty == "f16" and shift < 0:
        rest = magnitude - (sig << -shift)
        half = 1 << (-shift - 1)
        if rest > half or (rest == half and sig & 1):
            sig += 1
    # A carry into the exponent is right by itself.
    exp = lowest + frac_bits + bias - 1
    bits = (exp << frac_bits) + sig
    return sign | bits if bits < infinity & ~sign else infinity


def sum_of(terms, ty):
    """The bits of the sum of values, aligned to the largest exponent."""
    kinds = [t[0] for t in terms]
    signs = {t[1] for t in terms if t[0] == "inf"}
    exp_bits, frac_bits = FLOATS[ty]
    if "nan" in kinds or len(signs) == 2:
        return (1 << (exp_bits + frac_bits)) - 1
    if signs:
        infinity = ((1 << exp_bits) - 1) << frac_bits
        return infinity | (1 << (exp_bits + frac_bits) if -1 in signs else 0)
    finite = [t for t in terms if t[0] == "finite"]
    if not finite:
        return 0
    unit = max(t[3] for t in finite) - ALIGNED_BITS
    total = sum(towards_zero(t[1], t[2] - unit) for t in finite)
    return encode(total < 0, abs(total), unit, ty) if total else 0


# ---------------------------------------------------------------------------
# Layouts. (lane, index) to (row, column), as the manual's formulas have them.


def fragment_a(m, k, bits):
    g = lambda lane: lane >> 2
    t = lambda lane: lane % 4
    per = max(32 // bits, 1)
    if m == 8:
        return lambda lane, i: (g(lane), t(lane) * per + i)
    if bits == 64 or bits == 32:
        # a0: row g, a1: row g + 8, a2 and a3 four columns on, and so on.
        return lambda lane, i: (g(lane) + 8 * (i % 2), i // 2 * 4 + t(lane))
    row = lambda lane, i: g(lane) if (i // per) % 2 == 0 else g(lane) + 8
    column = lambda lane, i: t(lane) * per + i % per + (4 * per if i >= 2 * per else 0)
    return lambda lane, i: (row(lane, i), column(lane, i))


def fragment_b(k, bits):
    per = max(32 // bits, 1)

    def place(lane, i):
        # Each register has `per` rows, four lanes side by side.
        return (lane % 4 * per + i % per + 4 * per * (i // per), lane >> 2)

    return place


def fragment_c(m):
    if m == 8:
        return lambda lane, i: (lane >> 2, lane % 4 * 2 + i)
    return lambda lane, i: ((lane >> 2) + (8 if i >= 2 else 0), lane % 4 * 2 + i % 2)


def sparse_columns(ty, k, metadata, selector, packed=False):
    """(row, number of the stored element) to column."""
    bits = bits_of(ty, packed)
    chunk = {32: 2, 4: 8}.get(bits, 4)
    holders = max(k // chunk // 4, 1)

    def column(row, stored):
        c, n = divmod(stored, chunk // 2)
        if bits <= 8:
            lane, place = 2 * (selector + c // 8) + row // 8, c % 8
        else:
            lane, place = selector * holders + c // 4, 4 * (row // 8) + c % 4
        index = metadata[row % 8 * 4 + lane] >> 4 * place & 15
        if chunk == 2:
            return 2 * c + {0b0100: 0, 0b1110: 1}[index]
        if chunk == 4:
            return 4 * c + (index >> 2 * n & 3)
        return 8 * c + 2 * (index >> 2 * (n // 2) & 3) + n % 2

    return column


def float_of_bits(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def bits_of_float(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]
