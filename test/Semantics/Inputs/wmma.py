"""wmma.load, wmma.mma and wmma.store in all shapes, types and layouts, over
global, shared and generic addresses. Usage: wmma.py FOLDER"""

import itertools
import json
import os
import random
import struct
import sys

import matrix_reference as ref
from mma import integer, operand_mode, random_matrix

random.seed(21)
FORMATS = {"f16": "H", "bf16": "H", "f32": "I", "s32": "I", "tf32": "I", "f64": "Q"}


def element_bits(ty):
    return {"f32": 32, "s32": 32}.get(ty) or ref.bits_of(ty)


def stored(matrix, ty, layout, stride):
    """The bytes of a matrix in memory; what no element has is 0."""
    bits = element_bits(ty)
    rows, columns = len(matrix), len(matrix[0])
    outer = rows if layout == "row" else columns
    data = 0
    for i, j in itertools.product(range(rows), range(columns)):
        at = i * stride + j if layout == "row" else j * stride + i
        data |= matrix[i][j] << at * bits
    return data.to_bytes(outer * stride * bits // 8, "little")


def fragment_counts(shape, ty):
    m, n, k = shape
    words = lambda rows: max(rows * k * ref.bits_of(ty) // 32 // 32, 1)
    if ty == "f16":
        return 8, 8
    if ty == "f64":
        return 1, 1
    return words(m), words(n)


def product(a, b, c, ta, tc, td, sat, op):
    m, n, k = len(a), len(b[0]), len(b)
    d = [[0] * n for _ in range(m)]
    for i, j in itertools.product(range(m), range(n)):
        if td == "s32":
            total = c[i][j] - (1 << 32 if c[i][j] >> 31 else 0)
            for s in range(k):
                x, y = a[i][s], b[s][j]
                total += (x ^ y if op == "xor" else integer(ta, x) * integer(ta, y))
            if sat:
                total = min(max(total, -(1 << 31)), (1 << 31) - 1)
            d[i][j] = total & 0xFFFFFFFF
        elif td == "f64":
            total = ref.float_of_bits(c[i][j])
            for s in range(k):
                total += ref.float_of_bits(a[i][s]) * ref.float_of_bits(b[s][j])
            d[i][j] = ref.bits_of_float(total)
        else:
            d[i][j] = ref.sum_of([ref.decode(tc, c[i][j])] + [
                ref.times(ref.decode(ta, a[i][s]), ref.decode(ta, b[s][j])) for s in range(k)], td)
    return d


class Test:
    def __init__(self, folder):
        self.folder = folder
        self.text = [".version 8.7\n.target sm_90\n.address_size 64\n"
                     ".shared .align 32 .b8 tile[16384];\n"]
        self.launches, self.expect, self.files = [], [], 0

    def file(self, data):
        self.files += 1
        name = "wmma-%d.bin" % self.files
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(data)
        return name

    def add(self, shape, types, layouts, space, op="", sat="", mode="moderate", rnd=""):
        td, ta, tc = types
        m, n, k = shape
        la, lb, lc, ld = layouts
        name = "m%dn%dk%d" % shape
        if ta == "f64":
            value = lambda rows, columns: [[ref.bits_of_float(float(random.randint(-99, 99))) for _ in range(columns)] for _ in range(rows)]
            a, b, c = value(m, k), value(k, n), value(m, n)
        else:
            bits = ref.bits_of(ta)
            a = random_matrix(m, k, ta, bits, operand_mode(mode, "a"))
            b = random_matrix(k, n, ta, bits, operand_mode(mode, "b"))
            c_mode = "moderate" if mode.startswith(("hot", "diagonal")) else mode
            c = random_matrix(m, n, tc, element_bits(tc), c_mode)
        d = product(a, b, c, ta, tc, td, sat, op)
        # Rows and columns apart from each other, and as close as they can be.
        gap = random.choice([0, 0, 32]) if ta != "b1" else random.choice([0, 128])
        lead = lambda rows, columns, layout: (columns if layout == "row" else rows) + gap
        strides = [lead(m, k, la), lead(k, n, lb), lead(m, n, lc), lead(m, n, ld)]
        datas = [stored(x, t, l, s) for x, t, l, s in zip((a, b, c, d), (ta, ta, tc, td), layouts, strides)]
        ra, rb = fragment_counts(shape, ta)
        count = lambda t: m * n // 32 // (2 if t == "f16" else 1)
        kernel = "k%d" % len(self.launches)
        body, address = [], {}
        wide = {"f64": ".f64", "f32": ".f32"}
        for x, r, t in (("a", ra, ta), ("b", rb, ta), ("c", count(tc), tc), ("d", count(td), td)):
            body.append("  .reg %s %%%s<%d>;\n  .reg .u64 %%p%s;\n  ld.param.u64 %%p%s, [p_%s];\n" % (wide.get(t, ".b32"), x, r, x, x, x))
        at = 0
        for x, data in zip("abc", datas):
            address[x] = "%p" + x
            if space != "global":
                body.append(COPY.format(x=x, at=at, words=len(data) // 4))
                address[x] = "%sh" + x if space == "generic" else "tile+%d" % at
                at += -(-len(data) // 32) * 32
        suffix = {"global": ".global", "generic": "", "shared": ".shared"}[space]
        vector = lambda x, r: "{" + ", ".join("%%%s%d" % (x, i) for i in range(r)) + "}"
        for x, r, t, l, s in zip("abc", (ra, rb, count(tc)), (ta, ta, tc), layouts, strides):
            stride = ", %d" % s if gap else ""
            body.append("  wmma.load.%s.sync.aligned.%s.%s%s.%s %s, [%s]%s;\n" % (x, l, name, suffix, t, vector(x, r), address[x], stride))
        names = ".%s.%s" % (td, tc) if ta == "f16" else ".%s.%s.%s.%s" % (td, ta, ta, tc)
        body.append("  wmma.mma%s.sync.aligned.%s.%s.%s%s%s%s %s, %s, %s, %s;\n" % (
            ".%s.popc" % op if op else "", la, lb, name, rnd, names, sat, vector("d", count(td)), vector("a", ra), vector("b", rb), vector("c", count(tc))))
        stride = ", %d" % strides[3] if gap else ""
        body.append("  wmma.store.d.sync.aligned.%s.%s.global.%s [%%pd], %s%s;\n" % (ld, name, td, vector("d", count(td)), stride))
        self.text.append(".visible .entry %s(%s)\n{\n  .reg .pred %%p1;\n  .reg .b32 %%i, %%v, %%s;\n  .reg .u64 %%q, %%sha, %%shb, %%shc;\n%s  ret;\n}\n" % (
            kernel, ", ".join(".param .u64 p_" + x for x in "abcd"), "".join(body)))
        args = []
        for x, data in zip("abcd", datas):
            buffer = x + str(len(self.launches))
            arg = {"buffer": buffer, "type": "u8", "count": len(data)}
            arg["init"] = "zero" if x == "d" else {"file": self.file(data)}
            args.append(arg)
            if x == "d":
                self.expect.append({"buffer": buffer, "file": self.file(data)})
        self.launches.append({"entry": kernel, "grid": [1], "block": [32], "args": args})

    def write(self):
        with open(os.path.join(self.folder, "wmma.ptx"), "w") as f:
            f.write("\n".join(self.text))
        with open(os.path.join(self.folder, "wmma.json"), "w") as f:
            json.dump({"module": "wmma.ptx", "launches": self.launches, "expect": self.expect}, f)


# Copies a matrix to shared memory.
COPY = """  cvta.shared.u64 %sh{x}, tile;
  add.u64 %sh{x}, %sh{x}, {at};
  mov.u32 %i, %tid.x;
L{x}:
  mad.wide.u32 %q, %i, 4, %p{x};
  setp.lt.u32 %p1, %i, {words};
  @%p1 ld.global.u32 %v, [%q];
  mad.lo.u32 %s, %i, 4, {at};
  mov.u32 %v, %v;
  cvt.u64.u32 %q, %s;
  @%p1 st.shared.u32 [%s], %v;
  add.u32 %i, %i, 32;
  setp.lt.u32 %p1, %i, {words};
  @%p1 bra L{x};
  bar.warp.sync 0xffffffff;
"""


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    t = Test(sys.argv[1])
    layouts = list(itertools.product(["row", "col"], repeat=4))
    spaces = itertools.cycle(["global", "shared", "generic"])
    tall = [(16, 16, 16), (8, 32, 16), (32, 8, 16)]
    all_modes = itertools.cycle(["moderate", "hot a", "special", "hot b", "any", "diagonal a", "diagonal b"])
    for shape, (td, tc) in itertools.product(tall, itertools.product(["f16", "f32"], repeat=2)):
        for l in layouts:
            t.add(shape, (td, "f16", tc), l, next(spaces), mode=next(all_modes))
    for shape, l in itertools.product(tall, layouts):
        t.add(shape, ("f32", "bf16", "f32"), l, next(spaces), mode=next(all_modes))
        for ta, sat in itertools.product(["u8", "s8"], ["", ".satfinite"]):
            t.add(shape, ("s32", ta, "s32"), l, next(spaces), sat=sat, mode=next(all_modes))
    for l in layouts:
        t.add((16, 16, 8), ("f32", "tf32", "f32"), l, next(spaces), mode=next(all_modes))
        t.add((8, 8, 4), ("f64", "f64", "f64"), l, next(spaces), rnd=random.choice(["", ".rn", ".rz"]))
    for lc, ld in itertools.product(["row", "col"], repeat=2):
        l = ("row", "col", lc, ld)
        for ta, sat in itertools.product(["u4", "s4"], ["", ".satfinite"]):
            for mode in ("moderate", "diagonal a", "diagonal b"):
                t.add((8, 8, 32), ("s32", ta, "s32"), l, next(spaces), sat=sat, mode=mode)
        for op in ("xor", "and"):
            for mode in ("moderate", "diagonal a", "diagonal b"):
                t.add((8, 8, 128), ("s32", "b1", "s32"), l, next(spaces), op=op, mode=mode)
    t.write()


if __name__ == "__main__":
    main()
