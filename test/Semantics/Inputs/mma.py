"""mma in all shapes and types, dense, sparse and scaled, on random and special
values and on matrices with one element. Usage: mma.py FOLDER FAMILY, where the
family is float, narrow, named, named-sparse, integer, double, sparse or
scaled."""

import itertools
import json
import math
import os
import random
import struct
import sys
from fractions import Fraction

import matrix_reference as ref

LANES = 32
random.seed(20)


class Test:
    """Kernels of a warp a CTA, each CTA with matrices of its own."""

    def __init__(self, folder, name, target="sm_120a", version="9.0"):
        self.folder, self.name = folder, name
        self.text = [".version %s\n.target %s\n.address_size 64\n" % (version, target)]
        self.launches, self.expect = [], []
        self.count = 0

    def file(self, words, unit):
        self.count += 1
        name = "%s-%d.bin" % (self.name, self.count)
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(struct.pack("<%d%s" % (len(words), "Q" if unit == 8 else "I"), *words))
        return name

    def add(self, mnemonic, operands, d_count, unit, ptx_types, tail, cases):
        """operands: (name, registers); cases: for each CTA the operands' words
        and D's, lists by lane of lists by register."""
        kernel = "k%d" % len(self.launches)
        names = [n for n, _ in operands] + ["d"]
        sizes = [c for _, c in operands] + [d_count]
        suffix = "u64" if unit == 8 else "u32"
        body = []
        for n, size in zip(names, sizes):
            ty = ptx_types.get(n, ".b32")
            width = unit if n in "abcd" else 4
            body.append("  .reg %s %%%s<%d>;\n  .reg .u64 %%p%s;\n" % (ty, n, size, n))
            body.append("  ld.param.u64 %%p%s, [p_%s];\n" % (n, n))
            body.append("  mad.wide.u32 %%p%s, %%g, %d, %%p%s;\n" % (n, size * width, n))
            for i in range(size):
                if n != "d":
                    body.append("  ld.global.%s %%%s%d, [%%p%s+%d];\n" % (
                        ("u%d" % (8 * width)) if ty[1] not in "f" else ty[1:],
                        n, i, n, width * i))
        vector = lambda n, c: "{" + ", ".join("%%%s%d" % (n, i) for i in range(c)) + "}"
        args = [vector("d", d_count)] + [vector(n, c) for n, c in operands if n in "abc"]
        body.append("  %s %s%s;\n" % (mnemonic, ", ".join(args), tail))
        ty = ptx_types.get("d", ".b32")
        for i in range(d_count):
            body.append("  st.global.%s [%%pd+%d], %%d%d;\n" % (
                suffix if ty[1] != "f" else ty[1:], unit * i, i))
        self.text.append(
            ".visible .entry %s(%s)\n{\n  .reg .b32 %%g, %%t;\n"
            "  mov.u32 %%g, %%ctaid.x;\n  mov.u32 %%t, %%tid.x;\n"
            "  mad.lo.u32 %%g, %%g, 32, %%t;\n%s  ret;\n}\n"
            % (kernel, ", ".join(".param .u64 p_" + n for n in names), "".join(body)))
        args = []
        for n, size in zip(names, sizes):
            width = unit if n in "abcd" else 4
            words = [w for case in cases for lane in case[n] for w in lane]
            buffer = "%s%d" % (n, len(self.launches))
            file = self.file(words, width)
            kind = "b64" if width == 8 else "b32"
            if n == "d":
                args.append({"buffer": buffer, "type": kind, "count": len(words), "init": "zero"})
                self.expect.append({"buffer": buffer, "file": file})
            else:
                args.append({"buffer": buffer, "type": kind, "count": len(words), "init": {"file": file}})
        self.launches.append({"entry": kernel, "grid": [len(cases)], "block": [LANES], "args": args})

    def write(self):
        with open(os.path.join(self.folder, self.name + ".ptx"), "w") as f:
            f.write("\n".join(self.text))
        with open(os.path.join(self.folder, self.name + ".json"), "w") as f:
            json.dump({"module": self.name + ".ptx", "launches": self.launches, "expect": self.expect}, f)


# ---------------------------------------------------------------------------
# Operands


def spread(matrix, place, elements, bits):
    """The registers of a matrix, by lane."""
    per = max(32 // bits, 1)
    lanes = []
    for lane in range(LANES):
        words = [0] * -(-elements // per)
        for i in range(elements):
            row, column = place(lane, i)
            words[i // per] |= matrix[row][column] << (i % per * bits)
        lanes.append(words)
    return lanes


def random_bits(ty, bits, mode):
    """An element: any, of moderate size, or often special."""
    value = random.getrandbits(bits)
    if ty not in ref.FLOATS or mode == "any":
        return value
    exp, frac = ref.FLOATS[ty]
    shift = 13 if ty == "tf32" else 0
    if mode == "special":
        top = (1 << exp) - 1
        e = random.choice([0, 0, 1, top // 2, top - 1, top] if random.random() < 0.3 else [0, 1, top // 2])
        f = random.choice([0, 1, (1 << frac) - 1, random.getrandbits(frac)])
    else:
        bias = (1 << (exp - 1)) - 1
        e = min(max(bias + random.randint(-4, 4), 0), (1 << exp) - 2)
        f = random.getrandbits(frac)
    value = random.getrandbits(1) << (exp + frac) | e << frac | f
    if ty == "tf32":
        value = value << 13 | random.getrandbits(13)
    if ty == "e2m1" and bits == 8:
        value = value << 2 | random.choice([0, 0xC3]) & random.getrandbits(8)
    elif ty in ("e3m2", "e2m3"):
        value |= random.getrandbits(2) << 6
    return value


def one_of(ty, bits):
    if ty in ref.FLOATS:
        exp, frac = ref.FLOATS[ty]
        one = ((1 << (exp - 1)) - 1) << frac
        return one << 13 if ty == "tf32" else one << 2 if ty == "e2m1" and bits == 8 else one
    return 1


def modes(count_hot):
    return ["moderate"] * 3 + ["special"] * 2 + ["any"] * 2 + ["hot a"] * count_hot + ["hot b"] * count_hot


def random_matrix(rows, columns, ty, bits, mode):
    if mode == "hot":
        m = [[0] * columns for _ in range(rows)]
        m[random.randrange(rows)][random.randrange(columns)] = one_of(ty, bits)
        return m
    if mode == "diagonal":
        # One element a row, each of its own size, beginning anywhere.
        m, start = [[0] * columns for _ in range(rows)], random.randrange(columns)
        for i in range(rows):
            m[i][(start + i) % columns] = random_bits(ty, bits, "moderate") | one_of(ty, bits)
        return m
    return [[random_bits(ty, bits, mode) for _ in range(columns)] for _ in range(rows)]


def operand_mode(mode, name):
    if mode.startswith(("hot", "diagonal")):
        return mode.split()[0] if mode[-1] == name else "moderate"
    return mode


def integer(ty, bits):
    if ty == "s8":
        return bits - 256 if bits & 128 else bits
    if ty == "s4":
        return bits - 16 if bits & 8 else bits
    return bits


# ---------------------------------------------------------------------------
# Forms


def float_case(m, n, k, ta, tb, td, tc, mode, packed=False, sparse=None, scale=None):
    bits = ref.bits_of(ta, packed)
    stored = k // 2 if sparse else k
    a = random_matrix(m, stored, ta, bits, operand_mode(mode, "a"))
    b = random_matrix(k, n, tb, bits, operand_mode(mode, "b"))
    c_mode = "moderate" if mode.startswith(("hot", "diagonal")) else mode
    c = random_matrix(m, n, tc, 16 if tc == "f16" else 32, c_mode)
    va = [[ref.decode(ta, x, packed) for x in row] for row in a]
    vb = [[ref.decode(tb, x, packed) for x in row] for row in b]
    d = [[0] * n for _ in range(m)]
    for i in range(m):
        for j in range(n):
            terms = [ref.decode(tc, c[i][j])]
            for s in range(stored):
                column = sparse(i, s) if sparse else s
                product = ref.times(va[i][s], vb[column][j])
                if scale:
                    sa, sb, chunks = scale
                    chunk = column * chunks // k
                    product = ref.times(ref.times(product, sa[i][chunk]), sb[j][chunk])
                terms.append(product)
            d[i][j] = ref.sum_of(terms, td)
    per = 32 // bits
    place_c = ref.fragment_c(m)
    return {
        "a": spread(a, ref.fragment_a(m, stored, bits), m * stored // LANES, bits),
        "b": spread(b, ref.fragment_b(k, bits), n * k // LANES, bits),
        "c": spread(c, place_c, m * n // LANES, 16 if tc == "f16" else 32),
        "d": spread(d, place_c, m * n // LANES, 16 if td == "f16" else 32),
    }


def registers(m, n, k, bits):
    per = max(32 // bits, 1)
    return -(-m * k // LANES // per), -(-k * n // LANES // per)


def sum_registers(m, n, ty):
    return m * n // LANES // (2 if ty == "f16" else 1)


def add_float(t, m, n, k, ta, tb, td, tc=None, kind="", hot=6):
    tc = tc or td
    cases = [float_case(m, n, k, ta, tb, td, tc, mode) for mode in modes(hot)]
    ra, rb = registers(m, n, k, ref.bits_of(ta))
    t.add("mma.sync.aligned.m%dn%dk%d.row.col%s.%s.%s.%s.%s" % (m, n, k, kind, td, ta, tb, tc),
          [("a", ra), ("b", rb), ("c", sum_registers(m, n, tc))], sum_registers(m, n, td), 4,
          {"c": ".f32" if tc == "f32" else ".b32", "d": ".f32" if td == "f32" else ".b32"}, "", cases)


def quad_places(layout_a, layout_b, tc):
    """m8n8k4: (lane, index) to a place in one of four products."""
    low = lambda lane: lane % 4 if lane < 16 else lane % 4 + 4
    if layout_a == "row":
        pa = lambda lane, i: (low(lane), i)
    else:
        pa = lambda lane, i: (i % 4 if lane < 16 else i % 4 + 4, lane % 4)
    if layout_b == "row":
        pb = lambda lane, i: (lane % 4, i if lane < 16 else i + 4)
    else:
        pb = lambda lane, i: (i, low(lane))
    if tc == "f16":
        pc = lambda lane, i: (low(lane), i)
    else:
        x = lambda lane, i: (lane & 1) + (i & 2)
        pc = lambda lane, i: (x(lane, i) if lane < 16 else x(lane, i) + 4, (i & 4) + (lane & 2) + (i & 1))
    return pa, pb, pc


def add_quads(t, layout_a, layout_b, td, tc):
    pa, pb, pc = quad_places(layout_a, layout_b, tc)
    pd = quad_places(layout_a, layout_b, td)[2]
    cases = []
    for mode in modes(8):
        a = [random_matrix(8, 4, "f16", 16, operand_mode(mode, "a")) for _ in range(4)]
        b = [random_matrix(4, 8, "f16", 16, operand_mode(mode, "b")) for _ in range(4)]
        c_mode = "moderate" if mode.startswith("hot") else mode
        width = {"f16": 16, "f32": 32}
        c = [random_matrix(8, 8, tc, width[tc], c_mode) for _ in range(4)]
        d = [[[ref.sum_of([ref.decode(tc, c[q][i][j])] + [
            ref.times(ref.decode("f16", a[q][i][s]), ref.decode("f16", b[q][s][j])) for s in range(4)], td)
            for j in range(8)] for i in range(8)] for q in range(4)]
        case = {}
        for name, matrix, place, count, bits in (("a", a, pa, 4, 16), ("b", b, pb, 4, 16), ("c", c, pc, 8, width[tc]), ("d", d, pd, 8, width[td])):
            lanes = []
            for lane in range(LANES):
                lanes.append(spread(matrix[lane >> 2 & 3], place, count, bits)[lane])
            case[name] = lanes
        cases.append(case)
    count = {"f16": 4, "f32": 8}
    t.add("mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s" % (layout_a, layout_b, td, tc),
          [("a", 2), ("b", 2), ("c", count[tc])], count[td], 4,
          {"c": ".f32" if tc == "f32" else ".b32", "d": ".f32" if td == "f32" else ".b32"}, "", cases)


def metadata_for(ty, packed, k, f_count):
    """Valid metadata for all lanes: in ordered form."""
    tf32 = ty == "tf32"
    nibbles = [0b0100, 0b1110] if tf32 else [0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110]
    return [sum(random.choice(nibbles) << 4 * i for i in range(8)) for _ in range(LANES)]


def add_sparse(t, m, n, k, ta, tb, td, selectors, spelling, kind="", packed=False, scales=None, sat=""):
    bits = ref.bits_of(ta, packed)
    ra, rb = registers(m, n, k // 2, bits)[0], registers(m, n, k, bits)[1]
    for selector in selectors:
        cases = []
        for mode in modes(4):
            e = metadata_for(ta, packed, k, len(selectors))
            sparse = ref.sparse_columns(ta, k, e, selector, packed)
            scale, words = make_scales(scales, k) if scales else (None, {})
            if ta in ref.FLOATS:
                case = float_case(m, n, k, ta, tb, td, td, mode, packed, sparse, scale)
            else:
                case = integer_case(m, n, k, ta, tb, mode, sat, sparse)
            case["e"] = [[x] for x in e]
            case.update(words)
            cases.append(case)
        types = {x: ".f32" if td == "f32" else ".b32" for x in "cd"}
        operands = [("a", ra), ("b", rb), ("c", sum_registers(m, n, td)), ("e", 1)]
        tail = ", %%e0, %d" % selector
        name = "mma.%s.sync.aligned.m%dn%dk%d.row.col%s%s.%s.%s.%s.%s" % (spelling, m, n, k, kind, sat, td, ta, tb, td)
        if scales:
            operands += [("x", 1), ("y", 1)]
            tail += ", %%x0, {%d, %d}, %%y0, {%d, %d}" % scales[2]
            name += "." + scales[0]
        t.add(name, operands, sum_registers(m, n, td), 4, types, tail, cases)


def make_scales(scales, k):
    """Scales of the type and number given, in the bytes and lanes that the
    selectors name; other bytes are noise."""
    ty, count, (byte_a, thread_a, byte_b, thread_b) = scales
    x = [random.getrandbits(32) for _ in range(LANES)]
    y = [random.getrandbits(32) for _ in range(LANES)]

    def put(words, lane, byte, value):
        words[lane] = words[lane] & ~(255 << 8 * byte) | value << 8 * byte

    def scale():
        if random.random() < 0.01:
            return 0xFF if ty == "ue8m0" else 0x7F
        return random.randint(120, 134) if ty == "ue8m0" else random.randint(0, 0x7E)

    sa, sb = [], []
    for row in range(16):
        values = [scale() for _ in range(count)]
        for i, v in enumerate(values):
            put(x, row % 8 * 4 + 2 * thread_a + row // 8, byte_a + i, v)
        sa.append([ref.decode_scale(ty, v) for v in values])
    for column in range(8):
        values = [scale() for _ in range(count)]
        for i, v in enumerate(values):
            put(y, column * 4 + thread_b, byte_b + i, v)
        sb.append([ref.decode_scale(ty, v) for v in values])
    return (sa, sb, count), {"x": [[w] for w in x], "y": [[w] for w in y]}


def add_scaled(t, k, ta, tb, kind, vec, ty, count, ids, packed):
    cases = []
    for mode in modes(2):
        scale, words = make_scales((ty, count, ids), k)
        case = float_case(16, 8, k, ta, tb, "f32", "f32", mode, packed, None, scale)
        case.update(words)
        cases.append(case)
    ra, rb = registers(16, 8, k, ref.bits_of(ta, packed))
    t.add("mma.sync.aligned.m16n8k%d.row.col.kind::%s.block_scale%s.f32.%s.%s.f32.%s" % (k, kind, vec, ta, tb, ty),
          [("a", ra), ("b", rb), ("c", 4), ("x", 1), ("y", 1)], 4, 4, {"c": ".f32", "d": ".f32"},
          ", %%x0, {%d, %d}, %%y0, {%d, %d}" % ids, cases)


def integer_case(m, n, k, ta, tb, mode, sat, sparse=None, op=None):
    bits = ref.bits_of(ta)
    stored = k // 2 if sparse else k
    a = random_matrix(m, stored, ta, bits, operand_mode(mode, "a"))
    b = random_matrix(k, n, tb, bits, operand_mode(mode, "b"))
    limit = 1 << 31
    c = [[random.choice([random.randrange(-limit, limit), limit - 1, -limit, 0]) for _ in range(n)] for _ in range(m)]
    d = [[0] * n for _ in range(m)]
    for i in range(m):
        for j in range(n):
            total = c[i][j]
            for s in range(stored):
                x, y = a[i][s], b[sparse(i, s) if sparse else s][j]
                if op == "xor":
                    total += x ^ y
                else:
                    total += integer(ta, x) * integer(tb, y)
            if sat:
                total = min(max(total, -limit), limit - 1)
            d[i][j] = total & 0xFFFFFFFF
    c = [[x & 0xFFFFFFFF for x in row] for row in c]
    place_c = ref.fragment_c(m)
    return {
        "a": spread(a, ref.fragment_a(m, stored, bits), m * stored // LANES, bits),
        "b": spread(b, ref.fragment_b(k, bits), n * k // LANES, bits),
        "c": spread(c, place_c, m * n // LANES, 32),
        "d": spread(d, place_c, m * n // LANES, 32),
    }


def add_integer(t, m, k, ta, tb, sat="", op=None):
    cases = [integer_case(m, 8, k, ta, tb, mode, sat, None, op) for mode in modes(2)]
    ra, rb = registers(m, 8, k, ref.bits_of(ta))
    tail = ".%s.popc" % op if op else ""
    t.add("mma.sync.aligned.m%dn8k%d.row.col%s.s32.%s.%s.s32%s" % (m, k, sat, ta, tb, tail),
          [("a", ra), ("b", rb), ("c", m // 4)], m // 4, 4, {}, "", cases)


def fused(a, b, c, mode):
    """a * b + c of finite doubles, rounded once."""
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    near = float(exact)
    error = Fraction(near) - exact
    if mode == "rn" or error == 0:
        if exact == 0 and (a * b == 0 or c == 0 or True):
            p = math.copysign(1, a) * math.copysign(1, b)
            if (p < 0) == (math.copysign(1, c) < 0):
                return math.copysign(0.0, c)
            return -0.0 if mode == "rm" else 0.0
        return near
    up, down = error < 0, error > 0
    if mode == "rp" and up or mode == "rz" and up and exact < 0:
        return math.nextafter(near, math.inf)
    if mode == "rm" and down or mode == "rz" and down and exact > 0:
        return math.nextafter(near, -math.inf)
    return near


def add_double(t, m, k, mode):
    cases = []
    for kind in ["dense"] * 3 + ["hot"] * 6 + ["wide"]:
        value = lambda: random.uniform(-1, 1) * 2.0 ** random.randint(-500, 500) if kind == "wide" else random.uniform(-4, 4)
        a = [[value() for _ in range(k)] for _ in range(m)]
        if kind == "hot":
            a = [[0.0] * k for _ in range(m)]
            a[random.randrange(m)][random.randrange(k)] = 1.0
        b = [[value() for _ in range(8)] for _ in range(k)]
        c = [[value() for _ in range(8)] for _ in range(m)]
        d = [row[:] for row in c]
        for i, j, s in itertools.product(range(m), range(8), range(k)):
            d[i][j] = fused(a[i][s], b[s][j], d[i][j], mode or "rn")
        bits = lambda x: [[ref.bits_of_float(v) for v in row] for row in x]
        place_c = ref.fragment_c(m)
        cases.append({
            "a": spread(bits(a), ref.fragment_a(m, k, 64), m * k // LANES, 64),
            "b": spread(bits(b), ref.fragment_b(k, 64), k * 8 // LANES, 64),
            "c": spread(bits(c), place_c, m // 4, 64),
            "d": spread(bits(d), place_c, m // 4, 64),
        })
    suffix = "." + mode if mode else ""
    t.add("mma.sync.aligned.m%dn8k%d.row.col%s.f64.f64.f64.f64" % (m, k, suffix),
          [("a", m * k // LANES), ("b", k * 8 // LANES), ("c", m // 4)], m // 4, 8,
          {x: ".f64" for x in "abcd"}, "", cases)


# ---------------------------------------------------------------------------

FP8 = ["e4m3", "e5m2"]
NARROW = ["e4m3", "e5m2", "e3m2", "e2m3", "e2m1"]


def float_forms(t):
    for la, lb, (td, tc) in itertools.product(["row", "col"], ["row", "col"], [("f16", "f16"), ("f32", "f16"), ("f32", "f32")]):
        add_quads(t, la, lb, td, tc)
    for k in (8, 16):
        for td in ("f16", "f32"):
            add_float(t, 16, 8, k, "f16", "f16", td, hot=24)
        add_float(t, 16, 8, k, "bf16", "bf16", "f32")
        add_float(t, 16, 8, k // 2, "tf32", "tf32", "f32", hot=24)


def narrow_forms(t):
    for ta, tb, td, k in itertools.product(FP8, FP8, ("f16", "f32"), (16, 32)):
        add_float(t, 16, 8, k, ta, tb, td)
    for ta, tb, td in itertools.product(NARROW, NARROW, ("f16", "f32")):
        add_float(t, 16, 8, 32, ta, tb, td, kind=".kind::f8f6f4", hot=1)


def named_forms(t):
    """Forms of 8 bits whose kind is named, on targets that have no narrower ones."""
    for ta, tb in itertools.product(FP8, FP8):
        for td, k in itertools.product(("f16", "f32"), (16, 32)):
            add_float(t, 16, 8, k, ta, tb, td, kind=".kind::f8f6f4", hot=1)


def named_sparse_forms(t):
    for ta, tb in itertools.product(FP8, FP8):
        add_sparse(t, 16, 8, 64, ta, tb, "f32", [0], "sp::ordered_metadata", ".kind::f8f6f4")


def integer_forms(t):
    for types, shapes in ((("u8", "s8"), ((8, 16), (16, 16), (16, 32))), (("u4", "s4"), ((8, 32), (16, 32), (16, 64)))):
        for ta, tb, (m, k), sat in itertools.product(types, types, shapes, ("", ".satfinite")):
            add_integer(t, m, k, ta, tb, sat)
    for op, (m, k) in itertools.product(("xor", "and"), ((8, 128), (16, 128), (16, 256))):
        add_integer(t, m, k, "b1", "b1", op=op)


def double_forms(t):
    for (m, k), mode in itertools.product(((8, 4), (16, 4), (16, 8), (16, 16)), ("", "rn", "rz", "rm", "rp")):
        add_double(t, m, k, mode)


def sparse_forms(t):
    for spelling in ("sp", "sp::ordered_metadata"):
        for td in ("f16", "f32"):
            add_sparse(t, 16, 8, 16, "f16", "f16", td, range(4), spelling)
            add_sparse(t, 16, 8, 32, "f16", "f16", td, range(2), spelling)
        add_sparse(t, 16, 8, 16, "bf16", "bf16", "f32", range(4), spelling)
        add_sparse(t, 16, 8, 32, "bf16", "bf16", "f32", range(2), spelling)
        add_sparse(t, 16, 8, 8, "tf32", "tf32", "f32", range(4), spelling)
        add_sparse(t, 16, 8, 16, "tf32", "tf32", "f32", range(2), spelling)
        for ta, tb in itertools.product(FP8, FP8):
            add_sparse(t, 16, 8, 64, ta, tb, "f32", [0], spelling)
        for ta, tb, sat in itertools.product(("u8", "s8"), ("u8", "s8"), ("", ".satfinite")):
            add_sparse(t, 16, 8, 32, ta, tb, "s32", range(2), spelling, sat=sat)
            add_sparse(t, 16, 8, 64, ta, tb, "s32", [0], spelling, sat=sat)
        for ta, tb in itertools.product(("u4", "s4"), ("u4", "s4")):
            add_sparse(t, 16, 8, 64, ta, tb, "s32", range(2), spelling)
            add_sparse(t, 16, 8, 128, ta, tb, "s32", [0], spelling)
    ordered = "sp::ordered_metadata"
    for ta, tb in itertools.product(FP8, FP8):
        add_sparse(t, 16, 8, 64, ta, tb, "f16", [0], ordered)
    for ta, tb, td in itertools.product(("e4m3", "e3m2", "e2m1"), ("e5m2", "e2m3", "e2m1"), ("f16", "f32")):
        add_sparse(t, 16, 8, 64, ta, tb, td, [0], ordered, ".kind::f8f6f4")
    for kind, vec, ty, count in (("mxf4", ".scale_vec::2X", "ue8m0", 2), ("mxf4nvf4", ".scale_vec::4X", "ue4m3", 4)):
        add_sparse(t, 16, 8, 128, "e2m1", "e2m1", "f32", [0], ordered, ".kind::%s.block_scale%s" % (kind, vec), True, (ty, count, (0, 1, 0, 2)))
    add_sparse(t, 16, 8, 64, "e3m2", "e2m1", "f32", [0], ordered, ".kind::mxf8f6f4.block_scale.scale_vec::1X", False, ("ue8m0", 1, (1, 0, 3, 1)))


def scaled_forms(t):
    for ta, tb in itertools.product(NARROW, NARROW):
        add_scaled(t, 32, ta, tb, "mxf8f6f4", random.choice(["", ".scale_vec::1X"]), "ue8m0", 1,
                   (random.randrange(4), random.randrange(2), random.randrange(4), random.randrange(4)), False)
    for kind, vec, ty, count in (("mxf4", "", "ue8m0", 2), ("mxf4", ".scale_vec::2X", "ue8m0", 2), ("mxf4nvf4", ".scale_vec::2X", "ue8m0", 2), ("mxf4nvf4", ".scale_vec::4X", "ue4m3", 4)):
        for thread_a, thread_b in ((0, 0), (1, 3)):
            byte = 0 if count == 4 else 2 * thread_a
            add_scaled(t, 64, "e2m1", "e2m1", kind, vec, ty, count, (byte, thread_a, byte, thread_b), True)


FAMILIES = {"float": float_forms, "narrow": narrow_forms, "named": named_forms,
            "named-sparse": named_sparse_forms, "integer": integer_forms, "double": double_forms,
            "sparse": sparse_forms, "scaled": scaled_forms}


def main():
    folder, family = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    t = Test(folder, family, "sm_100f" if family.startswith("named") else "sm_120a")
    FAMILIES[family](t)
    t.write()


if __name__ == "__main__":
    main()
