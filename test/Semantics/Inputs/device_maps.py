"""Tensor maps that kernels make of 128 bytes that are zero, as Triton's device-side
descriptors are made: tensormap.replace of fields in shared memory, then
tensormap.cp_fenceproxy. One map loads, another one stores. With --foreign the maps are
as NVIDIA's chips have them and as CUTLASS's DSL writes them. Usage: device_maps.py
FOLDER [--foreign]"""

import itertools
import random
import struct
import sys

from ptxtest import Module
from tensor_copy import Tensor, box_elements, loaded
from tensor_maps import TYPES

random.seed(26)

# Makes map {n} of the tensor {buffer} in the 64 words of buffer m.
MAKE = """  bar.warp.sync -1;
  st.shared.b32 [%r6], {word};
  bar.warp.sync -1;
{fields}  bar.warp.sync -1;
  add.u64 %d{n}, %ms, {place};
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d{n}], [map], 128;
  fence.proxy.tensormap::generic.acquire.gpu [%d{n}], 128;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
"""
HEAD = """  setp.eq.u32 %p0, %me, 0;
  mov.u32 %r0, tile;
  mov.u32 %r1, bar;
  mov.u32 %r5, map;
  mad.lo.u32 %r6, %lid, 4, %r5;
  @%p0 mbarrier.init.shared::cta.b64 [%r1], 1;
"""
COPY = """  bar.sync 0;
  @!%p0 bra GO;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], {bytes};
  cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d1, {{{at}}}], [%r1];
GO:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
  @!%p1 bra GO;
  @!%p0 bra END;
  cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group [%d2, {{{to}}}], [%r0];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
END:
"""


def replace(field, value, ordinal=None, bits=32):
    place = "" if ordinal is None else "%d, " % ordinal
    return "  @%%p0 tensormap.replace.tile.%s.shared::cta.b1024.b%d [map], %s%s;\n" % (field, bits, place, value)


def fields_of(t, buffer, box, element_strides, swizzle, fill, all_fields):
    """Fields whose value is what zeros say are left out unless all are asked for."""
    rank = len(t.extents)
    fields = [("global_address", "%%%ss" % buffer, None, 64), ("rank", rank - 1, None, 32)]
    for name, values in (("box_dim", box), ("global_dim", t.extents), ("element_stride", element_strides)):
        fields += [(name, v, i, 32) for i, v in enumerate(values) if v != 1 or all_fields]
    fields += [("global_stride", v, i, 64) for i, v in enumerate(t.strides)]
    for name, value in (("elemtype", TYPES[t.ty][0]), ("interleave_layout", 0), ("swizzle_mode", swizzle), ("fill_mode", fill)):
        if value or all_fields:
            fields.append((name, value, None, 32))
    return "".join(replace(name, value, ordinal, bits) for name, value, ordinal, bits in fields)


# What CUTLASS's DSL prints for these types, in bits 16 and 10..7.
FOREIGN_TYPES = {"u8": 0, "u16": 1, "u32": 2, "u64": 4, "f16": 6, "f32": 7, "f64": 9, "bf16": 10, "tf32": 1 << 9 | 7}


def foreign_words(t, box, swizzle, atom):
    """The map of a tensor as NVIDIA's chips have it, without the address."""
    rank = len(t.extents)
    extents = [e - 1 for e in t.extents] + [0] * (5 - rank)
    strides = [s // 16 for s in t.strides] + [0] * (5 - rank)
    sizes = [b - 1 for b in box] + [0] * (5 - rank)
    is_large = sum((e - 1) * s for e, s in zip(t.extents[1:], t.strides)) + t.extents[0] * t.size >= 1 << 17
    kind = 2 | rank - 1 << 4 | FOREIGN_TYPES[t.ty] << 7 | swizzle << 13 | 2 << 17 | atom << 19 | is_large << 21
    upper = sum(s >> 32 << 4 * i for i, s in enumerate(strides))
    words = [0, 0, kind] + [s & 0xFFFFFFFF for s in strides] + [upper] + extents
    words += [sizes[0] << 24, sizes[1] | sizes[2] << 8 | sizes[3] << 16 | sizes[4] << 24]
    return words + [0] * (32 - len(words))


def add_copy(m, n, ty, extents, box, at, to, element_strides=None, swizzle=0, fill=0, all_fields=True,
             foreign=None, atom=0):
    """A box of tensor i goes through shared memory to another place of tensor o,
    where its elements stand side by side. foreign: maps of NVIDIA's, whose address is
    a field that is "replaced" or is "stored"."""
    rank = len(extents)
    t = Tensor(ty, extents)
    steps = element_strides or [1] * rank
    counts = [-(-b // s) for b, s in zip(box, steps)]
    result = bytearray(len(t.data))
    elements = list(box_elements(counts, [1] * rank))
    for index in elements:
        source = [a + i * s for a, i, s in zip(at, index, steps)]
        target = [a + i for a, i in zip(to, index)]
        value = loaded(ty, t.data[t.place(source):][:t.size]) if t.inside(source) else {0: bytes(8), 1: b"\xf7\x7f" * 4}[fill][:t.size]
        if t.inside(target):
            result[t.place(target):t.place(target) + t.size] = value
    body, inputs = HEAD, [("i", 0), ("m", 0)]
    data = [("u8", list(t.data)), ("u32", [0xCDCDCDCD] * 64)]
    if foreign:
        inputs.append(("w", 4))
        data.append(("u32", foreign_words(t, box, swizzle, atom) + foreign_words(t, counts, swizzle, atom)))
        for number, buffer in enumerate("io"):
            body += "  ld.global.u32 %%r7, [%%w+%d];\n" % (128 * number)
            address = (replace("global_address", "%%%ss" % buffer, None, 64) if foreign == "replaced"
                       else "  @%%p0 st.shared.b64 [map], %%%ss;\n" % buffer)
            body += MAKE.format(n=number + 1, place=128 * number, word="%r7", fields=address)
    else:
        body += MAKE.format(n=1, place=0, word=0, fields=fields_of(t, "i", box, steps, swizzle, fill, all_fields))
        body += MAKE.format(n=2, place=128, word=0, fields=fields_of(t, "o", counts, [1] * rank, swizzle, 0, all_fields))
    body += COPY.format(bytes=len(elements) * t.size, rank=rank, at=", ".join(map(str, at)), to=", ".join(map(str, to)))
    m.kernel("copy%d" % n, inputs, [("o", 0)], body)
    m.launch("copy%d" % n, data, [("u8", list(result))], 32)


def add_foreign(m, n):
    for way in ("replaced", "stored"):
        for ty in FOREIGN_TYPES:
            piece = 16 // TYPES[ty][1]
            add_copy(m, next(n), ty, [4 * piece, 9], [2 * piece, 4], [3 * piece, 7], [1, -1], foreign=way)
        for swizzle in (1, 2, 3):
            row = (16 << swizzle) // 2
            add_copy(m, next(n), "f16", [2 * row, 40], [row, 32], [row, 3], [0, 8], swizzle=swizzle, foreign=way)
        # What is loaded and stored by the same atoms comes back as it was.
        for atom in (1, 3):
            add_copy(m, next(n), "bf16", [128, 40], [64, 32], [64, 3], [0, 8], swizzle=3, atom=atom, foreign=way)
        add_copy(m, next(n), "u8", [3 * 16], [2 * 16], [16], [0], foreign=way)
        add_copy(m, next(n), "f16", [40, 6, 5], [32, 3, 2], [16, 4, -1], [0, 1, 2], foreign=way)
        add_copy(m, next(n), "u32", [24, 4, 3, 3], [16, 2, 1, 2], [-4, 1, 2, 1], [5, 0, 0, 0], foreign=way)
        add_copy(m, next(n), "f32", [16, 4, 3, 2, 3], [8, 2, 2, 1, 2], [8, 3, 1, 1, 0], [0, 0, 0, 0, 1], foreign=way)
        add_copy(m, next(n), "u64", [64, 260], [16, 2], [48, 255], [0, 0], foreign=way)


def main():
    m = Module("sm_90a", "8.6")
    m.add(".shared .align 1024 .b8 tile[16384];\n.shared .align 128 .b8 map[128];\n.shared .align 8 .b64 bar;\n")
    n = itertools.count()
    if "--foreign" in sys.argv:
        add_foreign(m, n)
        m.write(sys.argv[1], "foreign-maps")
        return
    for all_fields in (True, False):
        for ty in TYPES:
            # Of 16 bytes each, so that a box has two.
            piece = 16 // TYPES[ty][1]
            add_copy(m, next(n), ty, [3 * piece], [2 * piece], [piece], [0], all_fields=all_fields)
            add_copy(m, next(n), ty, [4 * piece, 9], [2 * piece, 4], [3 * piece, 7], [1, -1], all_fields=all_fields)
        for swizzle in (1, 2, 3):
            for ty in ("u8", "bf16", "f32", "u64"):
                row = (16 << swizzle) // TYPES[ty][1]
                add_copy(m, next(n), ty, [2 * row, 40], [row, 32], [row, 3], [0, 8], swizzle=swizzle, all_fields=all_fields)
        for swizzle in (0, 2):
            add_copy(m, next(n), "f16", [40, 6, 5], [32, 3, 2], [16, 4, -1], [0, 1, 2], swizzle=swizzle, fill=1, all_fields=all_fields)
            add_copy(m, next(n), "s32", [24, 4, 3, 3], [16, 2, 1, 2], [-4, 1, 2, 1], [5, 0, 0, 0], swizzle=swizzle, all_fields=all_fields)
            add_copy(m, next(n), "f32", [16, 4, 3, 2, 3], [8, 2, 2, 1, 2], [8, 3, 1, 1, 0], [0, 0, 0, 0, 1], swizzle=swizzle, fill=1,
                     all_fields=all_fields)
        add_copy(m, next(n), "u16", [40, 12, 3], [32, 4, 2], [8, 5, 1], [0, 0, 0], element_strides=[1, 2, 1], swizzle=2,
                 all_fields=all_fields)
    m.write(sys.argv[1], "device-maps")


main()
