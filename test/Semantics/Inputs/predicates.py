"""A kernel with more conditions than predicates, that live over a loop or a
turn of it, and conditions behind each other. Usage: predicates.py FOLDER"""

import random
import sys

from ptxtest import MASK32, Module

RNG = random.Random(17)
ELEMENTS, THREADS, TURNS = 12, 32, 5
COUNT = 7 * THREADS + 9  # of the elements there are


def signed(v):
    return v - (1 << 32) if v >> 31 else v


def body():
    """What thread t does for the elements t, t + 32 and so on below the count:
    flips the element's mark where two neighbours of a row of numbers lie on
    different sides of it and some bits of a product are not zero."""
    text = "  .reg .pred %%in<%d>, %%side<%d>;\n" % (ELEMENTS, ELEMENTS)
    text += "  .reg .b32 %%v<%d>, %%mark<%d>, %%at<%d>;\n" % ((ELEMENTS,) * 3)
    text += "  ld.global.u32 %r1, [%ns];\n"
    for k in range(ELEMENTS):
        text += "  add.s32 %%at%d, %%me, %d;\n" % (k, THREADS * k)
        text += "  setp.ge.s32 %%in%d, %%at%d, %%r1;\n" % (k, k)
        text += "  mov.u32 %%v%d, 0;\n  mov.u32 %%mark%d, 0;\n" % (k, k)
        text += "  @%%in%d bra NOT%d;\n" % (k, k)
        text += "  ld.global.u32 %%v%d, [%%a+%d];\nNOT%d:\n" % (
            k, 4 * THREADS * k, k)
    text += "  mov.u32 %r2, 0;\n  ld.global.u32 %r3, [%rows];\nTURN:\n"
    text += "  mul.wide.u32 %d1, %r2, 4;\n  add.u64 %d1, %rows, %d1;\n"
    text += "  ld.global.u32 %r4, [%d1+4];\n"
    for k in range(ELEMENTS):
        text += "  setp.gt.s32 %%side%d, %%r4, %%v%d;\n" % (k, k)
        text += "  setp.gt.s32 %%p1, %%r3, %%v%d;\n" % k
        text += "  xor.pred %%p2, %%p1, %%side%d;\n" % k
        text += "  @!%%p2 bra SAME%d;\n" % k
        text += "  mul.lo.u32 %%r5, %%r4, %%v%d;\n" % k
        text += "  and.b32 %%r5, %%r5, %d;\n" % (6 + k)
        text += "  setp.eq.s32 %%p3, %%r5, 0;\n  @%%p3 bra SAME%d;\n" % k
        text += "  setp.eq.s32 %%p4, %%mark%d, 0;\n" % k
        text += "  selp.u32 %%mark%d, 1, 0, %%p4;\nSAME%d:\n" % (k, k)
    # The sides are needed once more.
    for k in range(ELEMENTS):
        text += "  @!%%side%d bra BELOW%d;\n" % (k, k)
        text += "  add.u32 %%mark%d, %%mark%d, 2;\nBELOW%d:\n" % (k, k, k)
    text += "  mov.u32 %r3, %r4;\n  add.u32 %r2, %r2, 1;\n"
    text += "  setp.ne.u32 %%p5, %%r2, %d;\n  @%%p5 bra TURN;\n" % TURNS
    for k in range(ELEMENTS):
        text += "  @%%in%d bra LEFT%d;\n" % (k, k)
        text += "  st.global.u32 [%%o+%d], %%mark%d;\nLEFT%d:\n" % (
            4 * THREADS * k, k, k)
    return text


def mark(value, row, k):
    result = 0
    for last, now in zip(row, row[1:]):
        above = signed(now) > signed(value)
        if (signed(last) > signed(value)) != above and now * value & (6 + k):
            result = int(result == 0)
        result += 2 * above
    return result


def main():
    m = Module("sm_90", "9.0")
    inputs = [("n", 4), ("a", 4), ("row", 4)]
    m.kernel("tiles", inputs, [("o", 4)], body())
    total = ELEMENTS * THREADS
    values = [RNG.getrandbits(32) for _ in range(total)]
    row = [RNG.getrandbits(32) & MASK32 for _ in range(TURNS + 1)]
    marks = [mark(v, row, i // THREADS) if i < COUNT else 0
             for i, v in enumerate(values)]
    m.launch("tiles", [("s32", [COUNT]), ("u32", values), ("u32", row)],
             [("u32", marks)], THREADS)
    m.write(sys.argv[1], "predicates")


main()
