"""Operations on logical endpoints of the fabric, with expectations that are
computed here. Usage: fabric.py FOLDER"""

import json
import os
import random
import struct
import sys
from fractions import Fraction

from ptxtest import Module

random.seed(7)
TILE = 512
FULL = 1 << 16  # Of a report word: the conditional phase is over, too.
FAILED = 0x101  # The predicate and the value.
REPORT = ".mbarrier::report::fabric"
GET = ".shared::cta.mbarrier::complete_tx::bytes" + REPORT + ".relaxed.sys"
PUT = ".shared::cta.mbarrier::complete_tx::16B" + REPORT

PREPARE = """  .reg .b8 %y<2>;
  mov.u32 %r1, bar;
  mov.u32 %r2, tile;
  setp.eq.u32 %p0, %me, 0;
  @%p0 mbarrier.init.layout::v1.shared::cta.b64 [%r1], 1;
  mad.lo.u32 %r3, %me, 16, %r2;
  ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%i];
  st.shared.v4.u32 [%r3], {%r4, %r5, %r6, %r7};
  fence.proxy.async.shared::cta;
  bar.sync 0;
"""
WAIT = """W:
  mbarrier.try_wait.parity.phase_type::primary.shared::cta.b64 %p1|%p2, %y0, [%r1], 0;
  @!%p1 bra W;
"""
FINISH = """  selp.u32 %r8, 1, 0, %p2;
  cvt.u32.u8 %r9, %y0;
  shl.b32 %r9, %r9, 8;
  or.b32 %r8, %r8, %r9;
  mbarrier.test_wait.parity.phase_type::conditional.shared::cta.b64 %p3, [%r1], 0;
  @%p3 or.b32 %r8, %r8, 65536;
  st.global.u32 [%o], %r8;
  ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];
  st.global.v4.u32 [%t], {%r4, %r5, %r6, %r7};
"""


def words_of(data):
    return list(struct.unpack("<%dI" % (len(data) // 4), data))


class Endpoint:
    """The bytes of each member before and after, bound at an offset."""

    def __init__(self, members, offset=0, multicast=False, **flags):
        self.members = members
        self.offset = offset
        self.multicast = multicast
        self.flags = flags


class Cases:
    def __init__(self, target="sm_107a"):
        self.m = Module(target, "9.5")
        self.m.add(".shared .align 128 .b8 tile[2048];\n.shared .align 8 .b64 bar;\n")
        self.buffers = []
        self.endpoints = []

    def memory(self, before, after):
        """A buffer that no argument names."""
        name = "m%d" % len(self.buffers)
        self.buffers.append({"buffer": name, "type": "u32", "count": len(before) // 4,
                             "init": {"bits": [hex(w) for w in words_of(before)]}})
        if after is not None:
            self.m.expect.append({"buffer": name, "bits": [hex(w) for w in words_of(after)]})
        return name

    def bind(self, endpoint):
        """The number of a new endpoint."""
        number = 0x80000001 + 3 * len(self.endpoints)
        entry = {"endpoint": number}
        entry.update(endpoint.flags)
        members = [[{"buffer": self.memory(before, after), "offset": endpoint.offset}] for before, after in endpoint.members]
        if endpoint.multicast:
            entry["members"] = members
        else:
            entry["bind"] = members[0]
        self.endpoints.append(entry)
        return number

    def case(self, body, data, endpoints, count, tile=None, report=FULL, wait=WAIT):
        """A kernel whose lane 0 executes lines in which {0}, {1} are endpoints.
        Lines of `together` are for all lanes. The barrier awaits a count."""
        name = "k%d" % len(self.m.launches)
        lines = body.format(*[self.bind(e) for e in endpoints]).strip().split("\n")
        guarded = "\n".join("  " + (l.strip()[9:] if l.strip().startswith("together ") else "@%p0 " + l.strip()) for l in lines)
        expect = "\n  @%%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r1], %d;\n" % count
        self.m.kernel(name, [("i", 16)], [("o", 4), ("t", 16)], PREPARE + guarded + expect + wait + FINISH)
        self.m.launch(name, [("u32", words_of(data))],
                      [("u32", [report] * 32), ("u32", words_of(tile if tile is not None else data))], 32)

    def write(self, folder, name, **more):
        self.m.more = dict(buffers=self.buffers, endpoints=self.endpoints, **more)
        self.m.write(folder, name)


# Formats ---------------------------------------------------------------------

def decode_small(bits, exponent, fraction):
    """A number of a format of 8 or 16 bits; None for what is none."""
    sign = -1 if bits >> exponent + fraction else 1
    e = bits >> fraction & (1 << exponent) - 1
    f = bits & (1 << fraction) - 1
    bias = (1 << exponent - 1) - 1
    if (exponent, fraction) == (4, 3):
        if e == 15 and f == 7:
            return None
    elif e == (1 << exponent) - 1:
        return None
    scale = Fraction(2) ** ((e or 1) - bias - fraction)
    return sign * ((f + (1 << fraction) if e else f) * scale)


def codes(exponent, fraction):
    """All numbers of a format that are no negative zeros, by value."""
    table = {}
    for bits in range(1 << 1 + exponent + fraction):
        value = decode_small(bits, exponent, fraction)
        if value is not None and (value or not bits):
            table[value] = bits
    return table


FORMATS = {"f16": (5, 10), "bf16": (8, 7), "e4m3": (4, 3), "e5m2": (5, 2)}
CODES = {}


def nearest(value, ty):
    """The bits of the nearest number of a format, even ones of two; the largest
    ones for what is beyond them."""
    if ty not in CODES:
        table = codes(*FORMATS[ty])
        CODES[ty] = (sorted(table), table)
    values, table = CODES[ty]
    import bisect
    k = bisect.bisect_left(values, value)
    if k == len(values):
        return table[values[-1]]
    if k == 0:
        return table[values[0]]
    low, high = values[k - 1], values[k]
    if high == value or high - value < value - low:
        return table[high]
    if value - low < high - value:
        return table[low]
    return table[low] if table[low] % 2 == 0 else table[high]


def decode(bits, ty):
    if ty in FORMATS:
        return decode_small(bits, *FORMATS[ty])
    return Fraction(struct.unpack("<f" if ty == "f32" else "<d", bits.to_bytes(size_of(ty), "little"))[0])


def encode(value, ty):
    if ty in FORMATS:
        return nearest(value, ty)
    return int.from_bytes(struct.pack("<f" if ty == "f32" else "<d", float(value)), "little")


def size_of(ty):
    return {"e4m3": 1, "e5m2": 1, "f16": 2, "bf16": 2, "b128": 16}.get(ty) or int(ty[1:]) // 8


def is_float(ty):
    return ty in FORMATS or ty in ("f32", "f64")


def apply_integers(op, ty, a, b):
    bits = 8 * size_of(ty)
    sign = lambda v: v - (1 << bits) if ty[0] == "s" and v >> bits - 1 else v
    x, y = sign(a), sign(b)
    return {"and": a & b, "or": a | b, "xor": a ^ b, "add": x + y, "min": min(x, y), "max": max(x, y)}[op] & (1 << bits) - 1


def apply_floats(op, x, y):
    return {"add": lambda: x + y, "min": lambda: min(x, y), "max": lambda: max(x, y)}[op]()


def reduced(op, ty, elements, between=None):
    """Of bits of elements; sums are rounded to a format after each step."""
    if not is_float(ty):
        result = elements[0]
        for e in elements[1:]:
            result = apply_integers(op, ty, result, e)
        return result
    result = decode(elements[0], ty)
    for e in elements[1:]:
        result = apply_floats(op, result, decode(e, ty))
        step = between or ty
        result = decode(encode(result, step), step)
    return encode(result, ty)


def reduced_bytes(op, ty, buffers, between=None):
    size = size_of(ty)
    out = b""
    for k in range(0, len(buffers[0]), size):
        out += reduced(op, ty, [int.from_bytes(b[k:k + size], "little") for b in buffers], between).to_bytes(size, "little")
    return out


def random_bytes(ty, count):
    """Integers of all kinds; small floats, so that 32 and 64 bits are exact."""
    if not is_float(ty):
        return random.randbytes(count)
    return b"".join(encode(Fraction(random.randint(-40, 40), 4), ty).to_bytes(size_of(ty), "little")
                    for _ in range(count // size_of(ty)))


# Cases -----------------------------------------------------------------------

def put(flags="", handle="[%r10, %d10]", extra="", opcode="fabric.try_put.async", kind=".b128"):
    return "%s%s%s%s.relaxed.sys%s %s, [%%r2], %d, [%%r1]%s;" % (
        opcode, ".multimem" if "multimem" in flags else "", PUT, flags.replace(".multimem", ""), kind, handle, TILE, extra)


HANDLE = "mov.u32 %r10, {0};\nmov.u64 %d10, OFFSET;\n"


def handle(offset):
    return HANDLE.replace("OFFSET", str(offset))


def copies(c):
    old, data = random.randbytes(1024), random.randbytes(TILE)
    c.case(handle(4096 + 256) + put() + "\nfabric.submit;", data,
           [Endpoint([(old, old[:256] + data + old[768:])], 4096)], TILE // 16)
    # With a policy, of a range of the endpoint.
    c.case(handle(512) + "createpolicy.range.fabric.L2::evict_last.b64 %d11, [%r10, %d10], 256, 512;\n"
           + put(".L2::cache_hint", extra=", %d11") + "\nfabric.submit;", data,
           [Endpoint([(old, old[:512] + data)])], TILE // 16)
    mask = 0x8421
    mixed = bytes(d if mask >> k % 16 & 1 else o for k, (o, d) in enumerate(zip(old, data)))
    c.case(handle(0) + "mov.b16 %%h1, %d;\n" % mask + put(".cp_mask", extra=", %h1") + "\nfabric.submit;", data,
           [Endpoint([(old, mixed + old[TILE:])])], TILE // 16)
    counter = 1 << 63 | 77
    before = old[:512] + struct.pack("<Q", counter) + old[520:]
    after = data + struct.pack("<Q", counter + TILE) + old[520:]
    c.case(handle(0) + "mov.u64 %d11, 512;\n" + put(".counted::bytes", "[%r10, %d10, %d11]") + "\nfabric.submit;", data,
           [Endpoint([(before, after)], counts=True)], TILE // 16)
    # Each member has its counter.
    other = random.randbytes(512) + struct.pack("<Q", 5) + random.randbytes(504)
    c.case(handle(0) + "mov.u64 %d11, 512;\n" + put(".multimem.counted::bytes", "[%r10, %d10, %d11]") + "\nfabric.submit;",
           data, [Endpoint([(before, after), (other, data + struct.pack("<Q", 5 + TILE) + other[520:])], multicast=True,
                           counts=True)], TILE // 16)
    c.case(handle(32) + "fabric.try_get.async%s.b128 [%%r2+64], [%%r10, %%d10], 128, [%%r1];\nfabric.submit.op_restrict::fetching;" % GET,
           data, [Endpoint([(old, old)])], 128, data[:64] + old[32:160] + data[192:])


def reductions(c):
    kinds = [(op, ty) for op in ("and", "or", "xor") for ty in ("b32", "b64")]
    kinds += [(op, ty) for op in ("min", "max") for ty in ("u32", "s32", "u64", "s64", "f16", "bf16")]
    kinds += [("add", ty) for ty in ("u32", "u64", "f16", "bf16", "f32", "f64")]
    for op, ty in kinds:
        data = random_bytes(ty, TILE)
        olds = [random_bytes(ty, TILE) for _ in range(2)]
        news = [reduced_bytes(op, ty, [o, data]) for o in olds]
        line = put(opcode="fabric.try_red.async", kind=".%s.%s" % (op, ty))
        c.case(handle(0) + line + "\nfabric.submit;", data, [Endpoint([(olds[0], news[0])])], TILE // 16)
        line = put(".multimem.counted::bytes", "[%r10, %d10, %d11]", opcode="fabric.try_red.async", kind=".%s.%s" % (op, ty))
        count, total = struct.pack("<Q", 1), struct.pack("<Q", 1 + TILE)
        c.case(handle(256) + "mov.u64 %d11, 0;\n" + line + "\nfabric.submit;", data,
               [Endpoint([(count + bytes(248) + o, total + bytes(248) + n) for o, n in zip(olds, news)], multicast=True, counts=True)],
               TILE // 16)


def pulls(c):
    kinds = [(op, ty, "", None) for op in ("and", "or", "xor") for ty in ("b32", "b64")]
    kinds += [(op, ty, "", None) for op in ("min", "max") for ty in ("u32", "s32", "u64", "s64", "f16", "bf16", "e4m3", "e5m2")]
    kinds += [("add", ty, "", None) for ty in ("u32", "u64", "f16", "bf16", "f32")]
    kinds += [("add", ty, ".acc::f16", "f16") for ty in ("e4m3", "e5m2")]
    kinds += [("add", ty, ".acc::f32", "f32") for ty in ("f16", "bf16")]
    for op, ty, acc, between in kinds:
        members = [random_bytes(ty, TILE) for _ in range(3)]
        if is_float(ty) and size_of(ty) <= 2 and op == "add":
            # Sums that a narrow format rounds, and what each step rounds.
            one, many = encode(Fraction(1), ty), encode(Fraction(2048 if ty == "f16" else 256), ty)
            pair = many.to_bytes(size_of(ty), "little"), one.to_bytes(size_of(ty), "little")
            members = [m[:TILE // 2] + p * (TILE // 2 // size_of(ty)) for m, p in zip(members, (pair[0], pair[1], pair[1]))]
        result = reduced_bytes(op, ty, members, between)
        data = random.randbytes(TILE)
        line = "together fabric.try_pullred.async.multimem%s.%s%s.%s.sync [%%r2], [%%r10, %%d10], %d, [%%r1], 0xffffffff;" % (
            GET, op, acc, ty, TILE)
        c.case("together mov.u32 %r10, {0};\ntogether mov.u64 %d10, 16;\n" + line + "\ntogether fabric.submit;", data,
               [Endpoint([(m, m) for m in members], 16, multicast=True)], TILE, result)


def atomics(c):
    kinds = [(op, ty) for op in ("and", "or", "xor") for ty in ("b32", "b64")]
    kinds += [("exch", ty) for ty in ("b32", "b64", "b128")]
    kinds += [(op, ty) for op in ("min", "max") for ty in ("u32", "u64", "f16x2", "bf16x2")]
    kinds += [("add", ty) for ty in ("u32", "u64", "f16x2", "bf16x2", "f32", "f64")]
    kinds += [("cas", ty) for ty in ("b32", "b64", "b128")]
    for op, ty in kinds:
        pair = ty.endswith("x2")
        size = 4 if pair else size_of(ty)
        element = ty[:-2] if pair else ty
        for lane in range(16 // size):
            at = 32 + lane * size  # In the endpoint.
            old = random_bytes(element, 64)
            data = random_bytes(element, TILE)
            given = data[lane * size:lane * size + size]
            hit = random.random() < 0.5
            if op == "cas":
                if hit:
                    old = old[:at] + given + old[at + size:]
                second = data[16 + lane * size:16 + lane * size + size]
                new = second if old[at:at + size] == given else old[at:at + size]
            elif op == "exch":
                new = given
            else:
                new = reduced_bytes(op, element, [old[at:at + size], given])
            # What else comes to the 16 bytes is open; here it stays.
            tile = data[:64 + lane * size] + old[at:at + size] + data[64 + lane * size + size:]
            line = "fabric.try_atom.async%s.relaxed.sys.%s.%s [%%r10, %%d10], [%%r2+64], [%%r2], [%%r1];" % (PUT, op, ty)
            c.case(handle(at) + line + "\nfabric.submit;", data,
                   [Endpoint([(old, old[:at] + new + old[at + size:])])], 1, tile)


def groups(c):
    """Shared memory may be written again once it has been read."""
    old, data = bytes(TILE), random.randbytes(TILE)
    change = "st.shared.u32 [%r2], 0;\n"
    first = b"\0" * 4 + data[4:]
    for submit in ("fabric.submit;\nfabric.wait.sync_restrict::reads;", "fabric.submit.commit_group;\nfabric.wait.sync_restrict::read 0;",
                   "fabric.submit.commit_group;\nfabric.submit.commit_group;\nfabric.wait.sync_restrict::reads 1;"):
        c.case(handle(0) + put() + "\n" + submit + "\n" + change, data, [Endpoint([(old, data)])], TILE // 16, first)
    # Two operations of which one is submitted later.
    c.case("mov.u32 %r10, {0};\nmov.u64 %d10, 0;\nmov.u32 %r11, {1};\n" + put()
           + "\nfabric.try_get.async%s.b128 [%%r2+1024], [%%r11, %%d10], 16, [%%r1];\nfabric.submit.op_restrict::fetching;\nfabric.submit;" % GET,
           data, [Endpoint([(old, data)]), Endpoint([(data, data)])], TILE // 16 + 16)


def failures(c):
    """What is out of reach changes nothing, and is told."""
    old, data = random.randbytes(TILE), random.randbytes(TILE)
    gone = lambda **more: [Endpoint([(old, old)], fails=True, **more)]
    c.case(handle(0) + put() + "\nfabric.submit;", data, gone(), TILE // 16, report=FAILED)
    c.case(handle(0) + put(opcode="fabric.try_red.async", kind=".add.u32") + "\nfabric.submit;", data, gone(), TILE // 16, report=FAILED)
    c.case(handle(0) + "fabric.try_get.async%s.b128 [%%r2], [%%r10, %%d10], 64, [%%r1];\nfabric.submit;" % GET, data, gone(), 64, report=FAILED)
    c.case(handle(4) + "fabric.try_atom.async%s.relaxed.sys.exch.b32 [%%r10, %%d10], [%%r2], [%%r2+16], [%%r1];\nfabric.submit;" % PUT,
           data, gone(), 1, report=FAILED)
    c.case("together mov.u32 %%r10, {0};\ntogether mov.u64 %%d10, 0;\ntogether fabric.try_pullred.async.multimem%s.add.u32.sync "
           "[%%r2], [%%r10, %%d10], 64, [%%r1], 0xffffffff;\nfabric.submit;" % GET, data, gone(multicast=True), 64, report=FAILED)
    # Of several operations one is enough.
    c.case("mov.u32 %r10, {0};\nmov.u64 %d10, 0;\n" + put() + "\nmov.u32 %r10, {1};\n" + put() + "\nfabric.submit;", data,
           [Endpoint([(old, data)]), Endpoint([(old, old)], fails=True)], 2 * TILE // 16, report=FAILED)


# Faults ----------------------------------------------------------------------

FAULTS = {
    "size": ("misaligned", handle(0) + put().replace("%d," % TILE, "40,") + "\nfabric.submit;", {}),
    "offset": ("misaligned", handle(8) + put() + "\nfabric.submit;", {}),
    "shared": ("misaligned", handle(0) + put().replace("[%r2]", "[%r2+8]") + "\nfabric.submit;", {}),
    "unknown": ("invalid-handle", "mov.u32 %r10, 9;\nmov.u64 %d10, 0;\n" + put() + "\nfabric.submit;", {}),
    "kind": ("invalid-handle", handle(0) + put(".multimem") + "\nfabric.submit;", {}),
    "unicast": ("invalid-handle", handle(0) + put() + "\nfabric.submit;", {"multicast": True}),
    "range": ("out-of-bounds", handle(16) + put() + "\nfabric.submit;", {}),
    "layout": ("illegal-instruction", "mbarrier.inval.shared::cta.b64 [%r1];\nmbarrier.init.shared::cta.b64 [%r1], 1;\n"
               + handle(0) + put() + "\nfabric.submit;", {}),
    "counter": ("misaligned", handle(0) + "mov.u64 %d11, 8;\n" + put(".counted::bytes", "[%r10, %d10, %d11]") + "\nfabric.submit;",
                {"counts": True}),
    "no-counter": ("invalid-handle", handle(0) + "mov.u64 %d11, 0;\n" + put(".counted::bytes", "[%r10, %d10, %d11]") + "\nfabric.submit;", {}),
    "overlap": ("illegal-instruction", handle(0) + "mov.u64 %d11, 256;\n" + put(".counted::bytes", "[%r10, %d10, %d11]") + "\nfabric.submit;",
                {"counts": True}),
    "atom": ("misaligned", handle(4) + "fabric.try_atom.async%s.relaxed.sys.exch.b64 [%%r10, %%d10], [%%r2], [%%r2+16], [%%r1];" % PUT, {}),
}


def faults(folder):
    for name, (kind, body, flags) in FAULTS.items():
        c = Cases()
        c.case(body, bytes(TILE), [Endpoint([(bytes(TILE), None)], **flags)], TILE // 16)
        c.write(folder, "fault-" + name, expect_error=kind)
    # Who submits nothing waits for ever, or leaves it behind.
    c = Cases()
    c.case(handle(0) + put(), bytes(TILE), [Endpoint([(bytes(TILE), None)])], TILE // 16)
    c.write(folder, "never-submitted", expect_error="deadlock")
    c = Cases()
    c.case(handle(0) + put(), bytes(TILE), [Endpoint([(bytes(TILE), None)])], TILE // 16, wait="")
    c.write(folder, "left-behind", expect_error="synchronization")


def main():
    folder = sys.argv[1]
    c = Cases()
    copies(c)
    reductions(c)
    pulls(c)
    atomics(c)
    groups(c)
    failures(c)
    c.write(folder, "fabric")
    faults(folder)


if __name__ == "__main__":
    main()
