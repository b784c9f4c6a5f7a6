"""tcgen05: loads and stores of tensor memory in all shapes, products of all kinds,
copies, shifts. A kernel fills shared and tensor memory, thread 0 of the first CTA
begins operations, and all of tensor memory is compared with what they must make
of it, with the layouts of PTX's manual written out here. Usage: tcgen05.py FOLDER
(loads|reductions|products|scaled|long|sparse|stationary|copies|pairs|later|
magnitudes|lookups)"""

import json
import os
import random
import struct
import sys

import matrix_reference as ref
from mma import integer, operand_mode, random_matrix
from wgmma import place

LANES, COLUMNS = 128, 64
MASK32 = (1 << 32) - 1
NONE = 0xFFFFFFFF


# ---------------------------------------------------------------------------
# Layouts of the manual's figures: (row of the CTA, column) to (lane, column).


def path_of(m, pair, sparse, ws):
    """Rows of a CTA, lanes of a row's copies with their columns."""
    if (m, pair) in ((256, True), (128, False)):  # A, D: row n in lane n
        return 128, lambda row, part: row, 1
    if m == 128 and not sparse:  # B: the second half of the columns in lanes 64..
        return 64, lambda row, part: row + 64 * part, 2
    if m == 128 or (m == 64 and not ws):  # C, F: half of each warp's lanes
        return 64, lambda row, part: {0: 0, 1: 32, 2: 64, 3: 96}[row // 16] + row % 16, 1
    if m == 64:  # E
        return 64, lambda row, part: row + 64 * part, 2
    return 32, lambda row, part: row + 32 * part, 4  # G


# ---------------------------------------------------------------------------
# Matrices in shared memory


class Matrix:
    """matrix[outer][k] in shared memory and its descriptor. `unit` elements
    are 16 bytes; narrow elements of 6 and 4 bits leave the rest open."""

    def __init__(self, matrix, bits, unit, swizzle, transposed, units32=False):
        outers, ks = len(matrix), len(matrix[0])
        self.mode = {0: 0, 1: 6, 2: 4, 3: 2}[swizzle]
        s = 1 << swizzle
        if units32:
            # Rows of 128 bytes, four of them, units of 32 bytes exchanged.
            lbo = 512 * (ks // 4)
            size = lbo * -(-outers // (8 * unit))
            sbo, self.mode = 512, 1
            where = lambda o, k: self.units32(o, k, unit, lbo, sbo)
        elif not transposed:
            sbo = 128 * s
            lbo = -(-outers // 8) * 128 if s == 1 else 16
            size = -(-outers // 8) * 128 * max(s, -(-ks // unit))
            where = lambda o, k: place(o, k, unit, swizzle, False, lbo, sbo)
        elif s == 1:
            sbo, lbo = 128, outers // unit * 128
            size = outers // unit * 128 * -(-ks // 8)
            where = lambda o, k: place(o, k, unit, swizzle, True, lbo, sbo)
        else:
            sbo = 128 * s
            lbo = sbo * -(-ks // 8)
            size = -(-outers // unit // s) * lbo
            where = lambda o, k: place(o, k, unit, swizzle, True, lbo, sbo)
        data = bytearray(random.randbytes(-(-size // 1024) * 1024))
        for o in range(outers):
            for k in range(ks):
                # The first byte of the unit, and the element's bits there.
                inner = o if transposed else k
                first = where(o - inner % unit, k) if transposed else where(o, k - inner % unit)
                at = inner % unit * bits
                word = int.from_bytes(data[first:first + 16], "little")
                word = word & ~(((1 << bits) - 1) << at) | matrix[o][k] << at
                data[first:first + 16] = word.to_bytes(16, "little")
        self.data = bytes(data)
        self.strides = lbo >> 4 << 16 | sbo >> 4 << 32

    @staticmethod
    def units32(o, k, unit, lbo, sbo):
        at = o // (8 * unit) * lbo + k // 4 * sbo + k % 4 * 128 + o // unit % 8 * 16 + o % unit * 16 // unit
        return at ^ (at >> 7 & 3) << 5

    def descriptor(self, offset):
        return offset >> 4 | self.strides | 1 << 46 | self.mode << 61


class ContinuedMatrix:
    """Rows of 48 bytes from unit `first` of 128 swizzled bytes on. What is
    beyond them is where the second address of the descriptor says: at the
    beginning of the same rows, or of others."""

    def __init__(self, matrix, first, apart):
        size = -(-len(matrix) // 8) * 1024
        self.first, self.second = first, size if apart else 0
        data = bytearray(random.randbytes(size + self.second))
        for o, row in enumerate(matrix):
            for u in range(3):
                far, unit = divmod(first + u, 8)
                at = self.second * far + o // 8 * 1024 + o % 8 * 128 + unit * 16
                at ^= (at >> 7 & 7) << 4
                packed = sum(v << 4 * i for i, v in enumerate(row[32 * u:32 * u + 32]))
                data[at:at + 16] = packed.to_bytes(16, "little")
        self.data = bytes(data)

    def descriptor(self, offset):
        return offset + 16 * self.first >> 4 | offset + self.second >> 4 << 16 | 1024 >> 4 << 32 | 1 << 46 | 1 << 52 | 2 << 61


# ---------------------------------------------------------------------------
# Kernels


class Test:
    def __init__(self, folder, name):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.name = folder, name
        self.text = [".version 8.8\n.target sm_100a\n.address_size 64\n"]
        self.launches, self.expect, self.files = [], [], 0
        # Of commits: what they wait for, and whether their mask has 32 bits.
        self.restrict, self.wide_mask = "", False

    def file(self, words):
        self.files += 1
        name = "%s-%d.bin" % (self.name, self.files)
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(struct.pack("<%dI" % len(words), *words))
        return name

    def add(self, code, shared, before, after, pair=False, columns=COLUMNS, own=""):
        """code: what thread 0 of the first CTA does; %ta is the address of tensor
        memory, %sh that of shared memory. own: what each warp does with its
        lanes, at %tw. shared: bytes, before, after: [lane][column], by CTA."""
        kernel = "k%d" % len(self.launches)
        ctas, group = (2, 2) if pair else (1, 1)
        size = len(shared[0])
        sync = "barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;" if pair else "bar.sync 0;"
        chunks = range(0, columns, 32)
        regs = lambda: "{" + ", ".join("%%v%d" % i for i in range(32)) + "}"
        body = """  .reg .pred %p<8>;
  .reg .b16 %h<2>;
  .reg .b32 %t, %i, %s, %ta, %tw, %sh, %rank, %m, %v<32>, %w<160>;
  .reg .b64 %ps, %pi, %po, %q, %x<32>, %bar;
"""
        body += "".join("  ld.param.u64 %%p%s, [p_%s];\n" % (x, x) for x in "sio")
        body += """  mov.u32 %%t, %%tid.x;
  mov.u32 %%rank, %%ctaid.x;
  mov.u32 %%sh, tile;
  mad.wide.u32 %%ps, %%rank, %d, %%ps;
  mad.lo.u32 %%i, %%rank, 128, %%t;
  mad.wide.u32 %%pi, %%i, %d, %%pi;
  mad.wide.u32 %%po, %%i, %d, %%po;
  mov.u32 %%i, %%t;
COPY:
  mad.wide.u32 %%q, %%i, 4, %%ps;
  ld.global.u32 %%v0, [%%q];
  mad.lo.u32 %%s, %%i, 4, %%sh;
  st.shared.u32 [%%s], %%v0;
  add.u32 %%i, %%i, 128;
  setp.lt.u32 %%p1, %%i, %d;
  @%%p1 bra COPY;
  setp.lt.u32 %%p2, %%t, 32;
  @!%%p2 bra ALLOCATED;
  tcgen05.alloc.cta_group::%d.sync.aligned.shared::cta.b32 [where], %d;
ALLOCATED:
  setp.eq.u32 %%p0, %%t, 0;
  @%%p0 mbarrier.init.shared::cta.b64 [bar], 1;
  @%%p0 mbarrier.init.shared::cta.b64 [bar+8], 1;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  ld.shared.u32 %%ta, [where];
  and.b32 %%tw, %%t, 0x60;
  shl.b32 %%tw, %%tw, 16;
  add.u32 %%tw, %%tw, %%ta;
""" % (size, 4 * columns, 4 * columns, size // 4, group, columns)
        for c in chunks:
            for i in range(32):
                body += "  ld.global.u32 %%v%d, [%%pi+%d];\n" % (i, 4 * (c + i))
            body += "  tcgen05.st.sync.aligned.32x32b.x32.b32 [%%tw+%d], %s;\n" % (c, regs())
        body += "  tcgen05.wait::st.sync.aligned;\n" + own
        body += "  tcgen05.fence::before_thread_sync;\n  %s\n  tcgen05.fence::after_thread_sync;\n" % sync
        multicast, mask = ("", "")
        if self.wide_mask:
            multicast, mask = ".multicast::cluster::32b", ", %m"
        elif pair:
            multicast, mask = ".multicast::cluster", ", %h0"
        commit = "tcgen05.commit.cta_group::%d.mbarrier::arrive::one.shared::cluster%s%s.b64 [%s]%s;"
        commits = [commit % (group, "", multicast, "bar", mask)]
        if self.restrict:
            commits.insert(0, commit % (group, self.restrict, multicast, "bar+8", mask))
        body += """  mov.u16 %%h0, 3;
  mov.u32 %%m, %d;
  setp.eq.u32 %%p3, %%rank, 0;
  and.pred %%p3, %%p3, %%p0;
  @!%%p3 bra BEGUN;
%s  %s
BEGUN:
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %%p4, [bar%s], 0;
  @!%%p4 bra WAIT;
  mbarrier.try_wait.parity.shared::cta.b64 %%p4, [bar], 0;
  @!%%p4 bra WAIT;
  tcgen05.fence::after_thread_sync;
""" % (3 if pair else 1, code, "\n  ".join(commits), "+8" if self.restrict else "")
        for c in chunks:
            body += "  tcgen05.ld.sync.aligned.32x32b.x32.b32 %s, [%%tw+%d];\n  tcgen05.wait::ld.sync.aligned;\n" % (regs(), c)
            for i in range(32):
                body += "  st.global.u32 [%%po+%d], %%v%d;\n" % (4 * (c + i), i)
        body += """  tcgen05.fence::before_thread_sync;
  %s
  @!%%p2 bra FREED;
  tcgen05.dealloc.cta_group::%d.sync.aligned.b32 %%ta, %d;
  tcgen05.relinquish_alloc_permit.cta_group::%d.sync.aligned;
FREED:
""" % (sync, group, columns, group)
        variables = ".shared .align 1024 .b8 tile[%d];\n  .shared .align 8 .b64 bar[2];\n  .shared .b32 where;\n" % size
        self.text.append(".visible .entry %s(.param .u64 p_s, .param .u64 p_i, .param .u64 p_o) .reqntid 128%s\n{\n  %s%s  ret;\n}\n" % (
            kernel, " .reqnctapercluster 2" if pair else "", variables, body))
        flat = lambda images: [w for image in images for lane in image for w in lane]
        args = []
        for x, words in (("s", [w for s in shared for w in struct.unpack("<%dI" % (len(s) // 4), s)]), ("i", flat(before))):
            args.append({"buffer": x + kernel, "type": "u32", "count": len(words), "init": {"file": self.file(words)}})
        args.append({"buffer": "o" + kernel, "type": "u32", "count": ctas * LANES * columns, "init": "zero"})
        self.expect.append({"buffer": "o" + kernel, "file": self.file(flat(after))})
        launch = {"entry": kernel, "grid": [ctas], "block": [128], "args": args}
        if pair:
            launch["cluster"] = [2]
        self.launches.append(launch)

    def write(self):
        with open(os.path.join(self.folder, self.name + ".ptx"), "w") as f:
            f.write("\n".join(self.text))
        with open(os.path.join(self.folder, self.name + ".json"), "w") as f:
            json.dump({"module": self.name + ".ptx", "launches": self.launches, "expect": self.expect}, f)


def random_image(columns=COLUMNS):
    return [[random.getrandbits(32) for _ in range(columns)] for _ in range(LANES)]


def copied(image):
    return [list(lane) for lane in image]


def constant(reg, value, bits=64):
    return "  mov.b%d %s, 0x%x;\n" % (bits, reg, value)


# ---------------------------------------------------------------------------
# Loads and stores


def fragment(shape, lane, i):
    """(lane in the warp's, column) of register i, from the manual's figures;
    for 16x32bx2 the half, too."""
    if shape == "32x32b":
        return lane, i
    if shape == "16x64b":  # pairs of lanes have rows n and n + 8, four a row
        return lane // 4 + 8 * (lane % 2), 2 * i + lane // 2 % 2
    if shape == "16x128b":
        return lane // 4 + 8 * (i % 2), 4 * (i // 2) + lane % 4
    if shape == "16x256b":
        return lane // 4 + 8 * (i // 2 % 2), 8 * (i // 4) + 2 * (lane % 4) + i % 2
    return lane % 16, i


def add_access(t, shape, num, packs, upper, half=0):
    """A load, whose registers a store of 32x32b puts elsewhere, or a store."""
    per = {"16x128b": 2, "16x256b": 4}.get(shape, 1)
    count = per * num
    wide = 2 if packs else 1
    need = 1 + max(fragment(shape, l, i)[1] for l in range(32) for i in range(count))
    need = need * wide + (half if shape == "16x32bx2" else 0)
    columns = 64
    while columns < need + count:
        columns *= 2
    if columns > 512:
        return add_store(t, shape, num, packs, upper, half)
    image = random_image(columns)
    after = copied(image)
    base = "%%tw+%d" % (16 << 16 if upper else 0) if upper else "%tw"
    regs = "{" + ", ".join("%%w%d" % i for i in range(count)) + "}"
    extra = ", %d" % half if shape == "16x32bx2" else ""
    own = "  tcgen05.ld.sync.aligned.%s.x%d%s.b32 %s, [%s]%s;\n  tcgen05.wait::ld.sync.aligned;\n" % (
        shape, num, ".pack::16b" if packs else "", regs, base, extra)
    own += "  tcgen05.st.sync.aligned.32x32b.x%d.b32 [%%tw+%d], %s;\n  tcgen05.wait::st.sync.aligned;\n" % (count, columns - count, regs)
    for warp in range(4):
        for lane in range(32):
            for i in range(count):
                row, col = fragment(shape, lane, i)
                cells = image[32 * warp + row + (16 if upper else 0)]
                col = col * wide + (half if lane >= 16 and shape == "16x32bx2" else 0)
                value = cells[col] & 0xFFFF | (cells[col + 1] & 0xFFFF) << 16 if packs else cells[col]
                after[32 * warp + lane][columns - count + i] = value
    t.add("", [bytes(1024)], [image], [after], columns=columns, own=own)
    add_store(t, shape, num, packs, upper, half)


def add_store(t, shape, num, packs, upper, half):
    """Registers with numbers of their own."""
    per = {"16x128b": 2, "16x256b": 4}.get(shape, 1)
    count, wide = per * num, 2 if packs else 1
    need = (1 + max(fragment(shape, l, i)[1] for l in range(32) for i in range(count))) * wide + half
    columns = 64
    while columns < need:
        columns *= 2
    image = random_image(columns)
    after = copied(image)
    base = "%%tw+%d" % (16 << 16) if upper else "%tw"
    regs = "{" + ", ".join("%%w%d" % i for i in range(count)) + "}"
    own = "".join("  mad.lo.u32 %%w%d, %%t, 0x10001, 0x%x;\n" % (i, 0x00100100 * i) for i in range(count))
    own += "  tcgen05.st.sync.aligned.%s.x%d%s.b32 [%s]%s, %s;\n  tcgen05.wait::st.sync.aligned;\n" % (
        shape, num, ".unpack::16b" if packs else "", base, ", %d" % half if shape == "16x32bx2" else "", regs)
    for warp in range(4):
        for lane in range(32):
            for i in range(count):
                row, col = fragment(shape, lane, i)
                value = ((32 * warp + lane) * 0x10001 + 0x00100100 * i) & MASK32
                cells = after[32 * warp + row + (16 if upper else 0)]
                col = col * wide + (half if lane >= 16 and shape == "16x32bx2" else 0)
                if packs:
                    cells[col], cells[col + 1] = value & 0xFFFF, value >> 16
                else:
                    cells[col] = value
    t.add("", [bytes(1024)], [image], [after], columns=columns, own=own)


def add_reduction(t, shape, num, op, ty, mode=""):
    image = random_image()
    special = {"f32": [0x7FC00000, 0x80000000, 0, 0xFF800000, 0x3F800000, 0xC2000000]}.get(ty, [0, NONE, 1 << 31])
    for lane in image:
        for c in range(32):
            if random.random() < 0.3:
                lane[c] = random.choice(special)
            elif ty == "f32":
                lane[c] = bits_of_single(random.uniform(-100, 100))
    after = copied(image)
    half = 20 if shape == "16x32bx2" else 0
    regs = "{" + ", ".join("%%w%d" % i for i in range(num)) + "}"
    own = "  tcgen05.ld.red.sync.aligned.%s.x%d.%s%s.%s %s, %%w%d, [%%tw]%s;\n  tcgen05.wait::ld.sync.aligned;\n" % (
        shape, num, op, mode, ty, regs, num, ", %d" % half if half else "")
    own += "  tcgen05.st.sync.aligned.32x32b.x1.b32 [%%tw+63], {%%w%d};\n  tcgen05.wait::st.sync.aligned;\n" % num
    for warp in range(4):
        for lane in range(32):
            values = []
            for i in range(num):
                row, col = fragment(shape, lane, i)
                values.append(image[32 * warp + row][col + (half if lane >= 16 else 0)])
            after[32 * warp + lane][63] = reduced(values, op, ty, mode)
    t.add("", [bytes(1024)], [image], [after], own=own)


def bits_of_single(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def reduced(values, op, ty, mode):
    pick = max if op == "max" else min
    if ty == "u32":
        return pick(values)
    if ty == "s32":
        return pick(v - (v >> 31 << 32) for v in values) & MASK32
    if ".abs" in mode:
        values = [v & 0x7FFFFFFF for v in values]
    is_nan = lambda v: v & 0x7FFFFFFF > 0x7F800000
    if ".NaN" in mode and any(map(is_nan, values)):
        return 0x7FFFFFFF
    # Ordered as numbers, -0 below +0.
    key = lambda v: -(v & 0x7FFFFFFF) - 1 if v >> 31 else v
    rest = [v for v in values if not is_nan(v)]
    return pick(rest, key=key) if rest else 0x7FFFFFFF


def kept_places(values, op, mode):
    """Of four which two stay: a NaN does; of equal ones, which PTX leaves open,
    the first."""
    def key(place):
        v = values[place]
        if v & 0x7FFFFFFF > 0x7F800000:
            return (0, 0)
        if ".abs" in mode:
            v &= 0x7FFFFFFF
        order = -(v & 0x7FFFFFFF) - 1 if v >> 31 else v
        return (1, -order if op == "max" else order)
    return sorted(sorted(range(4), key=key)[:2])


def compressed(values, op, mode):
    """Metadata, two bits for each that stays, and what stays."""
    metadata, data = [0] * -(-len(values) // 32), []
    for group in range(0, len(values), 4):
        for place in kept_places(values[group:group + 4], op, mode):
            metadata[len(data) // 16] |= place << len(data) % 16 * 2
            data.append(values[group + place])
    return metadata + data


def add_compression(t, num, op, mode, reduces):
    """Of columns 0 and up; what comes of it is stored behind them."""
    columns = 64
    while columns < 2 * num + 8:
        columns *= 2
    image = random_image(columns)
    special = [0x7FC00000, 0x80000000, 0, 0xFF800000, 0x7F800000, 0x3F800000, 0xC2000000, 1]
    for lane in image:
        for c in range(num):
            lane[c] = random.choice(special) if random.random() < 0.3 else bits_of_single(random.uniform(-100, 100))
    after = copied(image)
    counts = -(-num // 32), num // 2
    total = sum(counts)
    regs = lambda first, n: "{" + ", ".join("%%w%d" % i for i in range(first, first + n)) + "}"
    own = "  tcgen05.ld%s.spcompress.sync.aligned.32x32b.x%d.%s.sp::2:4%s.f32.b2 %s, %s, %s[%%tw];\n  tcgen05.wait::ld.sync.aligned;\n" % (
        ".red" if reduces else "", num, op, mode, regs(0, counts[0]), regs(*counts), "%%w%d, " % total if reduces else "")
    for i in range(total + reduces):
        own += "  tcgen05.st.sync.aligned.32x32b.x1.b32 [%%tw+%d], {%%w%d};\n" % (num + i, i)
    own += "  tcgen05.wait::st.sync.aligned;\n"
    for lane in range(LANES):
        values = image[lane][:num]
        after[lane][num:num + total] = compressed(values, op, mode)
        if reduces:
            after[lane][num + total] = reduced(values, op, "f32", mode)
    t.add("", [bytes(1024)], [image], [after], columns=columns, own=own)


def load_forms(t):
    for shape, limit in (("32x32b", 128), ("16x64b", 128), ("16x128b", 64), ("16x256b", 32), ("16x32bx2", 128)):
        num = 1
        while num <= limit:
            upper = shape.startswith("16") and random.random() < 0.5
            # The halves are apart, so that a store has one meaning.
            half = 2 * num + random.randrange(8) if shape == "16x32bx2" else 0
            add_access(t, shape, num, False, upper, half)
            if num <= limit // 2:
                add_access(t, shape, num, True, upper, half)
            num *= 2


def reduction_forms(t):
    for shape in ("32x32b", "16x32bx2"):
        for op in ("min", "max"):
            for num, ty, mode in ((2, "u32", ""), (4, "s32", ""), (8, "f32", ""), (16, "f32", ".abs"), (4, "f32", ".NaN"), (16, "f32", ".abs.NaN")):
                add_reduction(t, shape, num, op, ty, mode)


def compression_forms(t):
    for op in ("min", "max"):
        for num, mode, reduces in ((4, "", False), (8, ".abs", False), (4, "", True), (32, ".abs.NaN", True), (128, ".NaN", True), (64, ".abs", False)):
            add_compression(t, num, op, mode, reduces)


# ---------------------------------------------------------------------------
# Products

CODES = {"f16": 0, "bf16": 1, "tf32": 2, "e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5, "u8": 0, "s8": 1, "s1z4m11": 3}
RESULTS = {"f16": 0, "f32": 1, "s32": 2}
CELL = {"f16": 16, "bf16": 16, "tf32": 32, "s1z4m11": 16}


def stored_bits(ty, packed):
    """In shared memory: bits, and elements in 16 bytes."""
    if packed:
        return 4, 32
    if ty in ("e2m1", "e2m3", "e3m2"):
        return (4 if ty == "e2m1" else 6), 16
    bits = CELL.get(ty, 8)
    return bits, 128 // bits


def raw(ty, bits, packed):
    """An element as it stands in shared memory, from its byte."""
    return bits >> 2 & 15 if ty == "e2m1" and not packed else bits


def whole(ty, bits):
    """An integer; of kind::ti16 a sign and a magnitude."""
    if ty == "s1z4m11":
        return (-1 if bits >> 15 else 1) * (bits & 0x7FF)
    return integer(ty, bits)


class Product:
    """A product of any kind; defaults are those of a plain one. wide: twice as many
    elements of 8 bits. half: B has numbers of values in tables, in that half of
    its rows."""

    def __init__(self, kind, td, ta, tb, m=128, n=16, mode="moderate", swizzle=(3, 3), trans=(0, 0), neg=(0, 0),
                 adds=True, sat=False, scale_d=0, tmem_a=False, shift=False, disabled=None, pair=False, ws=False,
                 sparse=False, scales=0, scale_type="ue8m0", spelling="", collector="", zero=None, upper=0,
                 ids=(0, 0), selector=0, firsts=None, apart=True, wide=False, half=None):
        self.__dict__.update(locals())
        self.packed = kind in ("mxf4", "mxf4nvf4")
        self.element = 4 if self.packed else CELL.get(ta, 8)
        # Rows of 48 bytes stand as ContinuedMatrix has them.
        self.long = firsts is not None
        self.stored = 96 if self.long else 256 // self.element * (2 if wide else 1)
        self.k = self.stored * (2 if sparse else 1)
        self.ctas = 2 if pair else 1
        self.rows, self.lane, self.parts = path_of(m, pair, sparse, ws)
        self.random()

    def random(self):
        size = 4 if self.packed else self.element
        kept = {"e2m3": 0x3F, "e3m2": 0x3F, "e2m1": -1 if self.packed else 0x3C, "s1z4m11": 0x87FF}
        clean = lambda ty, rows: [[v & kept.get(ty, -1) for v in row] for row in rows]
        self.a = clean(self.ta, random_matrix(self.rows * self.ctas, self.stored, self.ta, size, operand_mode(self.mode, "a")))
        self.b = clean(self.tb, random_matrix(self.n, self.k, self.tb, size, operand_mode(self.mode, "b")))
        shift = (self.zero or 0) >> 56 & 0x3F
        if self.half is not None:
            self.tables = [random.sample([v for row in self.b[8 * g:8 * g + 8] for v in row], 8) for g in range(self.n // 8)]
            self.numbers = [[random.randrange(8) for _ in row] for row in self.b]
            self.b = [[self.tables[i // 8][number] for number in row] for i, row in enumerate(self.numbers)]
        self.columns_b = self.b
        if shift:
            more = clean(self.tb, random_matrix(shift, self.k, self.tb, size, operand_mode(self.mode, "b")))
            self.columns_b = more + self.b

    def idesc(self):
        d = 4 if self.sparse else 0
        d |= self.neg[0] << 13 | self.neg[1] << 14 | self.trans[0] << 15 | self.trans[1] << 16 | self.n >> 3 << 17
        code = (1, 1) if self.packed else (CODES[self.ta], CODES[self.tb])
        d |= code[0] << 7 | code[1] << 10
        if self.scales:
            return d | (self.long or self.wide) << 31 | self.ids[1] << 4 | (self.scale_type == "ue8m0") << 23 | self.m >> 7 << 27 | self.ids[0] << 29
        return d | self.wide << 29 | (self.selector if self.sparse else 0) | self.sat << 3 | RESULTS[self.td] << 4 | self.m >> 4 << 24

    # Where things stand in tensor memory: D, A, the metadata, the scales.
    def plan(self):
        d_columns = self.n // self.parts
        at = -(-d_columns // 4) * 4
        self.at_a, at = at, at + (20 if self.wide else 12)
        self.at_meta, at = at, at + 8
        self.at_sa, at = at, at + 8
        self.at_sb, at = at, at + 16
        columns = 64
        while columns < at:
            columns *= 2
        return columns

    def images(self, columns):
        images = [random_image(columns) for _ in range(self.ctas)]
        chunk = {32: 2, 4: 8}.get(self.element, 4)
        self.meta = None
        if self.sparse:
            nibbles = [0b0100, 0b1110] if chunk == 2 else [0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110]
            self.meta = [[random.choice(nibbles) for _ in range(self.k // chunk)] for _ in self.a]
        scale = lambda: random.choice([0x7F, 0x80, 0x7C, random.randrange(0x60, 0x90)]) if self.scale_type == "ue8m0" \
            else random.choice([0x38, 0x40, random.randrange(0x7F)])
        self.sa = [[scale() for _ in range(self.scales)] for _ in self.a]
        self.sb = [[scale() for _ in range(self.scales)] for _ in range(self.n)]
        for c, image in enumerate(images):
            for part in range(self.parts):
                for row in range(self.rows):
                    self.fill_row(image, c, part, row, chunk)
                self.fill_d(image, part)
            self.fill_scales(image, c)
            groups = self.n // 8 // self.ctas
            for g in range(groups if self.half is not None else 0):
                table = self.tables[c * groups + g]
                for i, value in enumerate(table):
                    self.put(image[g], self.at_meta, 8 * i, 8, value)
        return images

    def fill_d(self, image, part):
        width = 16 if self.td == "f16" else 32
        cells = random_matrix(self.rows, self.n // self.parts, self.td, width, "special" if self.mode == "special" else "moderate")
        for row in range(self.rows):
            for col, v in enumerate(cells[row]):
                image[self.lane(row, part) + self.upper][col] = v

    def fill_row(self, image, c, part, row, chunk):
        lane = self.lane(row, part) + self.upper
        values = self.a[c * self.rows + row]
        if self.tmem_a:
            for k in range(self.stored):
                self.put(image[lane], self.at_a, k * self.element, self.element, values[k])
        for number, nibble in enumerate(self.meta[c * self.rows + row] if self.meta else []):
            if chunk == 4 and self.element == 8 or chunk == 8:
                self.put(image[lane], self.at_meta, 4 * number, 4, nibble)
            else:
                first = self.lane(row - row % 16, part) + self.upper
                holder = image[first + row % 8 + 8 * (number // 4)]
                self.put(holder, self.at_meta + self.selector, 16 * (row % 16 // 8) + 4 * (number % 4), 4, nibble)

    def put_scale(self, cells, at, index, count, first, s, value):
        """The third and fourth figures of a layout are of more than 128 columns."""
        byte = first + s
        block = 0
        while byte >= 4:
            byte, block = byte - 4, block + (4 if count <= 128 else 8)
        self.put(cells, at + block + index // 32, 8 * byte, 8, value)

    def fill_scales(self, image, c):
        for warp in range(4):
            for s in range(self.scales):
                for row in range(self.rows):
                    self.put_scale(image[32 * warp + row % 32], self.at_sa, row, self.rows, self.ids[0], s, self.sa[c * self.rows + row][s])
                part = warp * self.parts // 4
                per = self.n // self.parts
                for n in range(per):
                    self.put_scale(image[32 * warp + n % 32], self.at_sb, n, per, self.ids[1], s, self.sb[part * per + n][s])

    @staticmethod
    def put(cells, column, bit, width, value):
        column, bit = column + bit // 32, bit % 32
        cells[column] = cells[column] & ~(((1 << width) - 1) << bit) | value << bit

    def column_of(self, row, stored):
        if not self.sparse:
            return stored
        chunk = {32: 2, 4: 8}.get(self.element, 4)
        c, n = divmod(stored, chunk // 2)
        nibble = self.meta[row][c]
        if chunk == 2:
            return 2 * c + {0b0100: 0, 0b1110: 1}[nibble]
        if chunk == 4:
            return 4 * c + (nibble >> 2 * n & 3)
        return 8 * c + 2 * (nibble >> 2 * (n // 2) & 3) + n % 2

    def is_zero(self, n):
        z = self.zero
        if z is None or not z >> 39 & 1:
            return False
        # Runs of ones (skipped columns) and zeros, written out from the start.
        per = self.n // self.parts
        part = n // per
        runs, value = [], z >> 32 + part & 1
        while len(runs) < 1024:
            runs += [value] * ((z >> 40 & 0xFF) + 1 if value else (z >> 48 & 0xFF) + 1)
            value = 1 - value
        return bool(runs[n % per + (z >> 8 * part & 0xFF)])

    def element_of(self, row, n, old):
        c_row = row % self.rows
        source = row
        if self.shift and c_row + 1 < self.rows:
            source = row + 1
        a, b = self.a[source], self.columns_b[n + ((self.zero or 0) >> 56 & 0x3F)]
        pairs = [(x, 0 if self.is_zero(n) else b[self.column_of(source, s)], self.column_of(source, s)) for s, x in enumerate(a)]
        if self.td == "s32":
            sign = -1 if self.neg[0] != self.neg[1] else 1
            total = sum(whole(self.ta, x) * whole(self.tb, y) for x, y, _ in pairs) * sign
            total += old - (old >> 31 << 32) if self.adds else 0
            if self.sat:
                total = min(max(total, -(1 << 31)), (1 << 31) - 1)
            return total & MASK32
        terms = []
        if self.adds:
            c = ref.decode(self.td, old & 0xFFFF if self.td == "f16" else old)
            terms.append((c[0], c[1], c[2] - self.scale_d, c[3] - self.scale_d))
        sign = -1 if self.neg[0] != self.neg[1] else 1
        for x, y, column in pairs:
            p = ref.times(ref.decode(self.ta, x, self.packed), ref.decode(self.tb, y, self.packed))
            p = (p[0], p[1] * sign, p[2], p[3])
            if self.scales:
                s = column * self.scales // self.k
                for scale in (self.sa[row][s], self.sb[n][s]):
                    p = ref.times(p, ref.decode_scale(self.scale_type, scale))
            terms.append(p)
        return ref.sum_of(terms, self.td)

    def after(self, images):
        result = [copied(i) for i in images]
        for c in range(self.ctas):
            for row in range(self.rows):
                for n in range(self.n):
                    part, col = divmod(n, self.n // self.parts)
                    lane = self.lane(row, part) + self.upper
                    if self.disabled and self.disabled[4 * c + lane // 32] >> lane % 32 & 1:
                        continue
                    result[c][lane][col] = self.element_of(c * self.rows + row, n, images[c][lane][col])
        return result

    def shared(self):
        bits_a, unit_a = stored_bits(self.ta, self.packed)
        bits_b, unit_b = stored_bits(self.tb, self.packed)
        strip = lambda ty, rows: [[raw(ty, v, self.packed) for v in row] for row in rows]
        parts = []
        half = self.n // self.ctas
        for c in range(self.ctas if self.long else 0):
            b = ContinuedMatrix(self.b[c * half:(c + 1) * half], self.firsts[1], self.apart)
            a = ContinuedMatrix(self.a[c * self.rows:(c + 1) * self.rows], self.firsts[0], self.apart)
            parts.append(b.data + a.data)
            self.desc_b, self.desc_a = b.descriptor(0), a.descriptor(len(b.data))
        for c in range(0 if self.long else self.ctas):
            units32 = lambda i: self.ta == "tf32" and self.trans[i]
            b = Matrix(strip(self.tb, self.columns_b[c * half:] if self.ctas == 1 else self.columns_b[c * half:(c + 1) * half]),
                       bits_b, unit_b, self.swizzle[1], self.trans[1], units32(1))
            if self.half is not None:
                b = Matrix(self.compressed(c * half, half), 8, 16, self.swizzle[1], False)
            a = Matrix(strip(self.ta, self.a[c * self.rows:(c + 1) * self.rows]), bits_a, unit_a, self.swizzle[0], self.trans[0], units32(0))
            parts.append(b.data + a.data)
            self.desc_b, self.desc_a = b.descriptor(0), a.descriptor(len(b.data))
        return parts

    def compressed(self, first, count):
        """Rows of 48 bytes: numbers of 3 bits, one half of which counts."""
        rows = []
        for row in self.numbers[first:first + count]:
            bits = sum(number << 3 * k for k, number in enumerate(row))
            halves = [random.getrandbits(192), bits] if self.half else [bits, random.getrandbits(192)]
            rows.append(list((halves[0] | halves[1] << 192).to_bytes(48, "little")))
        return rows

    def code(self):
        lane = self.upper << 16
        text = "  bfe.u32 %i, %sh, 4, 14;\n  cvt.u64.u32 %q, %i;\n"
        if self.long:
            text += "  mad.lo.u64 %q, %q, 65536, %q;\n"
        text += constant("%x0", self.desc_a) + "  add.u64 %x0, %x0, %q;\n"
        text += constant("%x1", self.desc_b | (self.half or 0) << 53) + "  add.u64 %x1, %x1, %q;\n"
        text += constant("%w0", self.idesc(), 32)
        for reg, at in (("%w1", lane), ("%w2", lane + self.at_a), ("%w3", lane * self.sparse + self.at_meta), ("%w4", self.at_sa), ("%w5", self.at_sb)):
            text += "  add.u32 %s, %%ta, %d;\n" % (reg, at)
        text += "  setp.eq.u32 %%p5, %d, 1;\n" % self.adds
        operands = ["[%w1]", "[%w2]" if self.tmem_a else "%x0", "%x1"]
        if self.sparse or self.half is not None:
            operands.append("[%w3]")
        operands.append("%w0")
        if self.disabled:
            for i, m in enumerate(self.disabled):
                text += constant("%%w%d" % (8 + i), m, 32)
            operands.append("{" + ", ".join("%%w%d" % (8 + i) for i in range(len(self.disabled))) + "}")
        if self.scales:
            operands += ["[%w4]", "[%w5]"]
        operands.append("%p5")
        if self.scale_d:
            operands.append(str(self.scale_d))
        if self.zero is not None:
            text += constant("%x2", self.zero)
            operands.append("%x2")
        name = "tcgen05.mma" + (".ws" if self.ws else "") + (".sp" if self.sparse else "")
        name += ".cta_group::%d.kind::%s" % (self.ctas, self.kind)
        name += (".block_scale" + self.spelling if self.scales else "") + (".ashift" if self.shift else "")
        name += (".decompress::lut::b" if self.half is not None else "") + self.collector
        return text + "  %s %s;\n" % (name, ", ".join(operands))


def add(t, *args, **more):
    p = Product(*args, **more)
    columns = p.plan()
    images = p.images(columns)
    shared = p.shared()
    t.add(p.code(), shared, images, p.after(images), pair=p.pair, columns=columns)


NARROW = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")


def plain_forms(t):
    for mode in ("moderate", "special", "hot a", "hot b", "diagonal a", "diagonal b"):
        add(t, "f16", "f32", "f16", "f16", mode=mode)
        add(t, "i8", "s32", "s8", "u8", n=16, mode=mode)
        add(t, "f16", "f16", "f16", "f16", mode=mode, m=64, upper=16)
        add(t, "f16", "f32", "bf16", "bf16", mode=mode, m=64)
        add(t, "tf32", "f32", "tf32", "tf32", mode=mode)
        add(t, "f8f6f4", "f32", "e4m3", "e5m2", mode=mode)
        add(t, "f8f6f4", "f16", "e5m2", "e4m3", mode=mode)
    for swizzle in range(4):
        for trans in ((0, 0), (1, 0), (0, 1), (1, 1)):
            add(t, "i8", "s32", "s8", "u8", n=128 if trans[1] else 8, swizzle=(swizzle, 3 - swizzle), trans=trans)
        add(t, "f16", "f32", "f16", "f16", n=64, m=64, swizzle=(swizzle, swizzle), trans=(1, 1))
        add(t, "i8", "s32", "s8", "u8", n=16, swizzle=(swizzle, swizzle))
        add(t, "tf32", "f32", "tf32", "tf32", n=8, m=64, swizzle=(3 - swizzle, swizzle))
    add(t, "i8", "s32", "u8", "s8", n=32, trans=(1, 1))
    add(t, "tf32", "f32", "tf32", "tf32", n=32, m=64, trans=(1, 1))
    add(t, "tf32", "f32", "tf32", "tf32", n=8, m=128, trans=(1, 0))
    for ta in NARROW:
        add(t, "f8f6f4", "f32", ta, random.choice(NARROW), n=8, m=64)
        add(t, "f8f6f4", "f16", random.choice(NARROW), ta, n=8, m=64)
        add(t, "f8f6f4", "f32", ta, "e4m3", n=8, tmem_a=True)
    add(t, "i8", "s32", "s8", "s8", n=256)
    add(t, "i8", "s32", "u8", "u8", n=24, sat=True, m=64)
    add(t, "i8", "s32", "s8", "s8", n=8, tmem_a=True, shift=True, adds=False)
    for tmem_a in (False, True):
        add(t, "f16", "f32", "bf16", "bf16", n=8, neg=(1, 0), tmem_a=tmem_a, collector=".collector::a::fill")
        add(t, "f16", "f32", "f16", "f16", n=8, neg=(0, 1), tmem_a=tmem_a, scale_d=3, collector=".collector::a::use")
        add(t, "tf32", "f32", "tf32", "tf32", n=8, m=64, scale_d=15, tmem_a=tmem_a, collector=".collector::a::lastuse", upper=16)
        add(t, "f16", "f16", "f16", "f16", n=8, adds=False, tmem_a=tmem_a, collector=".collector::a::discard")
    add(t, "f16", "f32", "f16", "f16", n=8, tmem_a=True, shift=True)
    add(t, "tf32", "f32", "tf32", "tf32", n=8, disabled=[0xF0F0F0F0, 1, NONE, 0x80000000])
    add(t, "f8f6f4", "f32", "e4m3", "e4m3", n=8, disabled=[0xAAAAAAAA, 0, 0, 0x7FFFFFFF], tmem_a=True)


def scaled_forms(t):
    for ta in NARROW:
        add(t, "mxf8f6f4", "f32", ta, random.choice(NARROW), n=8, scales=1, ids=(random.randrange(4), random.randrange(4)), spelling=".scale_vec::1X")
        add(t, "mxf8f6f4", "f32", random.choice(NARROW), ta, n=40, scales=1, spelling=random.choice(["", ".block32"]), ids=(3, 1))
    add(t, "mxf8f6f4", "f32", "e2m1", "e4m3", n=8, scales=1, tmem_a=True, neg=(1, 0))
    for mode in ("moderate", "special", "diagonal a", "diagonal b"):
        add(t, "mxf4", "f32", "e2m1", "e2m1", n=8, scales=2, mode=mode, ids=(2, 0), spelling=".scale_vec::2X")
        add(t, "mxf4", "f32", "e2m1", "e2m1", n=72, scales=2, mode=mode, ids=(0, 2), spelling=random.choice(["", ".block32"]), tmem_a=True)
        add(t, "mxf4nvf4", "f32", "e2m1", "e2m1", n=8, scales=2, mode=mode, ids=(2, 2), spelling=".scale_vec::2X")
        add(t, "mxf4nvf4", "f32", "e2m1", "e2m1", n=8, scales=4, mode=mode, spelling=".scale_vec::4X")
        add(t, "mxf4nvf4", "f32", "e2m1", "e2m1", n=16, scales=4, mode=mode, spelling=".block16", scale_type="ue4m3")
    add(t, "mxf4nvf4", "f32", "e2m1", "e2m1", n=8, scales=2, spelling=".block32", collector=".collector::a::fill", neg=(0, 1))


def long_forms(t):
    """96 elements of K; 3 scales begin in any byte, 6 in an even one."""
    more = lambda kind, scales, **named: add(t, kind, "f32", "e2m1", "e2m1", scales=scales, **named)
    for first in range(4):
        more("mxf4", 3, n=8, ids=(first, 3 - first), firsts=(first, 7 - first), spelling=random.choice(["", ".block32"]))
        more("mxf4nvf4", 3, n=16, ids=(first, first), firsts=(2 * first, 5), apart=False, spelling=".block32")
        more("mxf4nvf4", 6, n=8, ids=(first & 2, 2 * (first & 1)), firsts=(6, 4 + first), spelling=".block16",
             scale_type="ue4m3" if first < 2 else "ue8m0")
    for mode in ("special", "diagonal a", "diagonal b"):
        more("mxf4nvf4", 6, n=16, mode=mode, ids=(2, 2), firsts=(0, 6), apart=False, spelling=".block16", scale_type="ue4m3")
    # More than 128 columns have their next scales eight columns on.
    more("mxf4nvf4", 6, n=136, mode="hot a", ids=(0, 2), firsts=(7, 0), apart=False, spelling=".block16", scale_type="ue4m3")
    more("mxf4nvf4", 6, m=256, n=16, ids=(2, 0), firsts=(7, 6), spelling=".block16", scale_type="ue4m3", pair=True)
    more("mxf4", 3, n=8, ids=(3, 3), firsts=(0, 6), tmem_a=True, neg=(0, 1), spelling=".block32")


def sparse_forms(t):
    for tmem_a in (False, True):
        add(t, "f16", "f32", "f16", "f16", n=8, sparse=True, tmem_a=tmem_a, selector=3 * tmem_a)
        add(t, "f16", "f32", "bf16", "bf16", n=8, m=64, sparse=True, tmem_a=tmem_a, upper=16, selector=1)
        add(t, "tf32", "f32", "tf32", "tf32", n=8, m=64, sparse=True, tmem_a=tmem_a, selector=2 * tmem_a)
        add(t, "i8", "s32", "s8", "u8", n=16, sparse=True, tmem_a=tmem_a)
    add(t, "f8f6f4", "f32", "e4m3", "e5m2", n=8, m=64, sparse=True)
    add(t, "mxf8f6f4", "f32", "e3m2", "e4m3", n=8, sparse=True, scales=1)
    add(t, "mxf4", "f32", "e2m1", "e2m1", n=8, sparse=True, scales=2, tmem_a=True)
    add(t, "mxf4nvf4", "f32", "e2m1", "e2m1", n=8, sparse=True, scales=4, spelling=".scale_vec::4X", scale_type="ue4m3")


def later_forms(t):
    """What came with version 9.4: hints what to keep of B, commits that wait
    for reads of A alone, and masks of 32 CTAs."""
    keep = iter(["fill", "use", "lastuse", "discard"] * 8)
    more = lambda kind, td, ta, tb, a="", **named: add(t, kind, td, ta, tb, n=8, collector=a + ".collector::b::" + next(keep), **named)
    for t.wide_mask in (False, True):
        more("f16", "f32", "f16", "f16")
        more("f16", "f32", "bf16", "bf16", a=".collector::a::use", m=64, scale_d=3)
        more("tf32", "f32", "tf32", "tf32", tmem_a=True, disabled=[0xF0F0F0F0, 1, NONE, 0x80000000])
        more("f8f6f4", "f16", "e5m2", "e4m3", a=".collector::a::discard")
        more("f16", "f32", "f16", "f16", tmem_a=True, shift=True)
        more("f16", "f32", "bf16", "bf16", m=64, sparse=True, upper=16, selector=1)
        more("mxf8f6f4", "f32", "e3m2", "e4m3", scales=1)
        more("mxf8f6f4", "f32", "e2m1", "e4m3", scales=1, spelling=".block32", tmem_a=True)
        more("mxf4", "f32", "e2m1", "e2m1", scales=2, spelling=".scale_vec::2X")
        more("mxf4nvf4", "f32", "e2m1", "e2m1", a=".collector::a::fill", scales=4, spelling=".block16", scale_type="ue4m3")
        more("mxf4nvf4", "f32", "e2m1", "e2m1", sparse=True, scales=4, spelling=".scale_vec::4X", scale_type="ue4m3")
        add(t, "tf32", "f32", "tf32", "tf32", m=256, n=16, pair=True, collector=".collector::b::fill")
        t.restrict = ".sync_restrict::shared::read::mma::a"
        more("f16", "f32", "f16", "f16")
        add(t, "f16", "f32", "f16", "f16", m=128, n=16, pair=True, collector=".collector::b::use")
        t.restrict = ""


def magnitude_forms(t):
    """Integers of a sign and 11 bits; a sum of them wraps."""
    more = lambda **named: add(t, "ti16", "s32", "s1z4m11", "s1z4m11", **named)
    for mode in ("moderate", "special", "hot a", "hot b", "diagonal a", "diagonal b"):
        more(mode=mode)
        more(mode=mode, n=8, m=64, upper=16, neg=(1, 0))
    for swizzle in range(4):
        for trans in ((0, 0), (1, 0), (0, 1), (1, 1)):
            more(n=64, swizzle=(swizzle, 3 - swizzle), trans=trans)
    for tmem_a in (False, True):
        more(n=8, neg=(0, 1), tmem_a=tmem_a, collector=".collector::a::use.collector::b::fill")
        more(n=8, adds=False, neg=(1, 1), tmem_a=tmem_a, disabled=[0xF0F0F0F0, 1, NONE, 0x80000000])
        more(n=8, sparse=True, tmem_a=tmem_a, selector=3 * tmem_a)
        more(n=8, m=64, sparse=True, tmem_a=tmem_a, upper=16, selector=1)
    more(n=256)
    more(n=8, tmem_a=True, shift=True)
    for m in (32, 64, 128):
        more(m=m, n=64, ws=True, tmem_a=m == 64, collector=".collector::b2::use", zero=zero_columns([1, 2, 1, 0], [1, 1, 0, 0], 2, 3))
        more(m=m, n=64, ws=True, sparse=True, tmem_a=m == 32)
    for m in (128, 256):
        more(m=m, n=32, pair=True, tmem_a=m == 128)
        more(m=m, n=32, pair=True, sparse=True, upper=16 if m == 128 else 0)


def lookup_forms(t):
    """Twice as many elements of 8 bits, and a B of numbers of values."""
    for ta in ("e4m3", "e5m2"):
        for tb in ("e4m3", "e5m2"):
            add(t, "f8f6f4", "f32", ta, tb, wide=True, mode="special")
            add(t, "f8f6f4", "f16", ta, tb, wide=True, m=64, n=8, tmem_a=True, upper=16)
            add(t, "mxf8f6f4", "f32", ta, tb, wide=True, scales=2, n=40, ids=(2, 0), spelling=".block32")
    add(t, "f8f6f4", "f32", "e4m3", "e5m2", wide=True, m=256, n=32, pair=True, swizzle=(2, 3))
    for half in (0, 1):
        for mode in ("moderate", "special", "diagonal a"):
            add(t, "f8f6f4", "f32", "e5m2", "e4m3", wide=True, half=half, mode=mode)
        add(t, "f8f6f4", "f16", "e4m3", "e4m3", wide=True, half=half, n=72, m=64, tmem_a=True, neg=(half, 1))
        add(t, "f8f6f4", "f32", "e4m3", "e4m3", wide=True, half=half, n=256, m=64, swizzle=(2, 2), collector=".collector::b::fill")
        add(t, "f8f6f4", "f32", "e4m3", "e4m3", wide=True, half=half, n=8, swizzle=(0, 0), disabled=[0xAAAAAAAA, 0, 0, 0x7FFFFFFF])
        add(t, "mxf8f6f4", "f32", "e5m2", "e4m3", wide=True, half=half, scales=2, n=24, ids=(0, 2), spelling=random.choice(["", ".block32"]))
        add(t, "f8f6f4", "f32", "e4m3", "e4m3", wide=True, half=half, m=128 + 128 * half, n=64, pair=True)
        add(t, "mxf8f6f4", "f32", "e4m3", "e4m3", wide=True, half=half, m=256, n=32, pair=True, scales=2, tmem_a=True)


def zero_columns(starts, firsts, skip, use, shift=0):
    z = sum(s << 8 * i for i, s in enumerate(starts)) | sum(f << 32 + i for i, f in enumerate(firsts))
    return z | 1 << 39 | skip << 40 | use << 48 | shift << 56


def stationary_forms(t):
    for m in (32, 64, 128):
        parts = {32: 4, 64: 2, 128: 1}[m]
        add(t, "i8", "s32", "s8", "u8", m=m, n=128, ws=True, tmem_a=True, collector=".collector::b1::fill")
        add(t, "i8", "s32", "u8", "u8", m=m, n=256 if m == 32 else 64, ws=True, collector=".collector::b2::use",
            zero=zero_columns([random.randrange(5) for _ in range(parts)], [random.randrange(2) for _ in range(parts)], 2, 3))
        add(t, "i8", "s32", "s8", "s8", m=m, n=64, ws=True, sparse=True, tmem_a=m == 32, collector=".collector::b0::discard")
    add(t, "f16", "f32", "f16", "f16", m=32, n=64, ws=True)
    add(t, "tf32", "f32", "tf32", "tf32", m=32, n=64, ws=True, zero=zero_columns([1, 2, 1, 0], [1, 1, 0, 0], 2, 3, 2))
    add(t, "f8f6f4", "f32", "e4m3", "e2m1", m=32, n=64, ws=True, zero=0, collector=".collector::b3::lastuse")
    add(t, "f16", "f32", "bf16", "bf16", m=64, n=64, ws=True, sparse=True, selector=1, tmem_a=True)
    add(t, "tf32", "f32", "tf32", "tf32", m=32, n=64, ws=True, sparse=True)
    add(t, "f8f6f4", "f16", "e5m2", "e4m3", m=32, n=64, ws=True, sparse=True, zero=zero_columns([3, 0, 1, 2], [0, 1, 1, 0], 0, 4))


def pair_forms(t):
    for m in (128, 256):
        add(t, "i8", "s32", "s8", "u8", m=m, n=32, pair=True, tmem_a=True)
        add(t, "tf32", "f32", "tf32", "tf32", m=m, n=16, pair=True, disabled=[1, 2, 4, 8, 16, 32, 64, 0xFFFF0000])
        add(t, "f16", "f32", "bf16", "bf16", m=m, n=16, pair=True, sparse=True, upper=16 if m == 128 else 0, tmem_a=m == 256)
    add(t, "f16", "f32", "f16", "f16", m=128, n=16, pair=True)
    add(t, "f8f6f4", "f16", "e4m3", "e5m2", m=128, n=32, pair=True, trans=(0, 1))
    add(t, "mxf8f6f4", "f32", "e4m3", "e2m1", m=128, n=48, pair=True, scales=1, ids=(1, 2))
    add(t, "mxf4", "f32", "e2m1", "e2m1", m=128, n=16, pair=True, scales=2, ids=(2, 0))
    add(t, "mxf4nvf4", "f32", "e2m1", "e2m1", m=256, n=16, pair=True, scales=4, spelling=".scale_vec::4X", scale_type="ue4m3", sparse=True)
    add(t, "i8", "s32", "u8", "u8", m=256, n=32, pair=True, tmem_a=True, shift=True)
    add_copy(t, "128x256b", pair=True)
    add_copy(t, "32x128b.warpx4", pair=True)
    add_shift(t, pair=True)


# ---------------------------------------------------------------------------
# Copies and shifts

COPIES = {
    "128x256b": (128, 32, lambda r: [r]),
    "128x128b": (128, 16, lambda r: [r]),
    # One row for each warp.
    "4x256b": (4, 32, lambda r: [32 * r]),
    "64x128b.warpx2::02_13": (64, 16, lambda r: [r, r + 64]),
    "64x128b.warpx2::01_23": (64, 16, lambda r: [r, r + 32] if r < 32 else [r + 32, r + 64]),
    "32x128b.warpx4": (32, 16, lambda r: [r, r + 32, r + 64, r + 96]),
}


def add_copy(t, shape, swizzle=0, unpack="", pair=False, lane=0):
    rows, size, lanes = COPIES[shape]
    ctas = 2 if pair else 1
    images = [random_image() for _ in range(ctas)]
    after = [copied(i) for i in images]
    shared = []
    for c in range(ctas):
        data = [[random.getrandbits(8) for _ in range(size)] for _ in range(rows)]
        m = Matrix(data, 8, 16, swizzle, False)
        shared.append(m.data)
        desc = m.descriptor(0)
        for r in range(rows):
            row = bytes(data[r])
            if unpack:
                width = 6 if "b6" in unpack else 4
                units = [int.from_bytes(row[u:u + 16], "little") for u in range(0, size, 16)]
                row = bytes((unit >> width * i & ((1 << width) - 1)) << (0 if width == 6 else 2) for unit in units for i in range(16))
            for to in lanes(r):
                for i in range(size // 4):
                    after[c][to + lane][16 + i] = int.from_bytes(row[4 * i:4 * i + 4], "little")
    code = "  bfe.u32 %i, %sh, 4, 14;\n  cvt.u64.u32 %q, %i;\n" + constant("%x0", desc) + "  add.u64 %x0, %x0, %q;\n"
    code += "  add.u32 %%w0, %%ta, %d;\n" % (lane << 16)
    code += "  tcgen05.cp.cta_group::%d.%s%s [%%w0+16], %%x0;\n" % (ctas, shape, unpack)
    t.add(code, shared, images, after, pair=pair)


def add_shift(t, pair=False):
    ctas = 2 if pair else 1
    images = [random_image() for _ in range(ctas)]
    after = [copied(i) for i in images]
    for image in after:
        for lane in range(32, 63):
            image[lane][8:16] = image[lane + 1][8:16]
    t.add("  tcgen05.shift.cta_group::%d.down [%%ta+%d];\n" % (ctas, (32 << 16) + 8), [bytes(1024)] * ctas, images, after, pair=pair)


def copy_forms(t):
    for shape in COPIES:
        for swizzle in range(4):
            add_copy(t, shape, swizzle, lane=31 if shape == "4x256b" else 0)
        add_copy(t, shape, unpack=".b8x16.b6x16_p32")
        add_copy(t, shape, unpack=".b8x16.b4x16_p64")
    add_shift(t)


def main():
    folder, name = sys.argv[1:]
    random.seed(name)
    t = Test(folder, name)
    {"loads": load_forms, "reductions": reduction_forms, "compressions": compression_forms, "products": plain_forms, "scaled": scaled_forms, "long": long_forms,
     "sparse": sparse_forms, "stationary": stationary_forms, "copies": copy_forms, "pairs": pair_forms,
     "later": later_forms, "magnitudes": magnitude_forms, "lookups": lookup_forms}[name](t)
    if name in ("reductions", "long"):
        t.text[0] = t.text[0].replace("sm_100a", "sm_103a")
    if name == "compressions":
        t.text[0] = ".version 9.4\n.target sm_107a\n.address_size 64\n"
    if name in ("later", "magnitudes", "lookups"):
        t.text[0] = t.text[0].replace("8.8", "9.4").replace("sm_100a", "sm_107a")
    t.write()


main()
