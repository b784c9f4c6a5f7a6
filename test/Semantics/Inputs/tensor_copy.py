"""cp.async.bulk.tensor in tiles: ranks, element types, strides, boxes beyond the
edges, swizzles, stores, reductions, and tensormap.replace. The map has the layout
of docs/tensor-maps.md. Usage: tensor_copy.py FOLDER"""

import itertools
import random
import struct
import sys

from ptxtest import Module
from tensor_maps import CLEAR, FINISH_LOAD, START, STORE, TYPES, make_map, swizzled, words_of

random.seed(24)
SPECIAL = [0x7F800000, 0xFF800000, 0x7F800001, 0xFFC12345, 0x7F7FFFFF, 0x7F7FEFFF, 0x00001000, 0x80000FFF, 0x3F801000,
           0xBF803000, 0x3FFFFFFF, 0x00000001]


def loaded(ty, value):
    """What a load makes of an element."""
    if not ty.startswith("tf32"):
        return value
    bits = int.from_bytes(value, "little")
    sign, magnitude = bits >> 31, bits & 0x7FFFFFFF
    if magnitude > 0x7F800000:
        return struct.pack("<I", 0x7FFFE000)
    # The exponent and 10 bits of the fraction, to nearest, ties away from zero.
    kept, rest = divmod(magnitude, 8192)
    return struct.pack("<I", sign << 31 | (kept + (rest >= 4096)) * 8192)


def box_elements(box, element_strides):
    """Indices of the elements in shared memory's order, the first varies first."""
    counts = [-(-b // s) for b, s in zip(box, element_strides)]
    for index in itertools.product(*(range(c) for c in reversed(counts))):
        yield list(reversed(index))


LOAD = START + """  @!%p0 bra GO;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], {bytes};
  cp.async.bulk.tensor.{dim}d.shared::cluster.global{mode}.mbarrier::complete_tx::bytes [%r0], [%ms, {{{coordinates}}}], [%r1];
""" + FINISH_LOAD


class Tensor:
    def __init__(self, ty, extents, gap=0):
        self.ty, self.extents = ty, extents
        self.size = TYPES[ty][1]
        self.strides = []
        at = extents[0] * self.size
        for e in extents[1:]:
            at = -(-at // 16) * 16 + gap
            self.strides.append(at)
            at *= e
        at = -(-at // 16) * 16
        self.data = random.randbytes(at)
        if self.size == 4:
            self.data = b"".join(random.choice([self.data[i:i + 4]] * 3 + [struct.pack("<I", random.choice(SPECIAL))])
                                 for i in range(0, at, 4))

    def place(self, index):
        return index[0] * self.size + sum(i * s for i, s in zip(index[1:], self.strides))

    def inside(self, index):
        return all(0 <= i < e for i, e in zip(index, self.extents))


def add_load(m, n, ty, extents, box, at, element_strides=None, swizzle=0, fill=0, gap=0, rows=None, atom=0):
    t = Tensor(ty, extents, gap)
    given = element_strides or [1] * len(extents)
    es = [1] + given[1:]
    count_box = list(box)
    if rows:
        count_box[1] = 4
    out, size = {}, 0
    for index in box_elements(count_box, es):
        where = [a + i * s for a, i, s in zip(at, index, es)]
        if rows:
            where[1] = rows[index[1]]
        if t.inside(where):
            value = loaded(ty, t.data[t.place(where):][:t.size])
        else:
            value = {0: bytes(8), 1: b"\xf7\x7f" * 4}[fill][:t.size]
        out[swizzled(size, swizzle, atom)] = value
        size += t.size
    data = bytearray(size)
    for place, value in out.items():
        data[place:place + t.size] = value
    name = "load%d" % n
    coordinates = [at[0]] + list(rows) if rows else at
    m.kernel(name, [("i", 0), ("m", 0)], [("o", 0)], LOAD.format(
        bytes=size, dim=len(extents), coordinates=", ".join(map(str, coordinates)), words=size // 4,
        mode=".tile::gather4" if rows else random.choice(["", ".tile"])))
    words = make_map(ty, extents, t.strides, box, given, swizzle, fill, atom)
    m.launch(name, [("u32", words_of(t.data)), ("u32", words)], [("u32", words_of(bytes(data)))], 32)


def add_narrow(m, n, code, bits, shared, extents, box, at, swizzle=0):
    """Elements of 4 or 6 bits, sixteen of which take `shared` bytes in shared
    memory. What pads them is not written."""
    unit = 2 * bits
    stride = -(-extents[0] // 16 * unit // 16) * 16
    data = random.randbytes(stride * extents[1])
    out = bytearray(box[0] // 16 * box[1] * shared)
    for y in range(box[1]):
        for x in range(box[0] // 16):
            place = (y * (box[0] // 16) + x) * shared
            column, row = at[0] // 16 + x, at[1] + y
            inside = 0 <= column < extents[0] // 16 and 0 <= row < extents[1]
            value = data[row * stride + column * unit:][:unit] if inside else bytes(unit)
            for i in range(0, unit, 4):
                to = swizzled(place + i, swizzle)
                out[to:to + 4] = value[i:i + 4]
    name = "narrow%d" % n
    # The padding holds what the kernel has put there, zeros.
    body = START + CLEAR + LOAD[len(START):]
    m.kernel(name, [("i", 0), ("m", 0)], [("o", 0)], body.format(
        bytes=len(out), dim=2, coordinates=", ".join(map(str, at)), words=len(out) // 4, mode=""))
    words = list(make_map("u8", extents, [stride], box, [1, 1], swizzle))
    words[3] = words[3] & ~0xFF | code
    m.launch(name, [("u32", words_of(data)), ("u32", words)], [("u32", words_of(bytes(out)))], 32)


def add_store(m, n, ty, extents, box, at, swizzle=0, reduce=None, rows=None, es=None):
    t = Tensor(ty, extents)
    es = es or [1] * len(extents)
    result = bytearray(len(t.data))
    count_box = [box[0], 4] if rows else box
    elements = list(box_elements(count_box, es))
    size = len(elements) * t.size
    source = random.randbytes(size)
    for k, index in enumerate(elements):
        where = [a + i * s for a, i, s in zip(at, index, es)]
        if rows:
            where[1] = rows[index[1]]
        if not t.inside(where):
            continue
        place = swizzled(k * t.size, swizzle)
        value = source[place:place + t.size]
        if reduce:
            number = int.from_bytes(value, "little")
            old = 0
            if reduce == "add":
                number = (number + old) & ((1 << 8 * t.size) - 1)
            elif reduce == "and":
                number &= old
            elif reduce in ("or", "xor", "max"):
                number |= old
            value = number.to_bytes(t.size, "little")
        result[t.place(where):t.place(where) + t.size] = value
    name = "store%d" % n
    coordinates = [at[0]] + list(rows) if rows else at
    body = STORE.format(
        words=size // 4, dim=len(extents), coordinates=", ".join(map(str, coordinates)),
        op="cp.reduce.async.bulk.tensor" if reduce else "cp.async.bulk.tensor",
        reduce="." + reduce if reduce else "", mode=".tile::scatter4" if rows else random.choice(["", ".tile"]))
    # The tensor is the output, which is zero at first.
    m.kernel(name, [("j", 0), ("m", 0)], [("i", 0)], body)
    words = make_map(ty, extents, t.strides, box, es, swizzle)
    m.launch(name, [("u32", words_of(source)), ("u32", words)], [("u32", words_of(bytes(result)))], 32)


def add_packed_store(m, n, at, swizzle=0, atom=0):
    """Bytes of shared memory, of which 6 bits each go to global memory."""
    columns, rows, width = 256, 12, 128
    stride = columns * 6 // 8
    result = [[0] * columns for _ in range(rows)]
    source = random.randbytes(width * 4)
    for k in range(4 * width):
        x, y = at[0] + k % width, at[1] + k // width
        if 0 <= x < columns and 0 <= y < rows:
            result[y][x] = source[swizzled(k, swizzle, atom)] % 64
    data = b"".join(sum(v << 6 * i for i, v in enumerate(row)).to_bytes(stride, "little") for row in result)
    name = "packed%d" % n
    m.kernel(name, [("j", 0), ("m", 0)], [("i", 0)], STORE.format(
        words=len(source) // 4, dim=2, coordinates=", ".join(map(str, at)), op="cp.async.bulk.tensor", reduce="", mode=""))
    words = list(make_map("u8", [columns, rows], [stride], [width, 4], [1, 1], swizzle, atom=atom))
    words[3] = words[3] & ~0xFF | 15
    m.launch(name, [("u32", words_of(source)), ("u32", words)], [("u32", words_of(data))], 32)


PAIRS = START.replace("bar.sync 0;", "barrier.cluster.arrive;\n  barrier.cluster.wait;") + """  mov.u32 %r10, %cluster_ctarank;
  {waits}
  // The last CTA sends a box of its own column to those of the mask; of each
  // pair the CTA with the parity of the barrier's is told of both its copies.
  setp.eq.u32 %p4, %r10, 3;
  and.pred %p4, %p4, %p0;
  mapa.shared::cluster.u32 %r12, %r1, {holder};
  mov.b16 %h0, {mask};
  @%p4 cp.async.bulk.tensor.2d.shared::cluster.global{mode}.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2 [%r0], [%ms, {{4, 2}}], [%r12], %h0;
  @%p5 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], {bytes};
  @!%p6 bra SEEN;
W:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
  @!%p1 bra W;
SEEN:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mad.lo.u32 %r3, %me, 4, %r0;
  ld.shared.u32 %r4, [%r3];
  mad.lo.u32 %r5, %r10, 32, %me;
  mad.wide.u32 %d1, %r5, 4, %os;
  st.global.u32 [%d1], %r4;
  barrier.cluster.arrive;
  barrier.cluster.wait;
"""


def add_pairs(m):
    """Copies to several CTAs that tell one of each pair. Box of 8 x 4 words."""
    t = Tensor("u32", [16, 8])
    for n, (holder, mask) in enumerate(((2, 0b1111), (1, 0b1111), (3, 0b0101), (0, 0b1110))):
        # Each CTA that is told of something expects all that goes to its pair.
        counts = {}
        for rank in range(4):
            if mask >> rank & 1:
                told = rank & ~1 | holder & 1
                counts[told] = counts.get(told, 0) + 128
        waits = "mov.b32 %r13, 0;\n"
        for told, count in counts.items():
            waits += "  setp.eq.u32 %%p7, %%r10, %d;\n  @%%p7 mov.b32 %%r13, %d;\n" % (told, count)
        waits += "  setp.ne.u32 %p6, %r13, 0;\n  and.pred %p5, %p6, %p0;"
        # Who gets nothing has what it wrote.
        body = PAIRS.format(waits=waits, holder=holder, mask=mask, mode="", bytes="%r13")
        body = body.replace("  mov.u32 %r10, %cluster_ctarank;", "  mov.u32 %r10, %cluster_ctarank;\n  mad.lo.u32 %r3, %me, 4, %r0;\n  st.shared.u32 [%r3], %r10;\n  fence.proxy.async.shared::cta;\n  barrier.cluster.arrive;\n  barrier.cluster.wait;", 1)
        out = []
        for rank in range(4):
            for k in range(32):
                place = t.place([4 + k % 8, 2 + k // 8])
                value = struct.unpack_from("<I", t.data, place)[0]
                out.append(value if mask >> rank & 1 else rank)
        name = "pairs%d" % n
        # Every CTA has an mbarrier and puts the address into the map.
        m.kernel(name, [("i", 0), ("m", 0)], [("o", 0)], body, ".explicitcluster .reqnctapercluster 4")
        words = make_map("u32", [16, 8], t.strides, [8, 4], [1, 1], 0)
        m.launch(name, [("u32", words_of(t.data)), ("u32", words)], [("u32", out)], 32, grid=4)


def add_replace(m):
    """All fields of a map are replaced, then it loads."""
    t = Tensor("u16", [40, 12, 3])
    wrong = list(make_map("u8", [1], [], [16], [1], 0))
    body = """  mov.u64 %d2, %ms;
  @!%p0 bra REPLACED;
  tensormap.replace.tile.rank.global.b1024.b32 [%d2], 2;
  tensormap.replace.tile.elemtype.global.b1024.b32 [%d2], 1;
  tensormap.replace.tile.interleave_layout.global.b1024.b32 [%d2], 0;
  tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d2], 2;
  tensormap.replace.tile.fill_mode.global.b1024.b32 [%d2], 0;
"""
    for field, unit, values in (("global_dim", "b32", t.extents), ("box_dim", "b32", [32, 4, 2]), ("element_stride", "b32", [1, 2, 1]), ("global_stride", "b64", t.strides)):
        for i, v in enumerate(values):
            body += "  tensormap.replace.tile.%s.global.b1024.%s [%%d2], %d, %d;\n" % (field, unit, i, v)
    body += "REPLACED:\n"
    at, es, box = [-3, 5, 1], [1, 2, 1], [32, 4, 2]
    data, size = bytearray(32 * 2 * 2 * 2), 0
    for index in box_elements(box, es):
        where = [a + i * s for a, i, s in zip(at, index, es)]
        if t.inside(where):
            place = swizzled(size, 2)
            data[place:place + 2] = t.data[t.place(where):][:2]
        size += 2
    load = LOAD.format(bytes=size, dim=3, coordinates="-3, 5, 1", words=size // 4, mode="")
    load = load.replace("  fence.proxy.tensormap", body + "  fence.proxy.tensormap", 1)
    m.kernel("replaced", [("i", 0), ("m", 0)], [("o", 0)], load)
    m.launch("replaced", [("u32", words_of(t.data)), ("u32", wrong)], [("u32", words_of(bytes(data)))], 32)


def main():
    m = Module("sm_100a", "8.7")
    m.add(".shared .align 1024 .b8 tile[16384];\n.shared .align 8 .b64 bar;\n")
    n = itertools.count()
    for ty in TYPES:
        size = TYPES[ty][1]
        add_load(m, next(n), ty, [64], [64 // size * 1], [4])
        add_load(m, next(n), ty, [64, 20], [32 // size, 7], [16 // size, 9], gap=32)
    for swizzle in (1, 2, 3):
        for ty in ("u8", "f16", "f32", "u64"):
            row = 16 << swizzle
            add_load(m, next(n), ty, [3 * row // TYPES[ty][1], 40], [row // TYPES[ty][1], 32], [row // TYPES[ty][1], 3], swizzle=swizzle)
    # Beyond each edge.
    for at in ([-5, -2], [50, 14], [-100, 0], [3, 30]):
        for fill in (0, 1):
            add_load(m, next(n), "f16", [56, 17], [16, 6], at, fill=fill)
            add_load(m, next(n), "f32", [56, 17], [16, 6], at, fill=fill, swizzle=2)
            add_load(m, next(n), random.choice(["tf32", "f64", "bf16"]), [56, 17], [8, 6], at, fill=fill)
    add_load(m, next(n), "u8", [48, 9, 5], [16, 3, 2], [7, 7, -1])
    add_load(m, next(n), "u32", [8, 5, 4, 3], [4, 3, 2, 2], [2, 3, 1, 2])
    add_load(m, next(n), "f16", [16, 4, 3, 3, 2], [8, 3, 2, 2, 2], [8, -1, 2, 1, 0], swizzle=0)
    add_load(m, next(n), "f16", [64, 30], [32, 16], [1, 2], element_strides=[2, 3])  # The first does not count.
    for ty, swizzle in (("f16", 0), ("f32", 3), ("u8", 1)):
        add_load(m, next(n), ty, [64, 30], [32 // TYPES[ty][1], 1], [16, 0], swizzle=swizzle, rows=[7, 29, 30, 0])
    for swizzle in (0, 1, 2, 3):
        add_store(m, next(n), "f16", [100, 20], [(16 << max(swizzle, 1)) // 2, 12], [70, 11], swizzle=swizzle)
        add_store(m, next(n), random.choice(["u32", "tf32"]), [40, 20, 3], [(16 << max(swizzle, 1)) // 4, 5, 2], [-1, 2, 2], swizzle=swizzle)
    add_store(m, next(n), "u8", [64, 30], [32, 1], [16, 0], rows=[7, 29, 30, 0])
    for reduce in ("add", "min", "max", "and", "or", "xor"):
        if reduce != "min":
            add_store(m, next(n), "u32", [40, 20], [16, 8], [30, 15], swizzle=2, reduce=reduce)
    add_store(m, next(n), "u64", [40, 20], [8, 8], [30, 15], reduce="add")
    add_replace(m)
    for atom in (1, 2, 3):
        for ty in ("u8", "u64"):
            add_load(m, next(n), ty, [256 // TYPES[ty][1], 40], [128 // TYPES[ty][1], 32], [16 // TYPES[ty][1], 3], swizzle=3, atom=atom)
    add_load(m, next(n), "f16", [96, 40], [48, 32], [8, 3], swizzle=4)
    # Of 4 and 6 bits, as they are or padded to sixteen bytes.
    for code, bits, shared in ((13, 4, 8), (14, 4, 16), (15, 6, 16)):
        add_narrow(m, next(n), code, bits, shared, [128, 20], [64, 8], [32, 5])
        add_narrow(m, next(n), code, bits, shared, [128, 20], [64, 8], [96, -2], swizzle=2)
    for at, swizzle, atom in (([0, 0], 0, 0), ([128, 10], 3, 0), ([128, 3], 3, 1), ([0, 5], 3, 3)):
        add_packed_store(m, next(n), at, swizzle, atom)
    add_pairs(m)
    m.write(sys.argv[1], "tensor")


if __name__ == "__main__":
    main()
