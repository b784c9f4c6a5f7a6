"""mma in all shapes and types on matrices with one element: for every place of A
and of B a product with that element 1 and the other matrix dense, so that each bit
of a layout has a test of its own. The places are those of the manual's formulas.
Usage: one_hot.py FOLDER FAMILY, where the family is float, integer, sparse or
scaled."""

import itertools
import json
import os
import random
import struct
import sys

import matrix_reference as ref
from mma import LANES, NARROW, FP8, metadata_for, one_of, quad_places, integer

random.seed(31)

# For each register the number of its first element; the others of it follow.
KERNEL = """.visible .entry {name}({params})
{{
  .reg .pred %p<2>;
  .reg .b32 %t, %e, %n, %id, %dist, %hot, %x;
  .reg .b64 %wide, %zero;
  .reg .u64 %q, {pointers};
{declare}{load_params}  mov.u32 %t, %tid.x;
  mov.u32 %e, %ctaid.x;
  // The first {na} CTAs have one element of A, the others one of B.
  setp.lt.u32 %p0, %e, {na};
  sub.u32 %n, %e, {na};
  mov.b64 %zero, 0;
{load}{mma}{store}  ret;
}}
"""


class Test:
    def __init__(self, folder, name):
        self.folder, self.name, self.launches, self.expect, self.files = folder, name, [], [], 0
        self.text = [".version 9.0\n.target sm_120a\n.address_size 64\n"]

    def file(self, data):
        self.files += 1
        name = "%s-%d.bin" % (self.name, self.files)
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(data)
        return name

    def operand(self, x, count, wide, first, bits, one, condition):
        """Loads a register of x, or makes it of the one element."""
        unit = 8 if wide else 4
        per = max(32 // bits, 1)
        lines = ["  mad.wide.u32 %%q, %%t, %d, %%p%s;\n" % (4 * count, "i" + x), "  mad.wide.u32 %%px, %%t, %d, %%p%s;\n" % (unit * count, x)]
        for r in range(count):
            lines.append("  ld.global.u32 %%id, [%%q+%d];\n  sub.u32 %%dist, %%%s, %%id;\n" % (4 * r, first))
            lines.append("  setp.lt.u32 %%p1, %%dist, %d;\n" % per)
            name = "%%%s%d" % (x, r)
            if wide:
                lines.append("  ld.global.f64 %s, [%%px+%d];\n  selp.f64 %%one, 0d3FF0000000000000, 0d0000000000000000, %%p1;\n" % (name, 8 * r))
                lines.append("  selp.f64 %s, %s, %s, %%p0;\n" % ((name, "%one", name) if condition else (name, name, "%one")))
                continue
            lines.append("  ld.global.u32 %s, [%%px+%d];\n  mul.lo.u32 %%dist, %%dist, %d;\n" % (name, 4 * r, bits % 32))
            lines.append("  shl.b32 %%hot, %d, %%dist;\n  selp.b32 %%hot, %%hot, 0, %%p1;\n" % one)
            lines.append("  selp.b32 %s, %s, %s, %%p0;\n" % ((name, "%hot", name) if condition else (name, name, "%hot")))
        return "".join(lines)

    def add(self, mnemonic, tail, counts, bits, ones, tables, dense, number, results, d_type, extra=()):
        """counts: registers of a, b, d; tables and dense: by operand, words of all
        lanes; results: for each CTA the bytes of D; extra: more words a lane."""
        name = "k%d" % len(self.launches)
        wide = bits[0] == 64
        d_ty = {"f64": ".f64", "f32": ".f32"}.get(d_type, ".b32")
        reg = ".f64" if wide else ".b32"
        ra, rb, rd = counts
        names = ["a", "ia", "b", "ib", "d"] + [x for x, _ in extra]
        declare = "  .reg %s %%a<%d>, %%b<%d>, %%one;\n  .reg %s %%c<%d>, %%d<%d>;\n" % (reg, ra, rb, d_ty, rd, rd)
        declare += "".join("  .reg .b32 %%%s;\n" % x for x, _ in extra)
        load = self.operand("a", ra, wide, "e", bits[0], ones[0], True) + self.operand("b", rb, wide, "n", bits[1], ones[1], False)
        zero = {".f64": "mov.f64 %%c%d, 0d0000000000000000", ".f32": "mov.f32 %%c%d, 0f00000000"}.get(d_ty, "mov.b32 %%c%d, 0")
        load += "".join("  %s;\n" % (zero % i) for i in range(rd))
        load += "".join("  mad.wide.u32 %%q, %%t, 4, %%p%s;\n  ld.global.u32 %%%s, [%%q];\n" % (x, x) for x, _ in extra)
        vector = lambda x, c: "{" + ", ".join("%%%s%d" % (x, i) for i in range(c)) + "}"
        mma = "  %s %s, %s, %s, %s%s;\n" % (mnemonic, vector("d", rd), vector("a", ra), vector("b", rb), vector("c", rd), tail)
        unit = 8 if wide else 4
        store = "  mad.lo.u32 %%x, %%e, 32, %%t;\n  mad.wide.u32 %%q, %%x, %d, %%pd;\n" % (unit * rd)
        ty = {".f64": "f64", ".f32": "f32"}.get(d_ty, "u32")
        store += "".join("  st.global.%s [%%q+%d], %%d%d;\n" % (ty, unit * i, i) for i in range(rd))
        self.text.append(KERNEL.format(
            name=name, params=", ".join(".param .u64 p_" + x for x in names), pointers=", ".join("%p" + x for x in names) + ", %px",
            declare=declare, load_params="".join("  ld.param.u64 %%p%s, [p_%s];\n" % (x, x) for x in names),
            na=number, load=load, mma=mma, store=store))
        kind = "b64" if wide else "b32"
        pack = lambda words, w: struct.pack("<%d%s" % (len(words), "Q" if w else "I"), *words)
        args = []
        for x, words, w in (("a", dense[0], wide), ("ia", tables[0], False), ("b", dense[1], wide), ("ib", tables[1], False)):
            args.append({"buffer": x + name, "type": "b64" if w else "b32", "count": len(words), "init": {"file": self.file(pack(words, w))}})
        data = b"".join(results)
        args.append({"buffer": "d" + name, "type": kind, "count": len(data) // unit, "init": "zero"})
        self.expect.append({"buffer": "d" + name, "file": self.file(data)})
        for x, words in extra:
            args.append({"buffer": x + name, "type": "b32", "count": LANES, "init": {"file": self.file(pack(words, False))}})
        self.launches.append({"entry": name, "grid": [len(results)], "block": [LANES], "args": args})

    def write(self):
        with open(os.path.join(self.folder, self.name + ".ptx"), "w") as f:
            f.write("\n".join(self.text))
        with open(os.path.join(self.folder, self.name + ".json"), "w") as f:
            json.dump({"module": self.name + ".ptx", "launches": self.launches, "expect": self.expect}, f)


def element(ty, bits, td):
    """The bits of a number that every result has exactly, but not zero."""
    if ty == "f64":
        return ref.bits_of_float(float(random.randint(1, 1 << 20)) * random.choice([1, -1]))
    if ty not in ref.FLOATS:
        return random.randrange(1, 1 << bits)
    exp, frac = ref.FLOATS[ty]
    bias = (1 << exp - 1) - 1
    value = random.getrandbits(1) << exp + frac | min(bias + random.randint(0, 1), (1 << exp) - 1) << frac
    value |= random.getrandbits(frac) & (((1 << exp) - 1 >= 0) and (1 << frac) - 1)
    if ty == "tf32":
        return value << 13
    return value << 2 if ty == "e2m1" and bits == 8 else value


def result(ty, bits, packed, td, x):
    """What 1 times an element is in a result."""
    if ty == "f64":
        return x
    if td == "s32":
        return integer(ty, x) & 0xFFFFFFFF
    return ref.sum_of([ref.decode(ty, x, packed)], td)


class Operand:
    """A matrix, its places in registers, and the words of lanes. `at` gives the
    matrix's index for a lane and an element's number, `order` numbers elements so
    that those of a register follow each other."""

    def __init__(self, rows, columns, ty, bits, td, at, order, packed=False):
        self.rows, self.columns = rows, columns
        self.matrix = [[element(ty, bits, td) for _ in range(columns)] for _ in range(rows)]
        self.results = [[result(ty, bits, packed, td, x) for x in row] for row in self.matrix]
        per = max(32 // bits, 1)
        self.order = order
        self.count = None
        self.at, self.per, self.bits = at, per, bits

    def registers(self, count):
        """Numbers of first elements, and words."""
        table, words = [], []
        for lane in range(LANES):
            for r in range(count):
                places = [self.at(lane, r * self.per + i) for i in range(self.per)]
                ids = [self.order(*p) for p in places]
                assert ids == list(range(ids[0], ids[0] + self.per)), (lane, r, ids)
                table.append(ids[0])
                words.append(sum(self.matrix[i][j] << k * self.bits for k, (i, j) in enumerate(places)))
        return table, words


def by_lanes(d, place, registers, td):
    """The bytes of a fragment of D."""
    per = 2 if td == "f16" else 1
    words = []
    for lane in range(LANES):
        for r in range(registers):
            word = 0
            for i in range(per):
                row, column = place(lane, r * per + i)
                word |= d[row][column] << 16 * i
            words.append(word)
    return struct.pack("<%d%s" % (len(words), "Q" if td == "f64" else "I"), *words)


def add(t, mnemonic, m, n, k, ta, tb, td, tail="", packed=False, sparse=None, extra=(), op=None):
    bits = ref.bits_of(ta, packed)
    stored = k // 2 if sparse else k
    a = Operand(m, stored, ta, bits, td, ref.fragment_a(m, stored, bits), lambda i, s: i * stored + s, packed)
    b = Operand(k, n, tb, bits, td, ref.fragment_b(k, bits), lambda s, j: j * k + s, packed)
    per = max(32 // bits, 1)
    ra, rb = m * stored // LANES // per, k * n // LANES // per
    rd = m * n // LANES // (2 if td == "f16" else 1)
    place = ref.fragment_c(m)
    column = sparse or (lambda i, s: s)
    results = []
    # Of bits that differ each sum counts the dense matrix, too, and one less or
    # more where the element stands.
    for i, s in itertools.product(range(m), range(stored)):
        d = [[0] * n for _ in range(m)]
        for j in range(n):
            d[i][j] = b.results[column(i, s)][j]
        if op == "xor":
            total = [sum(b.matrix[x][j] for x in range(k)) for j in range(n)]
            d = [[total[j] + ((1 - 2 * b.matrix[s][j]) if row == i else 0) for j in range(n)] for row in range(m)]
        results.append(by_lanes(d, place, rd, td))
    number = len(results)
    stored_at = [{column(i, s): s for s in range(stored)} for i in range(m)]
    for j, s in itertools.product(range(n), range(k)):
        d = [[0] * n for _ in range(m)]
        for i in range(m):
            if s in stored_at[i]:
                d[i][j] = a.results[i][stored_at[i][s]]
        if op == "xor":
            total = [sum(row) for row in a.matrix]
            d = [[total[i] + ((1 - 2 * a.matrix[i][s]) if col == j else 0) for col in range(n)] for i in range(m)]
        results.append(by_lanes(d, place, rd, td))
    (table_a, words_a), (table_b, words_b) = a.registers(ra), b.registers(rb)
    t.add(mnemonic, tail, (ra, rb, rd), (bits, bits), (one_of(ta, bits), one_of(tb, bits)), (table_a, table_b), (words_a, words_b),
          number, results, td, extra)


def add_quads(t, la, lb, td):
    """Four products of 8 x 8 x 4 at once, in all of which the same element is 1."""
    pa, pb, pc = quad_places(la, lb, td)
    a = Operand(8, 4, "f16", 16, td, pa, (lambda i, s: i * 4 + s) if la == "row" else (lambda i, s: s * 8 + i))
    b = Operand(4, 8, "f16", 16, td, pb, (lambda s, j: s * 8 + j) if lb == "row" else (lambda s, j: j * 4 + s))
    results = []
    where = {a.order(i, s): (i, s) for i, s in itertools.product(range(8), range(4))}
    for e in range(32):
        i, s = where[e]
        d = [[b.results[s][j] if row == i else 0 for j in range(8)] for row in range(8)]
        results.append(by_lanes(d, pc, 8 if td == "f32" else 4, td))
    where = {b.order(s, j): (s, j) for s, j in itertools.product(range(4), range(8))}
    for e in range(32):
        s, j = where[e]
        d = [[a.results[i][s] if col == j else 0 for col in range(8)] for i in range(8)]
        results.append(by_lanes(d, pc, 8 if td == "f32" else 4, td))
    (table_a, words_a), (table_b, words_b) = a.registers(2), b.registers(2)
    t.add("mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s" % (la, lb, td, td), "", (2, 2, 8 if td == "f32" else 4), (16, 16),
          (0x3C00, 0x3C00), (table_a, table_b), (words_a, words_b), 32, results, td)


def name_of(m, k, ta, tb, td, kind="", spelling="", sat=""):
    return "mma%s.sync.aligned.m%dn8k%d.row.col%s%s.%s.%s.%s.%s" % (spelling, m, k, kind, sat, td, ta, tb, td)


def float_forms(t):
    for la, lb, td in itertools.product(("row", "col"), ("row", "col"), ("f16", "f32")):
        add_quads(t, la, lb, td)
    for k, (ta, td) in itertools.product((8, 16), (("f16", "f16"), ("f16", "f32"), ("bf16", "f32"))):
        add(t, name_of(16, k, ta, ta, td), 16, 8, k, ta, ta, td)
    for k in (4, 8):
        add(t, name_of(16, k, "tf32", "tf32", "f32"), 16, 8, k, "tf32", "tf32", "f32")
    for ta, tb, td, k in itertools.product(FP8, FP8, ("f16", "f32"), (16, 32)):
        add(t, name_of(16, k, ta, tb, td), 16, 8, k, ta, tb, td)
    for ta, tb, td in itertools.product(NARROW, NARROW, ("f16", "f32")):
        if ta == tb or td == "f32":
            add(t, name_of(16, 32, ta, tb, td, ".kind::f8f6f4"), 16, 8, 32, ta, tb, td)
    for m, k in ((8, 4), (16, 4), (16, 8), (16, 16)):
        add(t, "mma.sync.aligned.m%dn8k%d.row.col.f64.f64.f64.f64" % (m, k), m, 8, k, "f64", "f64", "f64")


def integer_forms(t):
    for types, shapes in ((("u8", "s8"), ((8, 16), (16, 16), (16, 32))), (("u4", "s4"), ((8, 32), (16, 32), (16, 64)))):
        for ta, tb, (m, k) in itertools.product(types, types, shapes):
            add(t, name_of(m, k, ta, tb, "s32"), m, 8, k, ta, tb, "s32")
    for op, (m, k) in itertools.product(("xor", "and"), ((8, 128), (16, 128), (16, 256))):
        add(t, name_of(m, k, "b1", "b1", "s32") + ".%s.popc" % op, m, 8, k, "b1", "b1", "s32", op=op)


def add_sparse(t, k, ta, tb, td, selectors, kind="", packed=False, scale=None):
    for selector in range(selectors):
        e = metadata_for(ta, packed, k, selectors)
        extra, tail = [("meta", e)], ", %%meta, %d" % selector
        name = name_of(16, k, ta, tb, td, kind, ".sp::ordered_metadata")
        if scale:
            name += "." + scale
            ones = 0x7F7F7F7F if scale == "ue8m0" else 0x38383838
            extra += [("scale", [ones] * LANES)]
            tail += ", %scale, {0, 0}, %scale, {0, 0}"
        add(t, name, 16, 8, k, ta, tb, td, tail, packed, ref.sparse_columns(ta, k, e, selector, packed), extra)


def sparse_forms(t):
    for td in ("f16", "f32"):
        add_sparse(t, 16, "f16", "f16", td, 4)
        add_sparse(t, 32, "f16", "f16", td, 2)
    add_sparse(t, 16, "bf16", "bf16", "f32", 4)
    add_sparse(t, 32, "bf16", "bf16", "f32", 2)
    add_sparse(t, 8, "tf32", "tf32", "f32", 4)
    add_sparse(t, 16, "tf32", "tf32", "f32", 2)
    for ta, tb in itertools.product(FP8, FP8):
        add_sparse(t, 64, ta, tb, "f32", 1)
    for ta, tb in (("u8", "s8"), ("s8", "s8")):
        add_sparse(t, 32, ta, tb, "s32", 2)
        add_sparse(t, 64, ta, tb, "s32", 1)
    for ta, tb in (("u4", "s4"), ("s4", "s4")):
        add_sparse(t, 64, ta, tb, "s32", 2)
        add_sparse(t, 128, ta, tb, "s32", 1)
    for ta, tb in (("e3m2", "e2m3"), ("e2m1", "e5m2"), ("e2m3", "e2m1")):
        add_sparse(t, 64, ta, tb, "f32", 1, ".kind::f8f6f4")
    add_sparse(t, 128, "e2m1", "e2m1", "f32", 1, ".kind::mxf4.block_scale.scale_vec::2X", True, "ue8m0")
    add_sparse(t, 128, "e2m1", "e2m1", "f32", 1, ".kind::mxf4nvf4.block_scale.scale_vec::4X", True, "ue4m3")


def scaled_forms(t):
    """All scales are 1 but that each is of its own place is tested elsewhere."""
    ones = lambda ty: [0x7F7F7F7F if ty == "ue8m0" else 0x38383838] * LANES
    for ta, tb in itertools.product(NARROW, NARROW):
        add(t, name_of(16, 32, ta, tb, "f32", ".kind::mxf8f6f4.block_scale") + ".ue8m0", 16, 8, 32, ta, tb, "f32",
            ", %scale, {0, 0}, %scale, {0, 0}", extra=[("scale", ones("ue8m0"))])
    for kind, vec, ty in (("mxf4", ".scale_vec::2X", "ue8m0"), ("mxf4nvf4", ".scale_vec::2X", "ue8m0"), ("mxf4nvf4", ".scale_vec::4X", "ue4m3")):
        add(t, name_of(16, 64, "e2m1", "e2m1", "f32", ".kind::%s.block_scale%s" % (kind, vec)) + "." + ty, 16, 8, 64, "e2m1", "e2m1",
            "f32", ", {%scale}, {0, 0}, {%scale}, {0, 0}", True, extra=[("scale", ones(ty))])


FAMILIES = {"float": float_forms, "integer": integer_forms, "sparse": sparse_forms, "scaled": scaled_forms}


def main():
    folder, family = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    t = Test(folder, "hot-" + family)
    FAMILIES[family](t)
    t.write()


main()
