"""Maps of tensors (docs/tensor-maps.md), and the PTX around copies by them."""

import struct

# The number of an element type, and bytes of an element.
TYPES = {"u8": (0, 1), "u16": (1, 2), "u32": (2, 4), "s32": (3, 4), "u64": (4, 8), "f16": (6, 2), "f32": (7, 4),
         "s64": (5, 8), "f32ftz": (8, 4), "f64": (9, 8), "bf16": (10, 2), "tf32": (11, 4), "tf32ftz": (12, 4)}


def make_map(ty, extents, strides, box, element_strides, swizzle, fill=0, atom=0, interleave=0, access=0, lower=(), upper=()):
    """The 128 bytes; the address is that of the buffer, put in by the kernel."""
    pad = lambda x, n: list(x) + [0] * (n - len(x))
    data = struct.pack("<QIBBBB", 0, 0x4D54, TYPES[ty][0], len(extents) - 1, interleave, swizzle)
    data += struct.pack("<5I", *pad([e - 1 for e in extents], 5))
    data += struct.pack("<BBBB", fill, atom, access, 0)
    data += struct.pack("<4Q", *pad(strides, 4))
    data += struct.pack("<5I", *pad([(b - 1) & 0xFFFFFFFF for b in box], 5))
    data += struct.pack("<5I", *pad([s - 1 for s in element_strides], 5))
    data += struct.pack("<3h", *pad(lower, 3)) + struct.pack("<3h", *pad(upper, 3)) + bytes(4)
    assert len(data) == 128
    return struct.unpack("<32I", data)


def swizzled(at, mode, atom=0):
    """By the manual's tables: row n of 128 bytes has its pieces in this order."""
    row, piece, rest = at // 128, at % 128 // 16, at % 16
    if mode in (1, 4):  # 32 and 96 bytes
        piece ^= row % 2
    elif mode == 2:
        piece ^= row % 4
    elif mode == 3 and atom == 0:
        piece ^= row % 8
    elif mode == 3 and atom in (1, 2):
        piece = (piece // 2 ^ row % 4) * 2 + piece % 2
        if atom == 2 and row % 2:
            rest = (rest + 8) % 16
    elif mode == 3:
        piece = (piece // 4 ^ row % 2) * 4 + piece % 4
    return row * 128 + piece * 16 + rest


def words_of(data):
    return list(struct.unpack("<%dI" % (len(data) // 4), data))


# Bodies of kernels of 32 threads, in format's braces. Buffer i is the tensor, m
# the map in global memory, which gets the tensor's address first. In shared
# memory are `tile` and the mbarrier `bar`.
START = """  .reg .b32 %c;
  mov.u32 %r0, tile;
  mov.u32 %r1, bar;
  setp.eq.u32 %p0, %me, 0;
  @%p0 mbarrier.init.shared::cta.b64 [%r1], 1;
  @%p0 tensormap.replace.tile.global_address.global.b1024.b64 [%ms], %is;
  fence.proxy.tensormap::generic.release.gpu;
  fence.proxy.tensormap::generic.acquire.gpu [%ms], 128;
  bar.sync 0;
"""
# Words of the tile that no copy writes are zero.
CLEAR = """  mov.u32 %r2, %me;
  mov.u32 %r5, 0;
CLEAR:
  setp.lt.u32 %p2, %r2, {words};
  @!%p2 bra CLEARED;
  mad.lo.u32 %r3, %r2, 4, %r0;
  st.shared.u32 [%r3], %r5;
  add.u32 %r2, %r2, 32;
  bra CLEAR;
CLEARED:
  fence.proxy.async.shared::cta;
  bar.sync 0;
"""
# Behind what one thread has started, up to here under @!%p0 bra GO: the tile goes
# to buffer o.
FINISH_LOAD = """GO:
W:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
  @!%p1 bra W;
  mov.u32 %r2, %me;
COPY:
  setp.lt.u32 %p2, %r2, {words};
  @!%p2 bra END;
  mad.lo.u32 %r3, %r2, 4, %r0;
  ld.shared.u32 %r4, [%r3];
  mad.wide.u32 %d1, %r2, 4, %os;
  st.global.u32 [%d1], %r4;
  add.u32 %r2, %r2, 32;
  bra COPY;
END:
"""
# Buffer j goes to the tile, and the tile to the tensor.
STORE = START + """  mov.u32 %r2, %me;
COPY:
  setp.lt.u32 %p2, %r2, {words};
  @!%p2 bra DONE;
  mad.wide.u32 %d1, %r2, 4, %js;
  ld.global.u32 %r4, [%d1];
  mad.lo.u32 %r3, %r2, 4, %r0;
  st.shared.u32 [%r3], %r4;
  add.u32 %r2, %r2, 32;
  bra COPY;
DONE:
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @!%p0 bra END;
  {op}.{dim}d.global.shared::cta{reduce}{mode}.bulk_group [%ms, {{{coordinates}}}], [%r0];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
END:
"""
