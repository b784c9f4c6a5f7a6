"""Kernels with more values than registers, whose spilled values can be kept in
shared memory, and some for which that cannot be. Usage: shared-spills.py FOLDER"""

import random
import sys

from ptxtest import MASK32, Module

RNG = random.Random(9)
MASK64 = (1 << 64) - 1


def linear_thread(block):
    """Code that leaves the number of the thread in its CTA in %me."""
    if len(block) == 1:
        return "  mov.u32 %me, %tid.x;\n"
    return """  mov.u32 %r1, %tid.z;
  mov.u32 %r2, %ntid.y;
  mov.u32 %r3, %tid.y;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %me, %r1, %r2, %r3;
"""


def fold(values, start):
    """What the kernels make of the words, pairs and the mark of a neighbour."""
    words, pairs = values
    result = start
    for v in reversed(words):
        result = (result * 33 ^ v) & MASK32
    wide = result
    for v in reversed(pairs):
        wide = (wide * 33 ^ v) & MASK64
    return wide


def add(m, name, words, pairs, block, directives, before="", after=""):
    threads = 1
    for n in block:
        threads *= n
    body = "  .shared .align 4 .b32 marks_%s[%d];\n" % (name, threads)
    body += "  .reg .b32 %%w<%d>;\n  .reg .b64 %%pair<%d>, %%at, %%sum;\n" % (
        words, pairs)
    body += before + linear_thread(block)
    size = 4 * words + 8 * pairs
    body += "  mul.wide.u32 %%at, %%me, %d;\n  add.u64 %%at, %%as, %%at;\n" % size
    for i in range(pairs):
        body += "  ld.volatile.global.u64 %%pair%d, [%%at+%d];\n" % (i, 8 * i)
    for i in range(words):
        body += "  ld.volatile.global.u32 %%w%d, [%%at+%d];\n" % (
            i, 8 * pairs + 4 * i)
    # Marks in shared variables must survive, and be seen by the neighbour.
    body += """  mov.u32 %%r4, marks_%s;
  mad.lo.u32 %%r5, %%me, 4, %%r4;
  st.shared.u32 [%%r5], %%me;
  bar.sync 0;
  add.u32 %%r6, %%me, 1;
  rem.u32 %%r6, %%r6, %d;
  mad.lo.u32 %%r6, %%r6, 4, %%r4;
  ld.shared.u32 %%r7, [%%r6];
""" % (name, threads)
    for i in reversed(range(words)):
        body += "  mul.lo.u32 %%r7, %%r7, 33;\n  xor.b32 %%r7, %%r7, %%w%d;\n" % i
    body += "  cvt.u64.u32 %sum, %r7;\n"
    for i in reversed(range(pairs)):
        body += "  mul.lo.u64 %%sum, %%sum, 33;\n  xor.b64 %%sum, %%sum, %%pair%d;\n" % i
    body += after
    body += "  mul.wide.u32 %at, %me, 8;\n  add.u64 %at, %os, %at;\n"
    body += "  st.global.u64 [%at], %sum;\n"
    m.kernel(name, [("a", 4)], [("o", 8)], body, directives)
    bits, sums = [], []
    for t in range(threads):
        ws = [RNG.getrandbits(32) for _ in range(words)]
        ps = [RNG.getrandbits(64) for _ in range(pairs)]
        for p in ps:
            bits += [p & MASK32, p >> 32]
        bits += ws
        sums.append(fold((ws, ps), (t + 1) % threads))
    # Pairs are read at multiples of eight.
    assert size % 8 == 0
    m.launch(name, [("u32", bits)], [("u64", sums)], list(block))


def main():
    m = Module("sm_90", "9.0")
    pragma = '  .pragma "enable_smem_spilling";\n'
    add(m, "one_row", 24, 6, [64], ".reqntid 64 .maxnreg 24")
    add(m, "box", 28, 4, [4, 3, 5], ".maxntid 8, 4, 4 .maxnreg 24")
    # As many threads as 128 registers allow are assumed.
    add(m, "unbounded", 132, 4, [96], ".maxnreg 128", before=pragma)
    # Room that costs CTAs: only where that is asked for.
    add(m, "dear", 40, 8, [256], ".maxntid 256 .maxnreg 24", before=pragma)
    add(m, "wanted", 40, 8, [256], ".maxntid 256 .maxnreg 24")
    # Not without bounds, not with a launch's own shared memory, not beside
    # arrays.
    add(m, "no_bounds", 24, 6, [64], ".maxnreg 24")
    m.add(".extern .shared .align 16 .b8 dynamic[];\n")
    add(m, "dynamic_shared", 24, 6, [64], ".reqntid 64 .maxnreg 24",
        before="  mov.u32 %r8, dynamic;\n  st.shared.u32 [%r8], 0;\n")
    m.launches[-1]["shared_bytes"] = 16
    add(m, "array", 24, 6, [64], ".reqntid 64 .maxnreg 24",
        before="""  .local .align 4 .b32 array[2];
  mov.u32 %r8, %tid.x;
  st.local.u32 [array], %r8;
  st.local.u32 [array+4], %r8;
""",
        after="""  and.b32 %r8, %me, 1;
  mov.u32 %r9, array;
  mad.lo.u32 %r8, %r8, 4, %r9;
  ld.local.u32 %r9, [%r8];
  sub.u32 %r9, %r9, %me;
  cvt.u64.u32 %at, %r9;
  add.u64 %sum, %sum, %at;
""")
    m.write(sys.argv[1], "shared-spills")


main()
