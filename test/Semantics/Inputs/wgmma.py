"""wgmma: types, majors, swizzles, A in registers, negation, sparse A. Matrices
stand in shared memory as the manual's canonical layouts say. Usage: wgmma.py
FOLDER"""

import json
import os
import random
import struct
import sys

import matrix_reference as ref
from mma import integer, metadata_for, operand_mode, random_matrix

random.seed(25)
MASK32 = (1 << 32) - 1


def place(outer, k, unit, swizzle, transposed, lbo, sbo):
    """The byte that an element begins in, by the canonical layouts: `unit`
    elements are 16 bytes."""
    s = 1 << swizzle  # units in a row of what is swizzled
    if not transposed:
        row = (outer % 8) * 16 * s + outer // 8 * sbo
        at = row + (k // unit) * (lbo if s == 1 else 16) + k % unit * 16 // unit
    else:
        inner, block = outer // unit % s, outer // unit // s
        far = block * (sbo if s == 1 else lbo) + k // 8 * (lbo if s == 1 else sbo)
        at = outer % unit * 16 // unit + inner * 16 + k % 8 * 16 * s + far
    return at ^ (at >> 7 & (s - 1)) << 4


class Image:
    """A matrix in shared memory and its descriptor."""

    def __init__(self, matrix, bits, swizzle, transposed):
        """matrix[outer][k]"""
        unit = 128 // bits
        outers, ks = len(matrix), len(matrix[0])
        s = 1 << swizzle
        if not transposed:
            sbo = 128 * s
            lbo = -(-outers // 8) * 128 if s == 1 else 16
            # A row of what is swizzled may be longer than K: the rest is noise.
            size = -(-outers // 8) * 128 * max(s, ks // unit)
        elif s == 1:
            sbo, lbo = 128, outers // unit * 128
            size = outers // unit * 128 * ks // 8
        else:
            sbo = 128 * s
            lbo = sbo * ks // 8
            size = -(-outers // unit // s) * lbo
        size = -(-size // 1024) * 1024
        data = int.from_bytes(random.randbytes(size), "little")
        data = bytearray(random.randbytes(size))
        if bits == 1:
            data = bytearray(size)
        for o in range(outers):
            for k in range(ks):
                at = place(o, k, unit, swizzle, transposed, lbo, sbo)
                v = matrix[o][k]
                if bits == 1:
                    data[at] |= v << k % 8
                else:
                    data[at:at + bits // 8] = v.to_bytes(bits // 8, "little")
        self.data = bytes(data)
        mode = 0 if swizzle == 0 else 4 - swizzle
        self.descriptor = lbo >> 4 << 16 | sbo >> 4 << 32 | mode << 62


class Test:
    def __init__(self, folder):
        self.folder, self.text, self.launches, self.expect = folder, [], [], []
        self.text.append(".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 tile[65536];\n")
        self.files = 0

    def file(self, words):
        self.files += 1
        name = "wgmma-%d.bin" % self.files
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(struct.pack("<%dI" % len(words), *words))
        return name

    def add(self, n, td, ta, tb, swizzle_a=3, swizzle_b=3, trans_a=0, trans_b=0, registers=False,
            neg=(1, 1), scale_d=True, sat="", sparse=False, groups=0, mode="moderate"):
        bits = ref.bits_of(ta)
        stored = 256 // bits
        k = stored * 2 if sparse else stored
        a = random_matrix(64, stored, ta, bits, operand_mode(mode, "a"))
        b = random_matrix(n, k, tb, bits, operand_mode(mode, "b"))
        c = random_matrix(64, n, td, 16 if td == "f16" else 32, "special" if mode == "special" else "moderate")
        meta = [metadata_for(ta, False, k, 1) for _ in range(4)]
        selector = 0 if bits == 8 else random.randrange(2)
        d = [[0] * n for _ in range(64)]
        for i in range(64):
            column = ref.sparse_columns(ta, k, meta[i // 16], selector) if sparse else None
            for j in range(n):
                d[i][j] = self.element(a[i], b[j], c[i][j] if scale_d else 0, i % 16, column, td, ta, tb, neg, sat)
        image_b = Image(b, bits, swizzle_b, trans_b)
        image_a = Image(a, bits, swizzle_a, trans_a)
        shared = image_b.data + (b"" if registers else image_a.data)
        per = 2 if td == "f16" else 1
        count = n // 2 // per
        place_d = lambda warp, lane, i: (16 * warp + lane // 4 + (8 if i % 4 >= 2 else 0), i // 4 * 8 + lane % 4 * 2 + i % 2)
        fragment = lambda m: [sum(m[r][col] << 16 * e for e in range(per) for r, col in [place_d(t // 32, t % 32, x * per + e)])
                              for t in range(128) for x in range(count)]
        a_words = []
        for warp in range(4):
            rows = a[16 * warp:16 * warp + 16]
            layout = ref.fragment_a(16, stored, bits)
            per_a = 32 // bits
            for lane in range(32):
                words = [0] * 4
                for i in range(4 * per_a):
                    r, col = layout(lane, i)
                    words[i // per_a] |= rows[r][col] << i % per_a * bits
                a_words += words
        self.emit(n, k, td, ta, tb, count, len(shared), len(image_b.data), image_a.descriptor, image_b.descriptor,
                  trans_a, trans_b, registers, neg, scale_d, sat, sparse, selector,
                  shared, a_words, fragment(c), fragment(d), [w for m in meta for w in m])

    def element(self, a, b, c, row, column, td, ta, tb, neg, sat):
        pairs = [(x, b[column(row, s) if column else s]) for s, x in enumerate(a)]
        if td == "s32":
            total = c - (1 << 32 if c >> 31 else 0) + sum(integer(ta, x) * integer(tb, y) for x, y in pairs)
            if sat:
                total = min(max(total, -(1 << 31)), (1 << 31) - 1)
            return total & MASK32
        terms = [ref.decode(td, c)]
        for x, y in pairs:
            p = ref.times(ref.decode(ta, x), ref.decode(tb, y))
            terms.append((p[0], p[1] * neg[0] * neg[1], p[2], p[3]))
        return ref.sum_of(terms, td)

    def emit(self, n, k, td, ta, tb, count, shared_bytes, a_offset, desc_a, desc_b, trans_a, trans_b, registers,
             neg, scale_d, sat, sparse, selector, shared, a_words, c, d, meta):
        kernel = "k%d" % len(self.launches)
        ty = ".f32" if td == "f32" else ".b32"
        ld = "f32" if td == "f32" else "u32"
        d_list = "{" + ", ".join("%%d%d" % i for i in range(count)) + "}"
        a_op = "{%a0, %a1, %a2, %a3}" if registers else "%da"
        sp = ", %%e, %d" % selector if sparse else ""
        tail = ""
        if td != "s32":
            tail = ", %d, %d" % neg
            if ta in ("f16", "bf16"):
                tail += ", %d" % trans_b if registers else ", %d, %d" % (trans_a, trans_b)
        bitop = ".and.popc" if ta == "b1" else ""
        mnemonic = "wgmma.mma_async%s.sync.aligned.m64n%dk%d%s.%s.%s.%s%s" % (
            ".sp" if sparse else "", n, k, sat, td, ta, tb, bitop)
        body = [
            "  .reg .pred %%p<4>;\n  .reg .b32 %%t, %%i, %%v, %%s, %%e, %%base;\n  .reg .b32 %%a<4>;\n  .reg %s %%d<%d>;\n" % (ty, count),
            "  .reg .u64 %%ps, %%pa, %%pc, %%pd, %%pe, %%q, %%da, %%db;\n".replace("%%", "%"),
            "".join("  ld.param.u64 %%p%s, [p_%s];\n" % (x, x) for x in "sacde"),
            "  mov.u32 %t, %tid.x;\n  mov.u32 %i, %t;\n  mov.u32 %base, tile;\n",
            "COPY:\n  mad.wide.u32 %%q, %%i, 4, %%ps;\n  ld.global.u32 %%v, [%%q];\n  mad.lo.u32 %%s, %%i, 4, %%base;\n"
            "  st.shared.u32 [%%s], %%v;\n  add.u32 %%i, %%i, 128;\n  setp.lt.u32 %%p1, %%i, %d;\n  @%%p1 bra COPY;\n" % (shared_bytes // 4),
            "  fence.proxy.async.shared::cta;\n  bar.sync 0;\n",
            "  mad.wide.u32 %%pc, %%t, %d, %%pc;\n  mad.wide.u32 %%pd, %%t, %d, %%pd;\n  mad.wide.u32 %%pa, %%t, 16, %%pa;\n  mad.wide.u32 %%pe, %%t, 4, %%pe;\n" % (4 * count, 4 * count),
            "".join("  ld.global.%s %%d%d, [%%pc+%d];\n" % (ld, i, 4 * i) for i in range(count)),
            "".join("  ld.global.u32 %%a%d, [%%pa+%d];\n" % (i, 4 * i) for i in range(4)),
            "  ld.global.u32 %e, [%pe];\n",
            # The address, in units of 16 bytes, into the descriptors.
            "  shr.u32 %s, %base, 4;\n  cvt.u64.u32 %q, %s;\n",
            # The distance of A is added last, as kernels do that go along K.
            "  or.b64 %%db, %%q, 0x%x;\n  or.b64 %%q, %%q, 0x%x;\n  add.u64 %%da, %%q, %d;\n" % (desc_b, desc_a, a_offset >> 4),
            "  setp.eq.u32 %%p0, %d, 1;\n" % int(scale_d),
            "  wgmma.fence.sync.aligned;\n",
            "  %s %s, %s, %%db%s, %%p0%s;\n" % (mnemonic, d_list, a_op, sp, tail),
            "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n",
            "".join("  st.global.%s [%%pd+%d], %%d%d;\n" % (ld, 4 * i, i) for i in range(count)),
        ]
        self.text.append(".visible .entry %s(%s)\n{\n%s  ret;\n}\n" % (
            kernel, ", ".join(".param .u64 p_" + x for x in "sacde"), "".join(body)))
        args = []
        for x, words in zip("sacde", (struct.unpack("<%dI" % (len(shared) // 4), shared), a_words, c, d, meta)):
            buffer = x + str(len(self.launches))
            arg = {"buffer": buffer, "type": "u32", "count": len(words)}
            arg["init"] = "zero" if x == "d" else {"file": self.file(words)}
            args.append(arg)
            if x == "d":
                self.expect.append({"buffer": buffer, "file": self.file(words)})
        self.launches.append({"entry": kernel, "grid": [1], "block": [128], "args": args})

    def write(self):
        with open(os.path.join(self.folder, "wgmma.ptx"), "w") as f:
            f.write("\n".join(self.text))
        with open(os.path.join(self.folder, "wgmma.json"), "w") as f:
            json.dump({"module": "wgmma.ptx", "launches": self.launches, "expect": self.expect}, f)


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    t = Test(sys.argv[1])
    # All layouts of both operands.
    for swizzle in range(4):
        for trans in (0, 1):
            t.add(16 if not trans else 64, "f32", "f16", "f16", swizzle, 3 - swizzle, trans, 0)
            t.add(64 if trans else 8, "f32", "bf16", "bf16", 3 - swizzle, swizzle, 0, trans)
        t.add(24, "f32", "tf32", "tf32", swizzle, swizzle)
        t.add(8, "f32", "e4m3", "e5m2", swizzle, swizzle)
        t.add(16, "s32", "s8", "u8", swizzle, swizzle)
    t.add(64, "f32", "bf16", "bf16", 3, 3, 1, 1)
    # The largest, both types of sums, A in registers.
    t.add(256, "f32", "f16", "f16")
    t.add(32, "f16", "f16", "f16")
    t.add(16, "f16", "e4m3", "e4m3")
    t.add(16, "f16", "e5m2", "e4m3", registers=True)
    t.add(16, "f32", "e5m2", "e5m2", registers=True)
    t.add(40, "f32", "f16", "f16", registers=True)
    t.add(8, "f32", "bf16", "bf16", registers=True)
    t.add(8, "f32", "tf32", "tf32", registers=True)
    for ta in ("s8", "u8"):
        for tb in ("s8", "u8"):
            t.add(8, "s32", ta, tb, registers=ta == tb, sat=random.choice(["", ".satfinite"]))
    t.add(8, "s32", "b1", "b1")
    t.add(16, "s32", "b1", "b1", registers=True)
    for ta in ("e4m3", "e5m2"):
        for tb in ("e4m3", "e5m2"):
            for td in ("f16", "f32"):
                t.add(8, td, ta, tb)
                t.add(8, td, ta, tb, sparse=True)
    for ta, tb in (("s8", "s8"), ("u8", "s8"), ("u8", "u8")):
        t.add(8, "s32", ta, tb, sparse=True)
    # Signs, and no addend.
    for neg in ((-1, 1), (1, -1), (-1, -1)):
        t.add(8, "f32", "f16", "f16", neg=neg)
    t.add(8, "f32", "f16", "f16", scale_d=False)
    t.add(8, "s32", "s8", "s8", scale_d=False)
    for td, ta, tb in (("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32"),
                       ("f32", "e4m3", "e5m2"), ("f16", "e4m3", "e4m3"), ("s32", "s8", "u8")):
        for registers in (False, True):
            t.add(8, td, ta, tb, registers=registers, sparse=True)
    # Diagonals, single elements, and numbers that are special.
    for td, ta, tb in (("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32"),
                       ("f32", "e4m3", "e5m2"), ("f16", "e5m2", "e4m3"), ("s32", "s8", "u8"), ("s32", "b1", "b1")):
        for mode in ("diagonal a", "diagonal a", "diagonal b", "diagonal b", "hot a", "hot b", "special", "special"):
            registers = random.random() < 0.3
            t.add(16, td, ta, tb, random.randrange(4), random.randrange(4), registers=registers, mode=mode)
            if ta != "b1":
                t.add(8, td, ta, tb, registers=registers, sparse=True, mode=mode)
    t.write()


if __name__ == "__main__":
    main()
