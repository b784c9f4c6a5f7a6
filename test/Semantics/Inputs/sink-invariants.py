"""A kernel with more pairs of registers in front of a loop, each of a sum and a
constant, than it has registers: they are used in the loop and in one inside of
it, one in front of it as well, one behind it. Usage: sink-invariants.py FOLDER"""

import sys

from ptxtest import MASK32, Module

PAIRS = 10
SUMS = 4
HIGH = 0x40004000
TURNS = 5
THREADS = 64
MASK64 = (1 << 64) - 1


def body():
    text = """  .reg .b32 %%part<%d>, %%turn, %%inner, %%base;
  .reg .b64 %%pair<%d>, %%sum<%d>, %%at;
  .reg .pred %%more, %%odd;
  mov.u32 %%r1, %%tid.x;
  ld.global.u32 %%base, [%%as];
  ld.global.u32 %%r3, [%%as+4];
  add.u32 %%base, %%base, %%r1;
""" % (PAIRS, PAIRS, SUMS)
    for i in range(PAIRS):
        text += """  add.u32 %%part%d, %%base, %d;
  mov.b64 %%pair%d, {%%part%d, %d};
""" % (i, 16 * i + 16, i, i, HIGH)
    for i in range(SUMS):
        text += "  mov.u64 %%sum%d, %d;\n" % (i, i + 1)
    text += """  add.u64 %sum0, %sum0, %pair0;
  mov.u32 %turn, 0;
outer:
  and.b32 %r4, %turn, 1;
  setp.ne.u32 %odd, %r4, 0;
  @%odd bra skip;
"""
    for i in range(PAIRS):
        text += step(i, i % SUMS)
    text += """skip:
  mov.u32 %inner, 0;
turns:
"""
    for i in range(PAIRS):
        text += step(i, (i + 1) % SUMS)
    text += """  add.u32 %inner, %inner, 1;
  setp.lt.u32 %more, %inner, %turn;
  @%more bra turns;
  add.u32 %turn, %turn, 1;
  setp.lt.u32 %more, %turn, %r3;
  @%more bra outer;
  add.u64 %sum1, %sum1, %pair1;
  mul.wide.u32 %at, %r1, 8;
  add.u64 %at, %os, %at;
"""
    for i in range(1, SUMS):
        text += "  xor.b64 %%sum0, %%sum0, %%sum%d;\n" % i
    return text + "  st.global.u64 [%at], %sum0;\n"


def step(pair, to):
    return """  mul.lo.u64 %%sum%d, %%sum%d, %%pair%d;
  xor.b64 %%sum%d, %%sum%d, %%sum%d;
""" % (to, to, pair, to, to, (to + 1) % SUMS)


def expected(base):
    pairs = [((base + 16 * i + 16) & MASK32) | HIGH << 32 for i in range(PAIRS)]
    sums = [i + 1 for i in range(SUMS)]

    def do(pair, to):
        sums[to] = sums[to] * pairs[pair] & MASK64
        sums[to] ^= sums[(to + 1) % SUMS]

    sums[0] += pairs[0]
    for turn in range(TURNS):
        if turn % 2 == 0:
            for i in range(PAIRS):
                do(i, i % SUMS)
        for _ in range(max(turn, 1)):
            for i in range(PAIRS):
                do(i, (i + 1) % SUMS)
    sums[1] = (sums[1] + pairs[1]) & MASK64
    return sums[0] ^ sums[1] ^ sums[2] ^ sums[3]


def main():
    m = Module("sm_90", "9.0")
    m.kernel("pairs", [("a", 4)], [("o", 8)], body(), ".maxnreg 24")
    first = 0xFFFFFFC0
    m.launch("pairs", [("u32", [first, TURNS])],
             [("u64", [expected((first + t) & MASK32) for t in range(THREADS)])],
             [THREADS])
    m.write(sys.argv[1], "sink-invariants")


if __name__ == "__main__":
    main()
