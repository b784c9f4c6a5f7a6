"""What versions 9.3 and 9.4 of PTX added to copies and mbarriers: orders,
reports, masks of 32 CTAs, hints that name memory, and tensors that lie elsewhere
than their maps say, through the fabric too. Usage: async-reports.py FOLDER"""

import random
import struct
import sys

from fabric import Cases, Endpoint, GET, PUT
from tensor_maps import make_map, words_of

random.seed(31)
BULK = "mbarrier::complete_tx::bytes"
TILE = 512


# Orders ----------------------------------------------------------------------

def orders(c):
    data, old = random.randbytes(TILE), random.randbytes(TILE)
    for scope in ("cta", "cluster", "gpu", "sys"):
        for to in ("shared::cta", "shared::cluster"):
            # Over the tile, which comes from the other buffer.
            c.copy("cp.async.bulk.relaxed.%s.%s.global.%s.b128 [%%r2], [%%js], 512, [%%r1];" % (scope, to, BULK), data, old, old, TILE)
        for opcode in ("cp.async.bulk", "multimem.cp.async.bulk"):
            c.copy("%s.relaxed.%s.global.shared::cta.bulk_group.b128 [%%js], [%%r2], 512;" % (opcode, scope), data, old, data, 0, to=data)
    mask = 0x0FF1
    mixed = bytes(d if mask >> k % 16 & 1 else o for k, (o, d) in enumerate(zip(old, data)))
    for opcode in ("cp.async.bulk", "multimem.cp.async.bulk"):
        c.copy("mov.b16 %%h1, %d;\n%s.relaxed.gpu.global.shared::cta.bulk_group.cp_mask.b128 [%%js], [%%r2], 512, %%h1;" % (mask, opcode),
               data, old, data, 0, to=mixed)


# Reports ---------------------------------------------------------------------

PATTERNS = {"per_16bytes::80000000": (4, 0x80000000), "per_16bytes::8000": (2, 0x8000), "per_16bytes::80": (1, 0x80),
            "per_16bytes::8": (1, 0x08), "per_element::ff": (1, 0xFF)}


def plain_data():
    """Bytes of which no pattern is made."""
    return bytes(random.randint(1, 7) * 16 + random.randint(0, 7) for _ in range(TILE))


def reports(c):
    for pattern, (size, value) in PATTERNS.items():
        each = pattern.startswith("per_element")
        for at, told in ((None, False), (0, True), (496, True), (16 * 7 + (5 if each else 8), each)):
            old = bytearray(plain_data())
            if at is not None:
                old[at:at + size] = value.to_bytes(size, "little")
            report = 1 if told else 1 << 16
            for order, to in (("", "shared::cta"), (".weak", "shared::cluster"), (".relaxed.gpu", "shared::cta")):
                c.copy("cp.async.bulk%s.%s.global.%s.mbarrier::report::validity::%s%s [%%r2], [%%js], 512, [%%r1];" % (
                    order, to, BULK, pattern, ".b128" if order == ".relaxed.gpu" else ""), plain_data(), bytes(old), bytes(old), TILE, report)
    old = bytes([0, 0, 0, 0x80]) * (TILE // 4)
    c.copy("cp.async.bulk.shared::cta.global.%s.mbarrier::report::disabled [%%r2], [%%js], 512, [%%r1];" % BULK, plain_data(), old, old, TILE)


# Clusters --------------------------------------------------------------------

MANY = """  .reg .b8 %y<2>;
  .reg .b32 %rank;
  mov.u32 %rank, %cluster_ctarank;
  mov.u32 %r1, bar;
  mov.u32 %r2, tile;
  setp.eq.u32 %p0, %me, 0;
  setp.eq.u32 %p4, %rank, 1;
  and.pred %p4, %p4, %p0;
  @%p0 mbarrier.init.shared::cta.b64 [%r1], 1;
  mad.lo.u32 %r3, %me, 16, %r2;
  st.shared.v4.u32 [%r3], {%rank, %rank, %rank, %rank};
  fence.proxy.async.shared::cta;
  barrier.cluster.arrive;
  barrier.cluster.wait;
"""
MANY_END = """  barrier.cluster.arrive;
  barrier.cluster.wait;
  ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];
  mad.lo.u32 %r8, %rank, 32, %me;
  mad.wide.u32 %d1, %r8, 16, %ts;
  st.global.v4.u32 [%d1], {%r4, %r5, %r6, %r7};
  mad.wide.u32 %d1, %r8, 4, %os;
  st.global.u32 [%d1], %r9;
"""
# In r9 whether phase 0 is over, after a time that does not matter.
LOOK = """  barrier.cluster.arrive;
  barrier.cluster.wait;
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r1], 0;
  selp.u32 %r9, 1, 0, %p1;
"""


def clusters(c):
    """CTA 1 of four does something to those of a mask."""
    ranks = lambda tiles: [w for r, t in enumerate(tiles) for w in (t or [r] * 128)]

    def add(body, over, tiles=(None,) * 4, data=bytes(TILE)):
        name = "k%d" % len(c.m.launches)
        c.m.kernel(name, [("j", 16)], [("o", 0), ("t", 0)], MANY + body + MANY_END, ".explicitcluster .reqnctapercluster 4")
        c.m.launch(name, [("u32", words_of(data))], [("u32", [w for v in over for w in [v] * 32]), ("u32", ranks(tiles))], 32, grid=4)

    to = ".shared::cluster.multicast::cluster::32b.b64"
    for order in ("", ".release.cluster", ".relaxed.cluster", ".release.cta"):
        add("  mov.u32 %%r10, 0xd;\n  @%%p4 mbarrier.arrive%s%s _, [%%r1], %%r10;\n" % (order, to) + LOOK, (1, 0, 1, 1))
        add("  @%%p4 mbarrier.arrive_drop%s%s _, [%%r1], 0x3;\n" % (order, to) + LOOK, (1, 1, 0, 0))
        # The bytes that are awaited come from each CTA itself.
        add("  @%%p4 mbarrier.arrive.expect_tx%s%s _, [%%r1], 32, 0xf;\n" % (order, to) + LOOK, (0,) * 4)
        add("  @%%p4 mbarrier.arrive_drop.expect_tx%s%s _, [%%r1], 32, 0xf;\n  barrier.cluster.arrive;\n  barrier.cluster.wait;\n"
            "  setp.lt.u32 %%p5, %%rank, 3;\n  and.pred %%p5, %%p5, %%p0;\n  @%%p5 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%%r1], 32;\n"
            % (order, to) + LOOK, (1, 1, 1, 0))
    for order in ("", ".relaxed.cluster", ".relaxed.cta"):
        add("  @%%p4 mbarrier.expect_tx%s%s [%%r1], 64, 0x6;\n  barrier.cluster.arrive;\n  barrier.cluster.wait;\n"
            "  @%%p0 mbarrier.arrive.shared::cta.b64 _, [%%r1];\n" % (order, to) + LOOK, (1, 0, 0, 1))
        add("  @%%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r1], 64;\n  barrier.cluster.arrive;\n  barrier.cluster.wait;\n"
            "  @%%p4 mbarrier.complete_tx%s%s [%%r1], 64, 0xa;\n" % (order, to) + LOOK, (0, 1, 0, 1))
    # More arrivals than one.
    add("  @%p0 mbarrier.inval.shared::cta.b64 [%r1];\n  @%p0 mbarrier.init.shared::cta.b64 [%r1], 3;\n  barrier.cluster.arrive;\n"
        "  barrier.cluster.wait;\n  @%p4 mbarrier.arrive" + to + " _, [%r1], 3, 0xc;\n" + LOOK, (0, 0, 1, 1))
    data = random.randbytes(TILE)
    for order, kind in (("", ""), (".weak", ""), (".relaxed.cluster", ".b128")):
        add("  mov.u32 %%r10, 0xb;\n  setp.ne.u32 %%p5, %%rank, 2;\n  and.pred %%p5, %%p5, %%p0;\n"
            "  @%%p5 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r1], 512;\n  barrier.cluster.arrive;\n  barrier.cluster.wait;\n"
            "  @%%p4 cp.async.bulk%s.shared::cluster.global.%s.multicast::cluster::32b%s [%%r2], [%%js], 512, [%%r1], %%r10;\n"
            "  mov.u32 %%r9, 1;\n  setp.eq.u32 %%p6, %%rank, 2;\n  @%%p6 bra D;\nW:\n  mbarrier.try_wait.parity.shared::cta.b64 %%p1, [%%r1], 0;\n"
            "  @!%%p1 bra W;\nD:\n" % (order, BULK, kind), (1,) * 4,
            [words_of(data), words_of(data), None, words_of(data)], data)


# Hints -----------------------------------------------------------------------

def hints(c):
    data, old = random.randbytes(TILE), random.randbytes(TILE)
    for line in ("cp.async.bulk.prefetch.L2.global [%js], 512;", "cp.async.bulk.prefetch.L2.global.L2::evict_last [%js+16], 496;",
                 "createpolicy.fractional.L2::evict_last.b64 %d11, 1.0;\ncp.async.bulk.prefetch.L2.global.L2::cache_hint [%js], 16, %d11;",
                 "applypriority.async.bulk.global.bulk_group.L2::evict_normal [%js], 512;",
                 "applypriority.async.bulk.bulk_group.L2::evict_normal [%js+128], 48;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
                 "prefetch.global.L1::32B.valid_addr [%js];", "prefetch.L1::32B.valid_addr [%js+4];",
                 "fence.proxy.generic::fabric.alias.release.sys;\nfence.proxy.fabric::generic.alias.acquire.sys;\n"
                 "fence.proxy.fabric::fabric.alias.acquire.sys;\nfence.proxy.alias.acquire.sys;\nfence.proxy.alias.release.sys;",
                 "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;"):
        c.copy(line, data, old, data, 0, to=old)
    for load, size in (("ld.mmio.acquire.sys.global.u32 %r20", 4), ("ld.mmio.acquire.sys.b32 %r20", 4), ("ld.global.b32.proxy::readonly %r20", 4),
                       ("ld.u32.proxy::readonly %r20", 4)):
        c.copy("%s, [%%js+8];\nst.shared.u32 [%%r2], %%r20;" % load, data, old, old[8:12] + data[4:], 0, to=old)
    c.copy(".reg .b128 %q;\nld.mmio.acquire.sys.global.b128 %q, [%js+32];\nst.shared.b128 [%r2], %q;", data, old, old[32:48] + data[16:], 0, to=old)


# Tensors ---------------------------------------------------------------------

def address_of(extents, strides, size, index):
    return index[0] * size + sum(i * s for i, s in zip(index[1:], strides))


def indices(box):
    for k in range(box[0]) if len(box) == 1 else ():
        yield [k]
    if len(box) > 1:
        for outer in indices(box[1:]):
            for k in range(box[0]):
                yield [k] + outer


def loaded(memory, start, extents, strides, box, at):
    """Words of a box; zeros where there is no element."""
    out = b""
    for index in indices(box):
        where = [a + i for a, i in zip(at, index)]
        inside = all(0 <= w < e for w, e in zip(where, extents))
        place = start + address_of(extents, strides, 4, where)
        out += memory[place:place + 4] if inside else bytes(4)
    return out


def stored(memory, start, extents, strides, box, at, data, change=lambda old, new: new):
    result = bytearray(memory)
    for k, index in enumerate(indices(box)):
        where = [a + i for a, i in zip(at, index)]
        if all(0 <= w < e for w, e in zip(where, extents)):
            place = start + address_of(extents, strides, 4, where)
            value = change(*(int.from_bytes(b, "little") for b in (memory[place:place + 4], data[4 * k:4 * k + 4])))
            result[place:place + 4] = (value & 0xFFFFFFFF).to_bytes(4, "little")
    return bytes(result)


def braces(items):
    return "{%s}" % ", ".join(str(i) for i in items)


def shapes():
    """Extents, strides and a box by rank, not those of the map."""
    yield 1, [40], [], [16]
    yield 2, [12, 6], [64], [8, 4]
    yield 3, [8, 3, 5], [32, 128], [4, 2, 3]
    yield 4, [4, 3, 2, 4], [16, 64, 128], [4, 2, 2, 2]
    yield 5, [4, 2, 3, 2, 2], [16, 32, 128, 256], [4, 2, 2, 1, 2]


def shape_operands(dim, extents, strides):
    """Text that stands behind the address, and what sets the registers."""
    lines = "".join("mov.b16 %%h%d, %d;\n" % (k + 1, e) for k, e in enumerate(extents))
    text = ", " + braces("%%h%d" % (k + 1) for k in range(dim))
    if dim > 1:
        lines += "".join("mov.u32 %%r%d, %d;\n" % (20 + k, s // 16) for k, s in enumerate(strides)) + "mov.b16 %h10, 0;\n"
        text += ", " + braces("%%r%d" % (20 + k) for k in range(dim - 1)) + ", %h10"
    return lines, text


def map_for(dim, box):
    """A map of a larger tensor that is nowhere."""
    return words_of(struct.pack("<32I", *make_map("u32", [256] * dim, [1024 << 4 * k for k in range(dim - 1)], box, [1] * dim, 0)))


def elsewhere(c):
    for dim, extents, strides, box in shapes():
        bytes_in = 4
        for b in box:
            bytes_in *= b
        words = map_for(dim, box)
        memory = random.randbytes(1024)
        lines, text = shape_operands(dim, extents, strides)
        kind = "override::global_dim" if dim == 1 else "override::global_dim_stride"
        zeros = [0] * dim
        moved = [1] * dim
        start = "mov.u64 %d10, %js;\nadd.u64 %d10, %d10, 32;\n"
        for to in ("shared::cta", "shared::cluster"):
            read = "cp.async.bulk.tensor.%dd.%s.global.tile.%s.override::global_address" % (dim, to, BULK)
            result = loaded(memory, 32, extents, strides, box, zeros)
            c.tensor(start + lines + read + ".%s [%%r2], [%%ms, %%d10%s, %s], [%%r1];" % (kind, text, braces(zeros)), words, memory, memory,
                     bytes(TILE), result + bytes(TILE - len(result)), bytes_in)
        # Only the address: extents and strides are the map's, 2 to the 8th.
        far = [256] * dim
        wide = [1024 << 4 * k for k in range(dim - 1)]
        if dim < 3:
            big = random.randbytes(1024 * 8)
            result = loaded(big, 32, far, wide, box, moved)
            c.tensor(start + read + " [%%r2], [%%ms, %%d10, %s], [%%r1];" % braces(moved), words, big, big, bytes(TILE),
                     result + bytes(TILE - len(result)), bytes_in)
        data = random.randbytes(TILE)
        end = "\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"
        write = "%s.%dd.global.shared::cta%s.tile.bulk_group.override::global_address.%s [%%ms, %%d10%s, %s], [%%r2];" + end
        c.tensor(start + lines + write % ("cp.async.bulk.tensor", dim, "", kind, text, braces(zeros)), words, memory,
                 stored(memory, 32, extents, strides, box, zeros, data), data, data, 0)
        c.tensor(start + lines + write % ("cp.reduce.async.bulk.tensor", dim, ".add", kind, text, braces(zeros)), words, memory,
                 stored(memory, 32, extents, strides, box, zeros, data, lambda a, b: a + b), data, data, 0)
        hint = "%s.%dd%s.override::global_address.%s%s [%%ms, %%d10%s, %s];"
        for opcode, where, last in (("cp.async.bulk.prefetch.tensor", ".L2.global", ""), ("cp.async.bulk.prefetch.tensor", ".L2.global", ".L2::evict_last"),
                                    ("applypriority.async.bulk.tensor", ".global.bulk_group", ".L2::evict_normal")):
            c.tensor(start + lines + hint % (opcode, dim, where, kind, last, text, braces(zeros)), words, memory, memory, data, data, 0)


def through_fabric(c):
    for dim, extents, strides, box in shapes():
        bytes_in = 4
        for b in box:
            bytes_in *= b
        words = map_for(dim, box)
        lines, text = shape_operands(dim, extents, strides)
        kind = ".override::global_dim" if dim == 1 else ".override::global_dim_stride"
        zeros = braces([0] * dim)
        start = "mov.u32 %r10, {0};\nmov.u64 %d10, 4128;\n" + lines.replace("{", "{{").replace("}", "}}")
        place = "[%%ms, %%r10, %%d10%s, %s]" % (text, zeros)
        olds = [random.randbytes(1024) for _ in range(2)]
        data = random.randbytes(TILE)
        result = loaded(olds[0], 32, extents, strides, box, [0] * dim)
        escape = lambda t: t.replace("{", "{{").replace("}", "}}")
        c.tensor(start + escape("fabric.try_get.async.tensor.%dd%s.tile.override::global_address%s.b128 [%%r2], %s, [%%r1];\nfabric.submit;" % (
            dim, GET, kind, place)), words, bytes(4), bytes(4), data, result + data[len(result):], bytes_in,
            [Endpoint([(olds[0], olds[0])], 4096)])
        news = [stored(o, 32, extents, strides, box, [0] * dim, data) for o in olds]
        c.tensor(start + escape("fabric.try_put.async.tensor.%dd%s.tile.override::global_address%s.relaxed.sys.b128 %s, [%%r2], %d, [%%r1];\nfabric.submit;"
                                % (dim, PUT, kind, place, bytes_in)), words, bytes(4), bytes(4), data, data, bytes_in // 16,
                 [Endpoint([(olds[0], news[0])], 4096)])
        sums = [stored(o, 32, extents, strides, box, [0] * dim, data, lambda a, b: a + b) for o in olds]
        counters = [struct.pack("<Q", 9 + k) for k in range(2)]
        after = [struct.pack("<Q", 9 + k + bytes_in) for k in range(2)]
        pad = bytes(248)
        c.tensor(start.replace("4128", "544") + "mov.u64 %d11, 256;\n" + escape(
            "fabric.try_red.async.tensor.multimem.%dd%s.counted::bytes.tile.override::global_address%s.relaxed.sys.add %s, [%%r2], %d, [%%r1];\nfabric.submit;"
            % (dim, PUT, kind, place.replace("%d10", "%d10, %d11"), bytes_in)), words, bytes(4), bytes(4), data, data, bytes_in // 16,
            [Endpoint([(c0 + pad + o, c1 + pad + s) for c0, o, c1, s in zip(counters, olds, after, sums)], 256, multicast=True, counts=True)])


def columns(c):
    """im2col_no_offs::w: pixels along W, rows of images one after the other."""
    for channels, width, height, box_pixels in ((4, 5, 3, 8), (8, 6, 2, 4)):
        strides = [4 * channels, 4 * channels * width, 4 * channels * width * height]
        words = words_of(struct.pack("<32I", *make_map("u32", [channels, width, height, 3], strides, [channels, box_pixels], [1] * 4, 0,
                                                       access=2, lower=[0], upper=[0])))
        memory, data = random.randbytes(4 * channels * width * height * 3), random.randbytes(TILE)
        for opcode, reduce, change in (("cp.async.bulk.tensor", "", lambda a, b: b), ("cp.reduce.async.bulk.tensor", ".xor", lambda a, b: a ^ b)):
            result = bytearray(memory)
            w, h, n = 1, 1, 0
            for p in range(box_pixels):
                place = n * strides[2] + h * strides[1] + w * strides[0]
                for k in range(0, 4 * channels, 4):
                    at = p * 4 * channels + k
                    value = change(*(int.from_bytes(b, "little") for b in (memory[place + k:place + k + 4], data[at:at + 4])))
                    result[place + k:place + k + 4] = value.to_bytes(4, "little")
                w += 1
                if w == width:
                    w, n = 0, n + 1
            c.tensor("tensormap.replace.tile.global_address.global.b1024.b64 [%%ms], %%js;\nfence.proxy.tensormap::generic.release.gpu;\n"
                     "fence.proxy.tensormap::generic.acquire.gpu [%%ms], 128;\n%s.4d.global.shared::cta%s.im2col_no_offs::w.bulk_group "
                     "[%%ms, {0, 1, 1, 0}], [%%r2];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" % (opcode, reduce),
                     words, memory, bytes(result), data, data, 0)


def tensor_reports(c):
    for told in (False, True):
        memory = bytearray(bytes(range(0x11, 0x71)) * 8)
        if told:
            memory[64 + 32:64 + 36] = b"\0\0\0\x80"
        memory = bytes(memory)
        words = map_for(2, [8, 4])
        start = "mov.u64 %d10, %js;\n"
        lines, text = shape_operands(2, [12, 6], [64])
        result = loaded(memory, 0, [12, 6], [64], [8, 4], [0, 0])
        if told:
            # A row of the box ends before.
            memory = memory[:64] + b"\0\0\0\x80" + memory[68:]
            result = loaded(memory, 0, [12, 6], [64], [8, 4], [0, 0])
        c.tensor(start + lines + "cp.async.bulk.tensor.2d.shared::cta.global.tile.%s.mbarrier::report::validity::per_16bytes::80000000"
                 ".override::global_address.override::global_dim_stride [%%r2], [%%ms, %%d10%s, {0, 0}], [%%r1];" % (BULK, text),
                 words, memory, memory, bytes(TILE), result + bytes(TILE - len(result)), 128, report=1 if told else 1 << 16)


# The whole -------------------------------------------------------------------

class Copies(Cases):
    def kernel_with(self, body, inputs, tile_data, tile, count, report, endpoints):
        """The case of Cases with more inputs, of (name, before, after)."""
        from fabric import FINISH, PREPARE, WAIT
        name = "k%d" % len(self.m.launches)
        if endpoints:
            body = body.format(*[self.bind(e) for e in endpoints])
        lines = ["  .reg" + l.strip()[4:] if l.strip().startswith(".reg") else "  @%p0 " + l.strip() for l in body.strip().split("\n")]
        expect = "\n  @%%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r1], %d;\n" % count
        fence = "  fence.proxy.async;\n  bar.sync 0;\n"
        self.m.kernel(name, [("i", 16)] + [(n, 0) for n, _, _ in inputs], [("o", 4), ("t", 16)],
                      PREPARE + "\n".join(lines) + expect + WAIT + fence + FINISH)
        first = self.m.buffers
        self.m.launch(name, [("u32", words_of(tile_data))] + [("u32", words_of(b)) for _, b, _ in inputs],
                      [("u32", [report] * 32), ("u32", words_of(tile))], 32)
        for k, (_, _, after) in enumerate(inputs):
            self.m.expect.append({"buffer": "b%d" % (first + 2 + k), "bits": [hex(w) for w in words_of(after)]})

    def copy(self, body, data, other, tile, count, report=1 << 16, to=None):
        if to is not None and body.count("bulk_group") and not body.count("wait_group"):
            body += "\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"
        self.kernel_with(body, [("j", other, other if to is None else to)], data, tile, count, report, [])

    def tensor(self, body, words, before, after, data, tile, count, endpoints=(), report=1 << 16):
        moves = "replace.tile.global_address" in body
        map_bytes = struct.pack("<32I", *words)
        inputs = [("j", before, after)]
        self.kernel_with(body, inputs + [("m", map_bytes, map_bytes)], data, tile, count, report, endpoints)
        if moves:  # The kernel puts an address into the map.
            self.m.expect.pop()


FAULTS = {
    "prefetch-size": ("misaligned", "mov.u32 %r20, 24;\ncp.async.bulk.prefetch.L2.global [%js], %r20;"),
    "prefetch-range": ("out-of-bounds", "cp.async.bulk.prefetch.L2.global [%js+16], 512;"),
    "prefetch-place": ("misaligned", "cp.async.bulk.prefetch.L2.global [%js+8], 16;"),
    "priority-place": ("misaligned", "applypriority.async.bulk.global.bulk_group.L2::evict_normal [%js+16], 16;"),
    "priority-range": ("out-of-bounds", "applypriority.async.bulk.bulk_group.L2::evict_normal [%js+512], 16;"),
    "report-layout": ("illegal-instruction", "mbarrier.inval.shared::cta.b64 [%r1];\nmbarrier.init.shared::cta.b64 [%r1], 1;\n"
                      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_element::ff [%r2], [%js], 512, [%r1];"),
}


def main():
    folder = sys.argv[1]
    bulk, tensors, many = Copies(), Copies(), Copies()
    orders(bulk)
    reports(bulk)
    hints(bulk)
    bulk.write(folder, "reports")
    clusters(many)
    many.write(folder, "masks")
    elsewhere(tensors)
    through_fabric(tensors)
    columns(tensors)
    tensor_reports(tensors)
    tensors.write(folder, "elsewhere")
    for name, (kind, body) in FAULTS.items():
        c = Copies()
        c.copy(body, bytes(TILE), b"\xff" * TILE, bytes(TILE), TILE if "report" in name else 0)
        c.write(folder, "fault-" + name, expect_error=kind)


main()
