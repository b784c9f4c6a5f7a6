"""Asynchronous stores, reductions and copies in all their types, and forms of
mbarriers and bulk copies that other tests lack. Usage: async-types.py FOLDER"""

import random
import struct
import sys

from ptxtest import Module

random.seed(5)
BITS = {"b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "b32": 32, "u32": 32, "s32": 32, "f32": 32,
        "b64": 64, "u64": 64, "s64": 64, "f64": 64}
REGISTER = {8: "%y", 16: "%h0", 32: "%r10", 64: "%d10"}
BEGIN = """  mov.u32 %r0, tile;
  mov.u32 %r1, bar;
  setp.eq.u32 %p0, %me, 0;
  @%p0 mbarrier.init.shared::cta.b64 [%r1], 1;
  bar.sync 0;
"""
WAIT = """W:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
  @!%p1 bra W;
"""


def words_of(data):
    return list(struct.unpack("<%dI" % (len(data) // 4), data))


def signed(value, bits):
    return value - (1 << bits) if value >> bits - 1 else value


def applied(op, ty, old, new):
    """What becomes of an integer in memory."""
    bits = BITS[ty]
    mask = (1 << bits) - 1
    a, b = (signed(old, bits), signed(new, bits)) if ty[0] == "s" else (old, new)
    return {"add": lambda: a + b, "min": lambda: min(a, b), "max": lambda: max(a, b), "and": lambda: a & b,
            "or": lambda: a | b, "xor": lambda: a ^ b, "inc": lambda: 0 if old >= new else old + 1,
            "dec": lambda: new if old == 0 or old > new else old - 1}[op]() & mask


def register(ty):
    """A register of the type's size."""
    return REGISTER[BITS[ty]]


def load(ty, address):
    return "ld.global.b%d %s, [%s];" % (BITS[ty], REGISTER[BITS[ty]], address)


def shared_stores(m):
    for ty in ("b32", "b64", "u32", "u64", "s32", "s64", "f32", "f64"):
        for vector in (1, 2, 4):
            size = BITS[ty] // 8 * vector
            if size > 16:
                continue
            name = "store_%s_%d" % (ty, vector)
            regs = ["%%%s%d" % ("d" if BITS[ty] == 64 else "r", 10 + k) for k in range(vector)]
            group = "{%s}" % ", ".join(regs) if vector > 1 else regs[0]
            suffix = ".v%d" % vector if vector > 1 else ""
            body = BEGIN + "  @%%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r1], %d;\n  bar.sync 0;\n" % (32 * size)
            body += "  ld.global%s.b%d %s, [%%i];\n" % (suffix, BITS[ty], group)
            body += "  mad.lo.u32 %%r2, %%me, %d, %%r0;\n" % size
            body += "  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes%s.%s [%%r2], %s, [%%r1];\n" % (suffix, ty, group)
            body += WAIT + "  ld.shared%s.b%d %s, [%%r2];\n  st.global%s.b%d [%%o], %s;\n" % (
                suffix, BITS[ty], group, suffix, BITS[ty], group)
            m.kernel(name, [("i", size)], [("o", size)], body)
            data = words_of(random.randbytes(32 * size))
            m.launch(name, [("u32", data)], [("u32", data)], 32)


def shared_b128(m):
    m.kernel("shared_b128", [("i", 16)], [("o", 16)], BEGIN + """  .reg .b128 %q;
  @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 512;
  bar.sync 0;
  ld.global.b128 %q, [%i];
  mad.lo.u32 %r2, %me, 16, %r0;
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b128 [%r2], %q, [%r1];
""" + WAIT + """  ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];
  st.global.v4.u32 [%o], {%r3, %r4, %r5, %r6};
""")
    data = words_of(random.randbytes(512))
    m.launch("shared_b128", [("u32", data)], [("u32", data)], 32)


def shared_reductions(m):
    for op, types in (("add", ("u32", "s32", "u64")), ("min", ("u32", "s32")), ("max", ("u32", "s32")), ("inc", ("u32",)),
                      ("dec", ("u32",)), ("and", ("b32",)), ("or", ("b32",)), ("xor", ("b32",))):
        for ty in types:
            size, name = BITS[ty] // 8, "reduce_%s_%s" % (op, ty)
            body = BEGIN + "  @%%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r1], %d;\n  bar.sync 0;\n" % (32 * size)
            body += "  mad.lo.u32 %%r2, %%me, %d, %%r0;\n" % size
            body += "  %s\n  st.shared.b%d [%%r2], %s;\n  bar.sync 0;\n" % (load(ty, "%i"), BITS[ty], register(ty))
            body += "  %s\n" % load(ty, "%j")
            body += "  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.%s.%s [%%r2], %s, [%%r1];\n" % (op, ty, register(ty))
            body += WAIT + "  ld.shared.b%d %s, [%%r2];\n  st.global.b%d [%%o], %s;\n" % (BITS[ty], register(ty), BITS[ty], register(ty))
            m.kernel(name, [("i", size), ("j", size)], [("o", size)], body)
            pick = lambda: [random.choice([random.getrandbits(BITS[ty]), random.randint(0, 5)]) for _ in range(32)]
            old, new = pick(), pick()
            pack = lambda values: words_of(b"".join(v.to_bytes(size, "little") for v in values))
            m.launch(name, [("u32", pack(old)), ("u32", pack(new))],
                     [("u32", pack([applied(op, ty, a, b) for a, b in zip(old, new)]))], 32)


def global_operations(m):
    for ty in BITS:
        size, data = BITS[ty] // 8, random.randbytes(32 * (BITS[ty] // 8))
        for opcode, scope in (("st.async.release", "gpu"), ("st.async.mmio.release", "sys"), ("multimem.st.async.release", "gpu")):
            if opcode.startswith("multimem") and (size < 4):
                continue
            name = "global_%s_%s" % (opcode.replace(".", "_"), ty)
            body = "  .reg .b8 %y;\n"
            body += "  %s\n  %s.%s.global.%s [%%o], %s;\n" % (load(ty, "%i"), opcode, scope, ty, register(ty))
            m.kernel(name, [("i", size)], [("o", size)], body)
            m.launch(name, [("u32", words_of(data))], [("u32", words_of(data))], 32)
    for ty in ("u32", "s32", "u64", "s64"):
        for opcode in ("red.async", "multimem.red.async"):
            if opcode == "multimem.red.async" and ty == "s64":
                continue
            size, name = BITS[ty] // 8, "global_add_%d_%s" % (len(opcode), ty)
            m.kernel(name, [("i", size)], [("o", size)], "  %s\n  %s.release.gpu.global.add.%s [%%os], %s;\n" % (
                load(ty, "%i"), opcode, ty, register(ty)))
            values = [random.getrandbits(BITS[ty]) for _ in range(32)]
            total = sum(values) & (1 << BITS[ty]) - 1
            pack = lambda vs: words_of(b"".join(v.to_bytes(size, "little") for v in vs))
            m.launch(name, [("u32", pack(values))], [("u32", pack([total] + [0] * 31))], 32)


FLOATS = {"f16": ("<e", 2), "bf16": (None, 2), "f32": ("<f", 4), "f64": ("<d", 8)}


def encoded(ty, value):
    if ty == "bf16":
        return struct.pack("<f", value)[2:]
    return struct.pack(FLOATS[ty][0], value)


BULK = """  mov.u32 %r0, tile;
  mad.lo.u32 %r2, %me, 16, %r0;
  ld.global.v4.u32 {{%r3, %r4, %r5, %r6}}, [%j];
  st.shared.v4.u32 [%r2], {{%r3, %r4, %r5, %r6}};
  ld.global.v4.u32 {{%r3, %r4, %r5, %r6}}, [%i];
  st.global.v4.u32 [%o], {{%r3, %r4, %r5, %r6}};
  fence.proxy.async;
  bar.sync 0;
  setp.eq.u32 %p0, %me, 0;
  mov.b16 %h0, {mask};
  cp.async.bulk.prefetch.L2.global [%os], 512;
  @%p0 {opcode} [%os], [%r0], 512{operand};
  @%p0 cp.async.bulk.commit_group;
  @%p0 cp.async.bulk.wait_group 0;
"""


def add_bulk(m, name, opcode, old, new, result, mask=0, operand=""):
    m.kernel(name, [("i", 16), ("j", 16)], [("o", 16)], BULK.format(opcode=opcode, mask=mask, operand=operand))
    m.launch(name, [("u32", words_of(old)), ("u32", words_of(new))], [("u32", words_of(result))], 32)


def bulk_reductions(m):
    """Old values are in global memory; those of shared memory are the others."""
    integers = [(op, ty) for op in ("and", "or", "xor") for ty in ("b32", "b64")]
    integers += [("add", ty) for ty in ("u32", "s32", "u64")]
    integers += [(op, ty) for op in ("min", "max") for ty in ("u32", "s32", "u64", "s64")] + [("inc", "u32"), ("dec", "u32")]
    for op, ty in integers:
        size = BITS[ty] // 8
        old, new = ([random.getrandbits(BITS[ty]) for _ in range(512 // size)] for _ in range(2))
        pack = lambda vs: b"".join(v.to_bytes(size, "little") for v in vs)
        for k, opcode in enumerate(("multimem.cp.reduce.async.bulk", "multimem.cp.reduce.async.bulk.relaxed.gpu",
                                    "cp.reduce.async.bulk.relaxed.sys")):
            add_bulk(m, "reduce%d_%s_%s" % (k, op, ty), "%s.global.shared::cta.bulk_group.%s.%s" % (opcode, op, ty),
                     pack(old), pack(new), pack([applied(op, ty, a, b) for a, b in zip(old, new)]))
    for ty, (_, size) in FLOATS.items():
        # Sums and numbers that every type has exactly.
        old, new = ([random.randint(-60, 60) / 4 for _ in range(512 // size)] for _ in range(2))
        pack = lambda vs: b"".join(encoded(ty, v) for v in vs)
        half = ty in ("f16", "bf16")
        for op, compute in (("add", lambda a, b: a + b), ("min", min), ("max", max)):
            if op != "add" and not half:
                continue
            kind = "%s%s.%s" % (op, ".noftz" if half and op == "add" else "", ty)
            for k, opcode in enumerate(("multimem.cp.reduce.async.bulk", "cp.reduce.async.bulk",
                                        "multimem.cp.reduce.async.bulk.relaxed.sys", "cp.reduce.async.bulk.relaxed.cta")):
                add_bulk(m, "float%d_%s_%s" % (k, op, ty), "%s.global.shared::cta.bulk_group.%s" % (opcode, kind),
                         pack(old), pack(new), pack([compute(a, b) for a, b in zip(old, new)]))
    old, new = random.randbytes(512), random.randbytes(512)
    for weak in ("", ".weak"):
        for k, opcode in enumerate(("multimem.cp.async.bulk", "cp.async.bulk")):
            add_bulk(m, "copy%d_%d" % (k, len(weak)), opcode + weak + ".global.shared::cta.bulk_group", old, new, new)
    mask = 0xA5C3
    result = bytes(n if mask >> k % 16 & 1 else o for k, (o, n) in enumerate(zip(old, new)))
    add_bulk(m, "multimem_masked", "multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask", old, new, result, mask, ", %h0")
    for weak in ("", ".weak"):
        add_bulk(m, "masked%d" % len(weak), "cp.async.bulk%s.global.shared::cta.bulk_group.cp_mask" % weak, old, new, result, mask, ", %h0")


def edges(m):
    """The last bytes of a copy are behind the buffer, the first are not wanted."""
    body = BEGIN + """  mad.lo.u32 %r2, %me, 4, %r0;
  mov.u32 %r3, 0x5A5A5A5A;
  st.shared.u32 [%r2], %r3;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  mov.u32 %r4, 3;
  mov.u32 %r5, 12;
  @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 64;
  @%p0 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r0], [%is], 64, %r4, %r5, [%r1];
""" + WAIT + """  ld.shared.u32 %r3, [%r2];
  st.global.u32 [%o], %r3;
"""
    data = random.randbytes(52)
    result = b"\x5a" * 3 + data[3:] + b"\x5a" * (128 - 52)
    for name, opcode in (("edges", "cp.async.bulk"), ("weak_edges", "cp.async.bulk.weak")):
        m.kernel(name, [("i", 0)], [("o", 4)], body.replace("cp.async.bulk", opcode))
        m.launch(name, [("u32", words_of(data))], [("u32", words_of(result))], 32)


def layouts(m):
    body = BEGIN + """  mov.u32 %r2, bar1;
  @%p0 mbarrier.init.layout::v1.shared::cta.b64 [%r2], 511;
  bar.sync 0;
  mov.u32 %r9, 0;
"""
    for k, (barrier, layout) in enumerate((("%r1", 0), ("%r1", 1), ("%r2", 0), ("%r2", 1))):
        body += "  mbarrier.check_layout.layout::v%d.shared::cta.b64 %%p3, [%s];\n" % (layout, barrier)
        body += "  selp.u32 %%r8, %d, 0, %%p3;\n  or.b32 %%r9, %%r9, %%r8;\n" % (1 << k)
    body += """  // A barrier of layout 1 counts as the other does.
  @%p0 mbarrier.inval.shared::cta.b64 [%r2];
  @%p0 mbarrier.init.layout::v1.shared::cta.b64 [%r2], 32;
  bar.sync 0;
  mbarrier.arrive.shared::cta.b64 %d1, [%r2];
V:
  mbarrier.try_wait.shared::cta.b64 %p1, [%r2], %d1;
  @!%p1 bra V;
  mbarrier.check_layout.layout::v1.shared::cta.b64 %p3, [%r2];
  @%p3 add.u32 %r9, %r9, 16;
  st.global.u32 [%o], %r9;
"""
    m.kernel("layouts", [], [("o", 4)], body)
    m.launch("layouts", [], [("u32", [1 | 8 | 16] * 32)], 32)


def cancels(m):
    """All CTAs of the cluster get the response that nothing is cancelled."""
    body = BEGIN.replace("bar.sync 0;", "barrier.cluster.arrive;\n  barrier.cluster.wait;") + """  mad.lo.u32 %r2, %me, 4, %r0;
  mov.u32 %r3, 77;
  st.shared.u32 [%r2], %r3;
  @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;
  fence.proxy.async.shared::cta;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %r4, %cluster_ctarank;
  setp.eq.u32 %p2, %r4, 1;
  and.pred %p2, %p2, %p0;
  @%p2 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%r0], [%r1];
""" + WAIT + """  ld.shared.u32 %r3, [%r2];
  mad.lo.u32 %r5, %r4, 32, %me;
  mad.wide.u32 %d1, %r5, 4, %os;
  st.global.u32 [%d1], %r3;
  barrier.cluster.arrive;
  barrier.cluster.wait;
"""
    m.kernel("cancels", [], [("o", 0)], body, ".explicitcluster .reqnctapercluster 2")
    m.launch("cancels", [], [("u32", ([0] * 4 + [77] * 28) * 2)], 32, grid=2)


def main():
    m = Module("sm_100a", "9.3")
    m.add(".shared .align 128 .b8 tile[2048];\n.shared .align 8 .b64 bar;\n.shared .align 8 .b64 bar1;\n")
    shared_stores(m)
    shared_b128(m)
    shared_reductions(m)
    global_operations(m)
    bulk_reductions(m)
    edges(m)
    layouts(m)
    cancels(m)
    m.write(sys.argv[1], "types")


main()
