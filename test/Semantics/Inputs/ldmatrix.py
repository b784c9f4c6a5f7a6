"""ldmatrix, stmatrix and movmatrix in all forms. Usage: ldmatrix.py FOLDER"""

import itertools
import os
import random
import sys

from ptxtest import Module

random.seed(22)
LANES = range(32)


def byte(rows, row, column):
    return rows[row] >> 8 * column & 255


def unpack(row, width):
    """16 elements of a few bits as bytes; those of 4 bits in the middle. -4:
    integers of 4 bits with a sign, in the second half of what is 16 bytes."""
    if width == -4:
        nibbles = [row >> 64 + 4 * i & 15 for i in range(16)]
        return int.from_bytes([(n - 16 if n > 7 else n) & 255 for n in nibbles], "little")
    value = 0
    for i in range(16):
        element = row >> width * i & ((1 << width) - 1)
        value |= (element << 2 if width == 4 else element) << 8 * i
    return value


# What a lane holds of a matrix: the (row, byte column) of each byte of its
# registers, the lowest first.
def halves(lane):
    return [[(lane // 4, lane % 4 * 4 + i) for i in range(4)]]


def halves_transposed(lane):
    # Element (row, column) of the transposed matrix is (column, row) in memory.
    return [[(lane % 4 * 2 + i // 2, lane // 4 * 2 + i % 2) for i in range(4)]]


def bytes_plain(lane):
    return [[(lane // 4, lane % 4 * 4 + i) for i in range(4)]]


def bytes_16_transposed(lane):
    # Four columns of two rows of the transposed matrix, two columns a register.
    g, t = lane // 4, lane % 4
    return [[(4 * t + 2 * r, g), (4 * t + 2 * r + 1, g),
             (4 * t + 2 * r, g + 8), (4 * t + 2 * r + 1, g + 8)] for r in range(2)]


def bytes_8_transposed(lane):
    g, t = lane // 4, lane % 4
    return [[(2 * t, g), (2 * t + 1, g), (2 * t, g + 8), (2 * t + 1, g + 8)]]


LOADS = [("m8n8", "", "b16", 8, halves, 0), ("m8n8", ".trans", "b16", 8, halves_transposed, 0),
         ("m16n16", ".trans", "b8", 16, bytes_16_transposed, 0)]
for name, width in (("b6x16_p32", 6), ("b4x16_p64", 4)):
    LOADS.append(("m8n16", "", "b8x16." + name, 8, bytes_plain, width))
    LOADS.append(("m16n16", ".trans", "b8x16." + name, 16, bytes_16_transposed, width))
LOADS.append(("m8n16", "", "s8.s4", 8, bytes_plain, -4))
STORES = [("m8n8", "", "b16", halves), ("m8n8", ".trans", "b16", halves_transposed),
          ("m16n8", ".trans", "b8", bytes_8_transposed)]

# 32 rows of 16 bytes, each followed by 16 bytes: the lane's row is at the place
# that a permutation of the lanes gives it.
PLACES = """  mov.u32 %r0, tile;
  mad.lo.u32 %r1, %me, 32, %r0;
  mul.lo.u32 %r2, %me, 5;
  and.b32 %r2, %r2, 31;
  mad.lo.u32 %r2, %r2, 32, %r0;
"""
SETUP = PLACES + """  ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%i];
  st.shared.v4.u32 [%r1], {%r10, %r11, %r12, %r13};
  bar.sync 0;
"""


def rows_by_lane(data):
    """The row that each lane's address names."""
    return [data[lane * 5 % 32] for lane in LANES]


def words(data):
    return [d >> 32 * i & 0xFFFFFFFF for d in data for i in range(4)]


def add_loads(m, forms):
    m.add(".shared .align 16 .b8 tile[1024];\n")
    for n, (shape, trans, ty, rows, layout, width) in enumerate(forms):
        for count in (1, 2, 4) if rows == 8 else (1, 2):
            for space in ("", ".shared", ".shared::cta"):
                registers = count * rows // 8
                name = "load%d_%d_%d" % (n, count, len(space))
                body = SETUP
                address = "%r2"
                if width < 0:
                    body += "  add.u32 %r2, %r2, 8;\n"
                if not space:
                    body += "  cvt.u64.u32 %d1, %r2;\n  cvta.shared.u64 %d1, %d1;\n"
                    address = "%d1"
                names = ["%%r%d" % (20 + i) for i in range(registers)]
                body += "  ldmatrix.sync.aligned.%s.x%d%s%s.%s {%s}, [%s];\n" % (
                    shape, count, trans, space, ty, ", ".join(names), address)
                for i, r in enumerate(names):
                    body += "  st.global.u32 [%%o+%d], %s;\n" % (4 * i, r)
                m.kernel(name, [("i", 16)], [("o", 4 * registers)], body)
                data = [random.getrandbits(128) for _ in LANES]
                lines = rows_by_lane(data)
                if width:
                    lines = [unpack(x, width) for x in lines]
                out = []
                for lane in LANES:
                    for matrix in range(count):
                        part = lines[matrix * rows:]
                        for register in layout(lane):
                            out.append(sum(byte(part, r, c) << 8 * i for i, (r, c) in enumerate(register)))
                m.launch(name, [("u32", words(data))], [("u32", out)], 32)


def add_stores(m, forms):
    for n, (shape, trans, ty, layout) in enumerate(forms):
        for count, space in itertools.product((1, 2, 4), ("", ".shared")):
            name = "store%d_%d_%d" % (n, count, len(space))
            body = PLACES + "  mov.u32 %r3, 0;\n"
            body += "  st.shared.v4.u32 [%r1], {%r3, %r3, %r3, %r3};\n  bar.sync 0;\n"
            names = ["%%r%d" % (20 + i) for i in range(count)]
            for i, r in enumerate(names):
                body += "  ld.global.u32 %s, [%%i+%d];\n" % (r, 4 * i)
            address = "%r2+0"
            if not space:
                body += "  cvt.u64.u32 %d1, %r2;\n  cvta.shared.u64 %d1, %d1;\n"
                address = "%d1"
            body += "  stmatrix.sync.aligned.%s.x%d%s%s.%s [%s], {%s};\n  bar.sync 0;\n" % (
                shape, count, trans, space, ty, address, ", ".join(names))
            body += "  ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r1];\n"
            body += "  st.global.v4.u32 [%o], {%r10, %r11, %r12, %r13};\n"
            m.kernel(name, [("i", 4 * count)], [("o", 16)], body)
            values = [random.getrandbits(32) for _ in range(32 * count)]
            lines = [0] * 32
            for lane in LANES:
                for matrix in range(count):
                    value = values[lane * count + matrix]
                    for i, (r, c) in enumerate(layout(lane)[0]):
                        lines[matrix * 8 + r] |= (value >> 8 * i & 255) << 8 * c
            out = [0] * 32
            for lane in LANES:
                out[lane * 5 % 32] = lines[lane]
            m.launch(name, [("u32", values)], [("u32", words(out))], 32)


def add_move(m):
    m.kernel("move", [("i", 4)], [("o", 4)],
             "  ld.global.u32 %r1, [%i];\n  movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n"
             "  st.global.u32 [%o], %r2;\n")
    matrix = [[random.getrandbits(16) for _ in range(8)] for _ in range(8)]
    pair = lambda x, lane: x[lane // 4][lane % 4 * 2] | x[lane // 4][lane % 4 * 2 + 1] << 16
    turned = [list(row) for row in zip(*matrix)]
    m.launch("move", [("u32", [pair(matrix, l) for l in LANES])],
             [("u32", [pair(turned, l) for l in LANES])], 32)


def main():
    m = Module("sm_120a", "9.4")
    add_loads(m, LOADS)
    add_stores(m, STORES)
    add_move(m)
    m.write(sys.argv[1], "ldmatrix")
    # What the interpreter covers.
    m = Module("sm_120a", "8.7")
    add_loads(m, [form for form in LOADS if form[2] == "b16"])
    add_stores(m, [form for form in STORES if form[2] == "b16"])
    add_move(m)
    m.write(sys.argv[1], "tiles")


main()
