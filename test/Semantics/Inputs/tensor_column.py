"""Copies of tensors by columns (im2col in all its modes) and of interleaved
channels. What must be copied is found here by nested loops over the box in
numbers of pixels, not by steps from one pixel to the next. Usage:
tensor_column.py FOLDER"""

import itertools
import random
import struct
import sys

from ptxtest import Module
from tensor_maps import CLEAR, FINISH_LOAD, START, STORE, TYPES, make_map, swizzled, words_of

random.seed(76)
# Those that columns are tried with.
ELEMENTS = ["u8", "u16", "u32", "f16", "f32", "bf16", "u64"]
ACCESS = {"tile": 0, "im2col": 1, "im2col::w": 2, "im2col::w::128": 3}


class Images:
    """Channels, W, H, D as far as there are, and images, in that order."""

    def __init__(self, ty, extents, gap=0, interleave=0):
        self.ty, self.size, self.extents = ty, TYPES[ty][1], extents
        self.slice = 16 * interleave  # bytes; 0: none
        self.interleave = interleave
        at = self.slice or -(-extents[0] * self.size // 16) * 16 + gap
        self.strides = []
        for k, e in enumerate(extents[1:]):
            self.strides.append(at)
            at *= e
            if self.slice and k == len(extents) - 3:  # Before the images.
                self.distance = at
                at *= -(-extents[0] * self.size // self.slice)
        self.data = random.randbytes(at)

    def channels(self, pixel, first, count, fill):
        """Bytes of a pixel's channels; of slices, whole ones."""
        inside = all(0 <= p < e for p, e in zip(pixel, self.extents[1:]))
        start = sum(p * s for p, s in zip(pixel, self.strides))
        out = b""
        for c in range(first, first + count):
            if self.slice:
                byte = c * self.size
                place = start + byte // self.slice * self.distance + byte % self.slice
                has = inside and 0 <= byte // self.slice < -(-self.extents[0] * self.size // self.slice)
            else:
                place, has = start + c * self.size, inside and 0 <= c < self.extents[0]
            out += self.data[place : place + self.size] if has else fill
        return out

    def fill(self, nan):
        if not nan:
            return bytes(self.size)
        return b"\xf7\x7f" * (self.size // 2)


def map_of(images, access, box, es, swizzle, nan, lower, upper):
    return make_map(images.ty, images.extents, images.strides, box, es, swizzle, fill=nan, interleave=images.interleave,
                    access=ACCESS[access], lower=lower, upper=upper)


def walk(at, first, last, steps):
    """Pixels of boxes from `at` on, forever: the innermost dimension first, the
    images last."""
    rank = len(first)
    begun = [False] * rank

    def rows(d, prefix):
        """All positions in the dimensions up to d, with what is further out."""
        start = first[d] if begun[d] else at[d]
        begun[d] = True
        for x in range(start, last[d] + 1, steps[d]):
            if d == 0:
                yield (x,) + prefix
            else:
                yield from rows(d - 1, (x,) + prefix)

    for image in itertools.count(at[rank]):
        yield from rows(rank - 1, (image,))


def column(images, mode, at, pixels, lower, upper, es, info):
    """The pixels of a column in order."""
    rank = len(images.extents) - 2
    first = list(lower[:rank])
    last = [images.extents[d + 1] - 1 + upper[d] for d in range(rank)]
    offset = list(info)
    if mode.startswith("im2col::w"):
        first[1:] = last[1:] = at[2 : rank + 1]
        halo, w = info
        offset = [w] + [0] * (rank - 1)
    else:
        halo = 0
    line = walk(at[1:], first, last, es[1:])
    if mode == "im2col::w::128":
        line = list(itertools.islice(line, 128 + halo))
        line = [p for g in range(4) for p in line[32 * g : 32 * g + 32 + halo]]
    else:
        line = list(itertools.islice(line, pixels + halo))
    return [tuple(x + o for x, o in zip(p, offset)) + (p[rank],) for p in line]


# Swizzling leaves holes in the last rows.
LOAD = "  .reg .b16 %info<3>;\n" + START + CLEAR + """  @!%p0 bra GO;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], {bytes};
  {prefetch}{moves}cp.async.bulk.tensor.{dim}d.{space}.global{mode}.mbarrier::complete_tx::bytes [%r0], [%ms, {{{at}}}], [%r1]{info};
""" + FINISH_LOAD
numbers = itertools.count()


def shared_order(images, first, count, rows, fill, es0=1):
    """Pixels' channels as they stand in shared memory. `rows` are lists of pixels
    that a slice has together."""
    out = b""
    if not images.slice:
        for p in itertools.chain(*rows):
            out += images.channels(p, first, count, fill)
        return out
    per = images.slice // images.size
    for row in rows:
        for s in range(0, -(-count // per), es0):
            for p in row:
                out += images.channels(p, first + s * per, per, fill)
    return out


def placed(data, swizzle):
    out = bytearray(-(-len(data) // 128) * 128 if swizzle else len(data))
    for k in range(0, len(data), 16):
        to = swizzled(k, swizzle)
        out[to : to + 16] = data[k : k + 16]
    return bytes(out)


def add_load(m, images, mode, at, channels, pixels, lower, upper, es=None, info=None, swizzle=0, nan=0, registers=False):
    rank = len(images.extents)
    es = es or [1] * rank
    wide = mode.startswith("im2col::w")
    info = list(info) if info is not None else [0] * (2 if wide else rank - 2)
    line = column(images, mode, at, pixels, lower, upper, es, info)
    box = shared_order(images, at[0], channels, [line], images.fill(nan), es[0] if images.slice else 1)
    data = placed(box, swizzle)
    n = next(numbers)
    # The operands as constants or, wide or narrow, in registers.
    moves, texts = "", [str(i) for i in info]
    if registers:
        texts = ["%%info%d" % k for k in range(len(info))]
        moves = "".join("mov.b16 %s, %d;\n  " % (t, i) for t, i in zip(texts, info))
    where = ", ".join(map(str, at))
    operands = ", {%s}" % ", ".join(texts)
    prefetch = "cp.async.bulk.prefetch.tensor.%dd.L2.global.%s [%%ms, {%s}]%s;\n  " % (rank, mode, where, operands)
    m.kernel("column%d" % n, [("i", 0), ("m", 0)], [("o", 0)], LOAD.format(
        bytes=len(box), dim=rank, at=where, words=len(data) // 4, mode="." + mode, info=operands, moves=moves,
        prefetch="" if registers else prefetch, space="shared::cluster" if n % 2 else "shared::cta"))
    words = map_of(images, mode, [channels, pixels], es, swizzle, nan, lower, upper)
    m.launch("column%d" % n, [("u32", words_of(images.data)), ("u32", words)], [("u32", words_of(data))], 32)


def add_store(m, images, at, channels, pixels, lower, upper, es=None, swizzle=0, reduce=None, mode="im2col"):
    """Without offsets. The tensor is the output, zero at first."""
    rank = len(images.extents)
    es = es or [1] * rank
    total = 128 if mode == "im2col::w::128" else pixels
    line = column(images, mode, at, pixels, lower, upper, es, [0] * (2 if mode.startswith("im2col::w") else rank - 2))
    source = random.randbytes(-(-total * channels * images.size // 128) * 128)
    result = bytearray(len(images.data))
    for k, p in enumerate(line):
        if not all(0 <= x < e for x, e in zip(p, images.extents[1:])):
            continue
        for c in range(channels):
            if not 0 <= at[0] + c < images.extents[0]:
                continue
            byte = swizzled((k * channels + c) * images.size, swizzle)
            place = sum(x * s for x, s in zip(p, images.strides)) + (at[0] + c) * images.size
            value = int.from_bytes(source[byte : byte + images.size], "little")
            if reduce:
                old = int.from_bytes(result[place : place + images.size], "little")
                value = {"add": old + value & (1 << 8 * images.size) - 1, "max": max(old, value), "xor": old ^ value}[reduce]
            result[place : place + images.size] = value.to_bytes(images.size, "little")
    n = next(numbers)
    m.kernel("column%d" % n, [("j", 0), ("m", 0)], [("i", 0)], STORE.format(
        words=len(source) // 4, dim=rank, coordinates=", ".join(map(str, at)), mode=".im2col_no_offs",
        op="cp.reduce.async.bulk.tensor" if reduce else "cp.async.bulk.tensor", reduce="." + reduce if reduce else ""))
    words = map_of(images, mode, [channels, pixels], es, swizzle, 0, lower, upper)
    m.launch("column%d" % n, [("u32", words_of(source)), ("u32", words)], [("u32", words_of(bytes(result)))], 32)


def add_tile(m, images, at, box, es=None, swizzle=0):
    """A tile of interleaved channels."""
    rank = len(images.extents)
    es = es or [1] * rank
    steps = [range(a, a + b, s) for a, b, s in zip(at, box, es)]
    rows = []
    for image in steps[-1]:
        rows.append([tuple(reversed(p)) + (image,) for p in itertools.product(*reversed(steps[1:-1]))])
    whole = shared_order(images, at[0], box[0], rows, bytes(images.size), es[0])
    data = placed(whole, swizzle)
    n = next(numbers)
    m.kernel("column%d" % n, [("i", 0), ("m", 0)], [("o", 0)], LOAD.format(
        bytes=len(whole), dim=rank, at=", ".join(map(str, at)), words=len(data) // 4, mode="", info="", moves="",
        prefetch="", space="shared::cluster"))
    words = map_of(images, "tile", box, es, swizzle, 0, [], [])
    m.launch("column%d" % n, [("u32", words_of(images.data)), ("u32", words)], [("u32", words_of(data))], 32)


def manual_examples(m):
    """Those of PTX's manual, with fewer channels and images."""
    a = Images("f16", [16, 9, 14, 3])
    add_load(m, a, "im2col", [7, 7, 4, 0], 8, 64, [-1, -1], [-1, -1])
    add_load(m, a, "im2col", [7, 6, 4, 0], 8, 64, [0, 0], [-2, -2], info=[2, 2])
    b = Images("f16", [32, 8, 14, 3])
    add_load(m, b, "im2col", [7, 5, 5, 0], 16, 32, [-1, -1], [-1, -1], es=[1, 2, 2, 1], info=[1, 1])
    c = Images("u8", [32, 9, 7, 20])
    add_load(m, c, "im2col::w", [16, 2, 3, 0], 16, 128, [0, 0], [0, 0], info=[2, 0])
    add_load(m, c, "im2col::w::128", [16, 2, 3, 0], 16, 0, [0, 0], [0, 0], info=[2, 0])
    d = Images("u8", [32, 9, 5, 30])
    for halo, offset in ((1, 0), (0, 1)):
        add_load(m, d, "im2col::w", [0, -1, 2, 0], 16, 128, [-1, 0], [0, 0], es=[1, 2, 1, 1], info=[halo, offset])
    e = Images("u8", [16, 7, 5, 40])
    for offset in (0, 1, 2):
        add_load(m, e, "im2col::w", [0, -1, 2, 3], 16, 100, [-1, 0], [-1, 0], es=[1, 3, 1, 1], info=[0, offset])


def convolution(m):
    """All taps of a filter of 3 x 3 with padding 1, stride 2 and dilation 2: the
    offsets are what the dilation says."""
    a = Images("f16", [24, 10, 9, 2])
    for s, r in itertools.product(range(3), range(3)):
        add_load(m, a, "im2col", [8, -1, -1, 0], 16, 50, [-1, -1], [1 - 4, 1 - 4], es=[1, 2, 2, 1], info=[2 * s, 2 * r], swizzle=1)


def random_loads(m):
    for k in range(40):
        rank = random.choice([3, 4, 5])
        ty = random.choice(ELEMENTS)
        size = TYPES[ty][1]
        extents = [random.randint(1, 6) * 16 // size] + [random.randint(2, 7) for _ in range(rank - 2)] + [random.randint(1, 4)]
        images = Images(ty, extents, gap=random.choice([0, 16]))
        mode = random.choice(["im2col", "im2col", "im2col::w", "im2col::w::128"])
        es = [1] + [random.randint(1, 3) for _ in range(rank - 2)] + [1]
        lower = [random.randint(-3, 1) for _ in range(rank - 2)]
        upper = [random.randint(lo - e + 1, 3) for lo, e in zip(lower, extents[1:])]
        box = [range(lo, e + up) for lo, e, up in zip(lower, extents[1:], upper)]
        at = [random.randint(-extents[0], extents[0])] + [random.choice(b) for b in box] + [random.randint(-1, extents[-1])]
        swizzle = random.choice([0, 1, 2, 3])
        channels = random.randint(1, (1 << swizzle) if swizzle else 4) * 16 // size
        if mode == "im2col":
            limit = (65535, 255, 31)[rank - 3]
            info = [random.choice([0, random.randint(0, 3), limit]) for _ in range(rank - 2)]
            pixels = random.randint(1, 60)
        else:
            if random.random() < 0.3:
                at[1] = lower[0] - random.randint(1, 4)  # To the left of the box.
            info = [random.randint(0, 5), random.randint(0, 4)]
            pixels = random.randint(1, 60)
            # D and H are where the coordinates say.
            for d in range(2, rank - 1):
                at[d] = random.randint(-1, extents[d])
        nan = ty in ("f16", "f32", "bf16") and random.randint(0, 1)
        add_load(m, images, mode, at, channels, pixels, lower, upper, es=es, info=info, swizzle=swizzle, nan=int(nan), registers=bool(k % 2))


def stores(m):
    a = Images("u16", [32, 7, 6, 3])
    add_store(m, a, [8, 2, 1, 0], 16, 40, [0, 0], [-2, -1])
    add_store(m, a, [16, 0, 0, 1], 16, 64, [0, 0], [-2, -2], es=[1, 2, 2, 1], swizzle=1)
    b = Images("u32", [16, 9, 5])
    add_store(m, b, [4, 3, 0], 8, 30, [0], [0], swizzle=1, reduce="add")
    add_store(m, b, [12, 3, 2], 8, 33, [0], [-1], reduce="xor")
    c = Images("u32", [8, 4, 3, 3, 2])
    add_store(m, c, [0, 1, 1, 1, 0], 8, 36, [0, 0, 0], [0, 0, -1], reduce="max")
    d = Images("u8", [64, 6, 5, 30])
    add_store(m, d, [16, 2, 3, 0], 16, 50, [0, 0], [-1, 0], mode="im2col::w")
    add_store(m, d, [32, 2, 3, 0], 16, 0, [0, 0], [0, 0], mode="im2col::w::128")


def interleaved(m):
    for interleave, swizzle in ((1, 0), (1, 3), (2, 1)):
        for ty in ("u8", "f16", "f32"):
            per = 16 * interleave // TYPES[ty][1]
            # Channels that do not fill their last slice, boxes beyond all edges.
            a = Images(ty, [3 * per - 1, 6, 5, 3], interleave=interleave)
            add_tile(m, a, [per, -1, 2, 1], [per + 2, 4, 3, 2], swizzle=swizzle)
            add_tile(m, a, [0, 1, -1, 0], [3 * per, 5, 4, 2], es=[2, 2, 3, 1], swizzle=swizzle)
            add_load(m, a, "im2col", [-per, 1, 0, 0], 3 * per, 40, [-1, -1], [-1, -1], es=[1, 2, 1, 1], info=[1, 1], swizzle=swizzle)
        b = Images("u16", [16 * interleave, 4, 3, 2, 2], interleave=interleave)
        add_tile(m, b, [0, 1, 0, 0, 0], [8 * interleave, 3, 3, 2, 2], swizzle=swizzle)
        add_load(m, b, "im2col", [0, 0, 0, 0, 0], 16 * interleave, 20, [0, 0, 0], [-1, -1, -1], info=[1, 1, 1], swizzle=swizzle)
        c = Images("u32", [8 * interleave, 7, 2], interleave=interleave)
        add_tile(m, c, [4 * interleave, 2, 0], [8 * interleave, 4, 2], swizzle=swizzle)


def begin():
    m = Module("sm_100a", "8.7")
    m.add(".shared .align 1024 .b8 tile[65536];\n.shared .align 8 .b64 bar;\n")
    return m


def faults():
    """Manifests named after what is wrong; each launch is a fault."""
    a = Images("f16", [16, 9, 7, 3])
    for name, mode, at, info in (
        ("right", "im2col", [0, 8, 0, 0], [0, 0]),
        ("left", "im2col", [0, -2, 0, 0], [0, 0]),
        ("below", "im2col", [0, 0, 6, 0], [0, 0]),
        ("offset", "im2col", [0, 0, 0, 0], [0, 256]),
        ("halo", "im2col::w", [0, 0, 0, 0], [512, 0]),
        ("halo128", "im2col::w::128", [0, 0, 0, 0], [32, 0]),
        ("wide-right", "im2col::w", [0, 8, 0, 0], [0, 0]),
        ("wide-offset", "im2col::w", [0, 0, 0, 0], [0, 32]),
    ):
        m = begin()
        texts = ", ".join(map(str, info))
        m.kernel("fault", [("i", 0), ("m", 0)], [], LOAD.format(
            bytes=64, dim=4, at=", ".join(map(str, at)), words=0, mode="." + mode, info=", {%s}" % texts, moves="",
            prefetch="", space="shared::cluster").replace("%os", "%ms"))
        words = map_of(a, mode, [8, 4], [1] * 4, 0, 0, [-1, -1], [-1, -1])
        m.launch("fault", [("u32", words_of(a.data)), ("u32", words)], [], 32)
        m.write(sys.argv[1], name)
    for name, kind, mode in (("other-way", "tile", ".im2col"), ("no-tile", "im2col", ""), ("other-width", "im2col::w", ".im2col::w::128")):
        m = begin()
        m.kernel("fault", [("i", 0), ("m", 0)], [], LOAD.format(
            bytes=64, dim=4, at="0, 0, 0, 0", words=0, mode=mode, info=", {0, 0}" if mode else "", moves="", prefetch="",
            space="shared::cluster").replace("%os", "%ms"))
        words = map_of(a, kind, [8, 4, 1, 1], [1] * 4, 0, 0, [0, 0], [0, 0])
        m.launch("fault", [("u32", words_of(a.data)), ("u32", words)], [], 32)
        m.write(sys.argv[1], name)


def main():
    m = begin()
    manual_examples(m)
    convolution(m)
    random_loads(m)
    stores(m)
    interleaved(m)
    m.write(sys.argv[1], "columns")
    faults()


main()
