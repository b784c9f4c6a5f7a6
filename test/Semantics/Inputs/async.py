"""mbarriers, asynchronous copies by threads and in bulk, stores with a barrier.
Usage: async.py FOLDER"""

import random
import struct
import sys

from ptxtest import Module

random.seed(23)
MASK32 = (1 << 32) - 1

# Waits for the phase with parity 0 of the barrier at %r1.
WAIT = """W{n}:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], {parity};
  @!%p1 bra W{n};
"""


def wait(n, parity=0):
    return WAIT.format(n=n, parity=parity)


HEAD = """  .reg .b32 %c;
  mov.u32 %r0, tile;
  mov.u32 %r1, bar;
  setp.eq.u32 %p0, %me, 0;
"""


def init(count):
    return "  @%%p0 mbarrier.init.shared::cta.b64 [%%r1], %s;\n  fence.mbarrier_init.release.cluster;\n  bar.sync 0;\n" % count


def random_words(n):
    return [random.getrandbits(32) for _ in range(n)]


def add_phases(m):
    """Arrivals, states, parity and the count of what is missing."""
    body = HEAD + "  mov.u32 %r9, 0;\n  @%p0 st.shared.u32 [%r0], %r9;\n" + init(64) + """  mbarrier.arrive.shared::cta.b64 %d1, [%r1];
  mbarrier.pending_count.b64 %r2, %d1;
  red.shared.add.u32 [%r0], %r2;
A:
  mbarrier.test_wait.shared::cta.b64 %p1, [%r1], %d1;
  @!%p1 bra A;
  // The phase is over for all: its parity, the next one's.
  mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r1], 0;
  selp.u32 %r3, 1, 0, %p2;
  mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r1], 1;
  selp.u32 %r4, 1, 0, %p2;
  bar.sync 0;
  ld.shared.u32 %r2, [%r0];
  // Half of the threads leave.
  setp.lt.u32 %p3, %me, 32;
  @%p3 bra DROP;
  mbarrier.arrive.release.cta.shared::cta.b64 %d2, [%r1];
  bra JOIN;
DROP:
  mbarrier.arrive_drop.shared::cta.b64 %d2, [%r1];
JOIN:
  mbarrier.try_wait.shared::cta.b64 %p1, [%r1], %d2;
  @!%p1 bra JOIN;
  bar.sync 0;
  @%p3 bra END;
  // What is left is complete with two times sixteen arrivals.
  and.b32 %r5, %me, 1;
  setp.eq.u32 %p4, %r5, 0;
  @!%p4 bra LOOK;
  mbarrier.arrive.noComplete.shared::cta.b64 %d3, [%r1], 1;
LOOK:
  bar.warp.sync 0xffffffff;
  mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r1], 0;
  selp.u32 %r6, 1, 0, %p2;
  bar.warp.sync 0xffffffff;
  setp.eq.u32 %p5, %me, 32;
  @!%p5 bra LAST;
  mbarrier.arrive.shared::cta.b64 _, [%r1], 16;
LAST:
  bar.warp.sync 0xffffffff;
  mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r1], 0;
  selp.u32 %r7, 1, 0, %p2;
  shl.b32 %r6, %r6, 1;
  or.b32 %r7, %r6, %r7;
  st.global.u32 [%o+12], %r7;
END:
  st.global.u32 [%o], %r2;
  st.global.u32 [%o+4], %r3;
  st.global.u32 [%o+8], %r4;
"""
    m.kernel("phases", [], [("o", 16)], body)
    # Which thread found how many missing is open; together they found each
    # number from 64 to 1 once.
    out = [w for t in range(64) for w in (sum(range(65)), 1, 0, int(t >= 32))]
    m.launch("phases", [], [("u32", out)], 64)


def add_copies(m):
    """cp.async of all sizes, with groups, zero fill and fewer bytes."""
    for size, cache in ((4, "ca"), (8, "ca"), (16, "ca"), (16, "cg")):
        for given in (None, 0, 1, size // 2, size):
            name = "copy%d%s_%s" % (size, cache, given)
            arg = "" if given is None else ", %r2"
            body = HEAD + "  mov.u32 %%r2, %d;\n  mad.lo.u32 %%r3, %%me, 16, %%r0;\n" % (given or 0)
            body += "  mov.u32 %r4, 0xffffffff;\n  st.shared.v4.u32 [%r3], {%r4, %r4, %r4, %r4};\n"
            body += "  cp.async.%s.shared.global [%%r3], [%%i], %d%s;\n  cp.async.commit_group;\n" % (cache, size, arg)
            body += "  cp.async.wait_group 0;\n  ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3];\n"
            body += "  st.global.v4.u32 [%o], {%r5, %r6, %r7, %r8};\n"
            m.kernel(name, [("i", 16)], [("o", 16)], body)
            data = random_words(4 * 32)
            out = []
            for t in range(32):
                raw = struct.pack("<4I", *data[4 * t:4 * t + 4])
                n = size if given is None else given
                raw = raw[:n] + bytes(size - n) + b"\xff" * (16 - size)
                out += struct.unpack("<4I", raw)
            m.launch(name, [("u32", data)], [("u32", out)], 32)
    # Two groups; the first is there while the second is pending.
    body = HEAD + """  mad.lo.u32 %r3, %me, 8, %r0;
  cp.async.ca.shared.global [%r3], [%i], 4;
  cp.async.commit_group;
  cp.async.ca.shared.global [%r3+4], [%i+4], 4;
  cp.async.commit_group;
  cp.async.wait_group 1;
  ld.shared.u32 %r4, [%r3];
  cp.async.wait_all;
  ld.shared.u32 %r5, [%r3+4];
  st.global.v2.u32 [%o], {%r5, %r4};
"""
    m.kernel("groups", [("i", 8)], [("o", 8)], body)
    data = random_words(64)
    m.launch("groups", [("u32", data)], [("u32", [data[i ^ 1] for i in range(64)])], 32)
    # With a barrier, which counts the arrivals of the copies.
    for noinc in ("", ".noinc"):
        name = "arrive" + noinc.replace(".", "_")
        body = HEAD + init(64 if noinc else 32) + "  mad.lo.u32 %r3, %me, 8, %r0;\n"
        body += "  cp.async.ca.shared.global [%%r3], [%%i], 8;\n  cp.async.mbarrier.arrive%s.shared::cta.b64 [%%r1];\n" % noinc
        body += "  mbarrier.arrive.shared::cta.b64 %d1, [%r1];\n" + wait(name)
        body += "  xor.b32 %r4, %me, 31;\n  mad.lo.u32 %r3, %r4, 8, %r0;\n"
        body += "  ld.shared.v2.u32 {%r5, %r6}, [%r3];\n  st.global.v2.u32 [%o], {%r5, %r6};\n"
        m.kernel(name, [("i", 8)], [("o", 8)], body)
        data = random_words(64)
        m.launch(name, [("u32", data)], [("u32", [w for t in range(32) for w in data[2 * (t ^ 31):2 * (t ^ 31) + 2]])], 32)


def add_bulk(m):
    """Global to shared memory, and back by another kernel of one."""
    n = 1024
    body = HEAD + init(1) + """  @!%p0 bra GO;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], {n};
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%is], {h}, [%r1];
  add.u32 %r2, %r0, {h};
  add.u64 %d1, %is, {h};
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d1], {h}, [%r1];
GO:
""".format(n=n, h=n // 2) + wait("B") + """  mad.lo.u32 %r3, %me, 16, %r0;
  ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3];
  add.u32 %r5, %r5, 1;
  st.shared.v4.u32 [%r3], {%r5, %r6, %r7, %r8};
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @!%p0 bra END;
  cp.async.bulk.global.shared::cta.bulk_group [%os], [%r0], {n};
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
END:
""".replace("{n}", str(n))
    m.kernel("bulk", [("i", 16)], [("o", 16)], body)
    data = random_words(n // 4)
    out = [(w + (i % 4 == 0)) & MASK32 for i, w in enumerate(data)]
    m.launch("bulk", [("u32", data)], [("u32", out)], 64)


# How a reduction combines, by operation and type.
def combine(op, ty, old, new):
    bits = int(ty[1:])
    mask = (1 << bits) - 1
    signed = lambda v: v - (1 << bits) if ty[0] == "s" and v >> (bits - 1) else v
    if op == "add":
        return (old + new) & mask
    if op == "inc":
        return 0 if old >= new else old + 1
    if op == "dec":
        return new if old == 0 or old > new else old - 1
    if op in ("min", "max"):
        pick = min if op == "min" else max
        return pick(old, new, key=signed)
    return {"and": old & new, "or": old | new, "xor": old ^ new}[op]


def add_reductions(m):
    forms = [(op, ty) for op in ("and", "or", "xor") for ty in ("b32", "b64")]
    forms += [("add", ty) for ty in ("u32", "s32", "u64")]
    forms += [(op, ty) for op in ("min", "max") for ty in ("u32", "s32", "u64", "s64")]
    forms += [(op, "u32") for op in ("inc", "dec")]
    for op, ty in forms:
        name = "reduce_%s_%s" % (op, ty)
        body = HEAD + """  mad.lo.u32 %%r3, %%me, 16, %%r0;
  ld.global.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%i];
  st.shared.v4.u32 [%%r3], {%%r5, %%r6, %%r7, %%r8};
  ld.global.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%j];
  st.global.v4.u32 [%%o], {%%r5, %%r6, %%r7, %%r8};
  fence.proxy.async;
  bar.sync 0;
  @!%%p0 bra END;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s [%%os], [%%r0], 512;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
END:
""" % (op, ty)
        m.kernel(name, [("i", 16), ("j", 16)], [("o", 16)], body)
        new, old = random_words(128), random_words(128)
        if op in ("inc", "dec"):
            new = [random.randrange(1 << 31) for _ in new]
        if ty.endswith("64"):
            wide = lambda x: [x[i] | x[i + 1] << 32 for i in range(0, 128, 2)]
            out = [w for v in (combine(op, ty, o, n) for o, n in zip(wide(old), wide(new))) for w in (v & MASK32, v >> 32)]
        else:
            out = [combine(op, ty, o, n) for o, n in zip(old, new)]
        m.launch(name, [("u32", new), ("u32", old)], [("u32", out)], 32)


FLOAT = struct.Struct("<f")


def add_float_reductions(m):
    body = HEAD + """  mad.lo.u32 %r3, %me, 16, %r0;
  ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%i];
  st.shared.v4.u32 [%r3], {%r5, %r6, %r7, %r8};
  bar.sync 0;
  @!%p0 bra END;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%os], [%r0], 512;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%os], [%r0], 512;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
  cp.async.bulk.wait_group 0;
END:
"""
    m.kernel("reduce_add_f32", [("i", 16)], [("o", 16)], body)
    values = [random.randint(-1000, 1000) / 8 for _ in range(128)]
    bits = lambda x: struct.unpack("<I", FLOAT.pack(x))[0]
    m.launch("reduce_add_f32", [("u32", [bits(v) for v in values])], [("u32", [bits(2 * v) for v in values])], 32)
    body = body.replace("add.f32", "add.f64")
    m.kernel("reduce_add_f64", [("i", 16)], [("o", 16)], body)
    double = lambda x: struct.unpack("<2I", struct.pack("<d", x))
    values = [random.randint(-1000, 1000) / 8 for _ in range(64)]
    m.launch("reduce_add_f64", [("u32", [w for v in values for w in double(v)])],
             [("u32", [w for v in values for w in double(2 * v)])], 32)
    body = body.replace("add.f64", "add.noftz.f16")
    m.kernel("reduce_add_f16", [("i", 16)], [("o", 16)], body)
    half = lambda x: struct.unpack("<H", struct.pack("<e", x))[0]
    values = [random.randint(-500, 500) / 8 for _ in range(256)]
    pack = lambda v: [half(v[i]) | half(v[i + 1]) << 16 for i in range(0, 256, 2)]
    m.launch("reduce_add_f16", [("u32", pack(values))], [("u32", pack([2 * v for v in values]))], 32)


def add_cluster(m):
    """Copies between the CTAs of a cluster, to all of them, and st.async."""
    body = HEAD + """  mov.u32 %c, 1;
  @%p0 mbarrier.init.shared::cta.b64 [%r1], %c;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %r10, %cluster_ctarank;
  @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 256;
  // The first CTA's data for all.
  setp.eq.u32 %p2, %r10, 0;
  and.pred %p2, %p2, %p0;
  @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%is], 256, [%r1], 15;
""" + wait("M") + """  barrier.cluster.arrive;
  barrier.cluster.wait;
  // Each CTA gives the next one what it has in shared memory, doubled.
  mad.lo.u32 %r3, %me, 8, %r0;
  ld.shared.v2.u32 {%r5, %r6}, [%r3];
  add.u32 %r5, %r5, %r10;
  add.u32 %r6, %r6, %r10;
  add.u32 %r11, %r10, 1;
  and.b32 %r11, %r11, 3;
  mapa.shared::cluster.u32 %r12, %r3, %r11;
  mapa.shared::cluster.u32 %r13, %r1, %r11;
  @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 512;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r12+512], {%r5, %r6}, [%r13];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12], 7, [%r13];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%r12+4], 9, [%r13];
""" + wait("S", 1) + """  ld.shared.v2.u32 {%r5, %r6}, [%r3+512];
  ld.shared.v2.u32 {%r7, %r8}, [%r3];
  st.global.v4.u32 [%o], {%r5, %r6, %r7, %r8};
  barrier.cluster.arrive;
  barrier.cluster.wait;
"""
    m.kernel("cluster", [("i", 2)], [("o", 16)], body)
    data = random_words(64)
    out = []
    for rank in range(4):
        for t in range(32):
            a, b = data[2 * t], data[2 * t + 1]
            add = (rank + 3) % 4
            out += [(a + add) & MASK32, (b + add) & MASK32, (a + 7) & MASK32, b ^ 9]
    m.launch("cluster", [("u32", data)], [("u32", out)], 32, grid=4, cluster=[4, 1, 1])


def add_shared(m):
    """From the shared memory of a CTA to that of another one."""
    body = HEAD + init(1) + """  mov.u32 %r10, %cluster_ctarank;
  mad.lo.u32 %r3, %me, 8, %r0;
  ld.global.v2.u32 {%r5, %r6}, [%i];
  st.shared.v2.u32 [%r3], {%r5, %r6};
  @%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 256;
  fence.proxy.async;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  @!%p0 bra GO;
  xor.b32 %r11, %r10, 1;
  add.u32 %r2, %r0, 256;
  mapa.shared::cluster.u32 %r12, %r2, %r11;
  mapa.shared::cluster.u32 %r13, %r1, %r11;
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r12], [%r0], 256, [%r13];
  mbarrier.arrive.shared::cta.b64 _, [%r1];
GO:
""" + wait("X") + """  ld.shared.v2.u32 {%r5, %r6}, [%r3+256];
  st.global.v2.u32 [%o], {%r5, %r6};
  barrier.cluster.arrive;
  barrier.cluster.wait;
"""
    m.kernel("between", [("i", 8)], [("o", 8)], body)
    data = random_words(128)
    m.launch("between", [("u32", data)], [("u32", data[64:] + data[:64])], 32, grid=2, cluster=[2, 1, 1])


def add_cancel(m):
    """No cluster is cancelled; a response is read as it is written."""
    body = HEAD + init(1) + """  @!%p0 bra GO;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;
  mov.u32 %r4, 77;
  st.shared.v4.u32 [%r0], {%r4, %r4, %r4, %r4};
  fence.proxy.async.shared::cta;
  clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r0], [%r1];
GO:
""" + wait("C") + """  .reg .b128 %q;
  ld.shared.b128 %q, [%r0];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;
  selp.u32 %r5, 1, 0, %p2;
  st.global.u32 [%o], %r5;
  // What would be one of a cluster that was.
  mov.u64 %d1, 0x0000000200000001;
  mov.u64 %d2, 0x0000000100000003;
  mov.b128 %q, {%d1, %d2};
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;
  selp.u32 %r5, 1, 0, %p2;
  clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r6, %r7, %r8, _}, %q;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r9, %q;
  add.u32 %r5, %r5, %r9;
  mad.lo.u32 %r6, %r6, 16, %r7;
  mad.lo.u32 %r6, %r6, 16, %r8;
  st.global.v2.u32 [%o+8], {%r5, %r6};
"""
    m.kernel("cancel", [], [("o", 16)], body)
    m.launch("cancel", [], [("u32", [0, 0, 3, 0x123] * 32)], 32)


def add_bytes(m):
    """Bytes that are complete before they are expected, a thread that leaves with
    bytes, and memory that is no barrier any more."""
    body = HEAD + init(33) + """  mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %d1, [%r1], 1;
  bar.sync 0;
  @!%p0 bra GO;
  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 24;
  mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r1], 0;
  mbarrier.arrive_drop.expect_tx.shared::cta.b64 _, [%r1], 24;
  mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r1], 0;
  // The next phase is for 32; one leaves, then it is for 31.
  mbarrier.arrive_drop.noComplete.shared::cta.b64 %d2, [%r1], 1;
  mbarrier.pending_count.b64 %r4, %d2;
  mbarrier.arrive.shared::cta.b64 _, [%r1], 31;
  mbarrier.arrive.noComplete.shared::cta.b64 %d3, [%r1], 1;
  mbarrier.pending_count.b64 %r5, %d3;
  mbarrier.inval.shared::cta.b64 [%r1];
  ld.shared.u32 %r6, [%r1];
  selp.u32 %r7, 1, 0, %p2;
  selp.u32 %r8, 2, 0, %p3;
  or.b32 %r7, %r7, %r8;
  st.global.v4.u32 [%o], {%r4, %r5, %r6, %r7};
GO:
"""
    m.kernel("bytes", [], [("o", 16)], body)
    m.launch("bytes", [], [("u32", [32, 31, 0, 2] + [0] * 4 * 31)], 32)


def add_map_copy(m):
    """tensormap.cp_fenceproxy copies 128 bytes."""
    body = HEAD + """  mad.lo.u32 %r3, %me, 4, %r0;
  ld.global.u32 %r4, [%i];
  st.shared.u32 [%r3], %r4;
  bar.sync 0;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%os], [%r0], 128;
"""
    m.kernel("map_copy", [("i", 4)], [("o", 4)], body)
    data = random_words(32)
    m.launch("map_copy", [("u32", data)], [("u32", data)], 32)


def add_global(m):
    """st.async and red.async to global memory."""
    body = """  ld.global.u32 %r1, [%i];
  st.async.release.gpu.global.u32 [%o], %r1;
  red.async.release.gpu.global.add.u32 [%o], 5;
  cvt.u64.u32 %d1, %r1;
  st.async.release.sys.global.u64 [%o+8], %d1;
"""
    m.kernel("global", [("i", 4)], [("o", 16)], body)
    data = random_words(32)
    m.launch("global", [("u32", data)], [("u32", [w for v in data for w in ((v + 5) & MASK32, 0, v, 0)])], 32)


def main():
    m = Module("sm_100a", "8.7")
    m.add(".shared .align 128 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n")
    add_phases(m)
    add_copies(m)
    add_bulk(m)
    add_reductions(m)
    add_float_reductions(m)
    add_cluster(m)
    add_shared(m)
    add_cancel(m)
    add_global(m)
    add_bytes(m)
    add_map_copy(m)
    m.write(sys.argv[1], "async")


main()
