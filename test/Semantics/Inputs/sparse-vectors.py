"""spcompress and spdecompress of the most words, and of descriptors that do not
go with their type. Usage: sparse-vectors.py FOLDER"""

import math
import random
import struct
import sys

from ptxtest import Module

random.seed(31)
THREADS = 32
# The numbers of descriptors: of 16 bits, of 8 bits.
TYPES = {16: ["f16", "bf16"], 8: ["u8", "s8", "e5m2", "e4m3", "e3m2", "e2m3"]}


def minifloat(code, exp_bits, frac_bits, has_infinity, has_nan):
    """The number of a code with a sign."""
    sign = -1.0 if code >> (exp_bits + frac_bits) & 1 else 1.0
    exponent = code >> frac_bits & (1 << exp_bits) - 1
    fraction = code & (1 << frac_bits) - 1
    top = (1 << exp_bits) - 1
    if has_infinity and exponent == top:
        return math.nan if fraction else sign * math.inf
    if has_nan and exponent == top and fraction == (1 << frac_bits) - 1:
        return math.nan
    bias = (1 << exp_bits - 1) - 1
    if exponent:
        return sign * math.ldexp((1 << frac_bits) + fraction, exponent - bias - frac_bits)
    return sign * math.ldexp(fraction, 1 - bias - frac_bits)


def number(code, ty):
    if ty == "u8":
        return float(code)
    if ty == "s8":
        return float(code - (code >> 7 << 8))
    return minifloat(code, *{"f16": (5, 10, True, True), "bf16": (8, 7, True, True), "e5m2": (5, 2, True, True),
                             "e4m3": (4, 3, False, True), "e3m2": (3, 2, False, False),
                             "e2m3": (2, 3, False, False)}[ty])


def kept_places(values, operation):
    """Operations as descriptors number them; of equal ones the first stay."""
    def key(place):
        v = values[place]
        if math.isnan(v):
            return (0, 0, 0)
        if operation & 1:
            v = abs(v)
        order = (v, math.copysign(1, v))
        return (1, *order) if operation & 2 else (1, -order[0], -order[1])
    return sorted(sorted(range(4), key=key)[:2])


def elements(words, bits):
    return [w >> s & (1 << bits) - 1 for w in words for s in range(0, 32, bits)]


def words_of(fields, bits):
    words = [0] * -(-len(fields) * bits // 32)
    for n, v in enumerate(fields):
        words[n * bits // 32] |= v << n * bits % 32
    return words


def compressed(data, descriptor, bits, index_bits):
    ty, all_ = TYPES[bits][descriptor >> 2], elements(data, bits)
    places, kept = [], []
    for group in range(0, len(all_), 4):
        four = all_[group:group + 4]
        chosen = kept_places([number(c, ty) for c in four], descriptor & 3)
        places += chosen
        kept += [four[p] for p in chosen]
    return words_of(places, index_bits) + words_of(kept, bits)


def decompressed(metadata, kept, bits, index_bits, source, target, count):
    places, values = elements(metadata, index_bits), elements(kept, bits)
    result = [0] * (target * count)
    for n in range(source * count):
        if places[n] < target:
            result[n // source * target + places[n]] = values[n]
    return words_of(result, bits)


def vector(name, first, count):
    return "{" + ", ".join("%%%s%d" % (name, first + n) for n in range(count)) + "}"


def run(m, name, instruction, inputs, results, expected):
    """Registers %i, of each thread's words, and %o."""
    body = "  .reg .b32 %%i<%d>, %%o<%d>;\n" % (inputs, results)
    body += "".join("  ld.global.b32 %%i%d, [%%in+%d];\n" % (n, 4 * n) for n in range(inputs))
    body += "  " + instruction + "\n"
    body += "".join("  st.global.b32 [%%out+%d], %%o%d;\n" % (4 * n, n) for n in range(results))
    m.kernel(name, [("in", 4 * inputs)], [("out", 4 * results)], body)
    words = [expected(None) for _ in range(THREADS)]
    m.launch(name, [("u32", sum((w[0] for w in words), []))], [("u32", sum((w[1] for w in words), []))], THREADS)


def random_words(n):
    """Half of them with many equal elements and zeros of both signs."""
    if random.random() < 0.5:
        return [random.getrandbits(32) for _ in range(n)]
    bytes_ = [0, 0x80, 0x3C, 0xBC, 0x7C, 0x7F, 0xFF]
    return [int.from_bytes(bytes(random.choice(bytes_) for _ in range(4)), "little") for _ in range(n)]


def add_compress(m, bits, index_bits, count):
    metadata = -(-count * index_bits // bits)
    name = "compress_b%d_b%d_x%d" % (bits, index_bits, count)
    instruction = "spcompress.b%d.b%d.sp::2:4.x%d %s, %s, %s, %%i%d;" % (
        bits, index_bits, count, vector("o", 0, metadata), vector("o", metadata, count),
        vector("i", 0, 2 * count), 2 * count)

    def case(_):
        data, descriptor = random_words(2 * count), random.randrange(4 * len(TYPES[bits]))
        return data + [descriptor], compressed(data, descriptor, bits, index_bits)
    run(m, name, instruction, 2 * count + 1, metadata + count, case)


def add_decompress(m, bits, index_bits, source, target, count):
    need = lambda n: -(-n * count // 32)
    metadata, kept, data = need(source * index_bits), need(source * bits), need(target * bits)
    name = "decompress_b%d_b%d_%d_%d_x%d" % (bits, index_bits, source, target, count)
    instruction = "spdecompress.b%d.b%d.sp::%d:%d.x%d %s, %s, %s;" % (
        bits, index_bits, source, target, count, vector("o", 0, data), vector("i", 0, metadata),
        vector("i", metadata, kept))

    def case(_):
        words = random_words(metadata + kept)
        return words, decompressed(words[:metadata], words[metadata:], bits, index_bits, source, target, count)
    run(m, name, instruction, metadata + kept, data, case)


def main():
    m = Module("sm_107a", "9.4")
    for bits, index_bits, count in ((8, 2, 16), (8, 4, 8), (16, 2, 64), (16, 4, 32)):
        add_compress(m, bits, index_bits, count)
    for bits, index_bits, source, target, count in ((8, 2, 2, 4, 64), (8, 4, 4, 16, 32), (16, 2, 1, 4, 32),
                                                    (16, 4, 2, 16, 16), (8, 2, 1, 2, 64)):
        add_decompress(m, bits, index_bits, source, target, count)
    m.write(sys.argv[1], "sparse-vectors")
    # .e4m3 with elements of 16 bits, and a bit that is reserved.
    for name, bits, descriptor in (("other-type", 16, 3 << 2), ("reserved", 8, 1 << 5)):
        bad = Module("sm_107a", "9.4")
        body = "  ld.global.b32 %%r1, [%%in];\n  mov.b32 %%r4, 0;\n  spcompress.b%d.b2.sp::2:4.x1 {%%r2}, {%%r3}, {%%r1, %%r4}, %%r1;\n  st.global.b32 [%%out], %%r3;\n" % bits
        bad.kernel("bad", [("in", 4)], [("out", 4)], body)
        bad.launch("bad", [("u32", [descriptor])], [("u32", [0])], 1)
        bad.more["expect_error"] = "trap"
        bad.write(sys.argv[1], name)


main()
