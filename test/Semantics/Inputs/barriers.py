"""bar and barrier in all forms: counts, names in registers, reductions, parts
of warps, and threads that exited. Usage: barriers.py FOLDER"""

import random
import sys

from ptxtest import MASK32, Module

RNG = random.Random(5)


def add_reductions(m):
    n = 96
    for form, tail in (
        ("bar.red.%s%s", "0"),
        ("bar.cta.red.%s%s", "3, 96"),
        ("barrier.cta.red.%s.aligned%s", "15"),
        ("barrier.red.%s%s", "%r9, %r10"),
    ):
        name = "reduce_%d" % len(m.launches)
        body = """  mov.u32 %r9, 7;
  mov.u32 %r10, %ntid.x;
  ld.global.u32 %r1, [%a];
  setp.ne.u32 %p1, %r1, 0;
"""
        for neg in ("", "!"):
            body += "  %s %%r2, %s, %s%%p1;\n" % (form % ("popc", ".u32"), tail, neg)
            body += "  st.global.u32 [%o], %r2;\n  add.u64 %o, %o, 4;\n"
            for op in ("and", "or"):
                body += "  %s %%p2, %s, %s%%p1;\n" % (form % (op, ".pred"), tail, neg)
                body += "  selp.u32 %r2, 1, 0, %p2;\n"
                body += "  st.global.u32 [%o], %r2;\n  add.u64 %o, %o, 4;\n"
        m.kernel(name, [("a", 4)], [("o", 24)], body)
        for a in ([1] * n, [0] * n, [RNG.randrange(2) for _ in range(n)]):
            row = []
            for s in (a, [1 - v for v in a]):
                row += [sum(s), int(all(s)), int(any(s))]
            m.launch(name, [("b32", a)], [("b32", row * n)], n)


def add_pipeline(m):
    """Warp 0 fills two buffers in turn for warp 1: arrive and sync, on barriers
    whose numbers are in registers."""
    m.kernel(
        "pipeline",
        [],
        [("o", 4)],
        """  .shared .align 8 .b8 slots[256];
  mov.u32 %r1, 0;
  mov.u32 %r2, 0;
  mov.u32 %r3, slots;
  shl.b32 %r4, %lid, 2;
  add.u32 %r3, %r3, %r4;
  setp.lt.u32 %p1, %me, 32;
LOOP:
  and.b32 %r5, %r1, 1;
  shl.b32 %r6, %r5, 7;
  add.u32 %r6, %r6, %r3;
  add.u32 %r7, %r5, 1;
  add.u32 %r8, %r5, 3;
  @!%p1 bra CONSUME;
  setp.lt.u32 %p2, %r1, 2;
  @%p2 bra FREE;
  bar.sync %r8, 64;
FREE:
  mad.lo.u32 %r9, %r1, 100, %lid;
  st.shared.u32 [%r6], %r9;
  bar.arrive %r7, 64;
  bra NEXT;
CONSUME:
  bar.sync %r7, 64;
  xor.b32 %r10, %r6, 4;
  ld.shared.u32 %r9, [%r10];
  mad.lo.u32 %r2, %r2, 3, %r9;
  bar.arrive %r8, 64;
NEXT:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p3, %r1, 6;
  @%p3 bra LOOP;
  // The last two arrivals find nobody who waits for them.
  @!%p1 bra STORE;
  bar.sync 3, 64;
  bar.sync 4, 64;
STORE:
  st.global.u32 [%o], %r2;
""",
    )
    out = [0] * 32
    for lane in range(32):
        v = 0
        for i in range(6):
            v = (v * 3 + i * 100 + (lane ^ 1)) & MASK32
        out.append(v)
    m.launch("pipeline", [], [("b32", out)], 64)


def add_halves(m):
    """Even and odd threads of a warp come to a barrier at different
    instructions, and some do not wait; each pair of warps has a barrier."""
    n = 128
    m.kernel(
        "halves",
        [],
        [("o", 8)],
        """  .shared .align 4 .b8 words[512];
  mov.u32 %r1, words;
  mad.lo.u32 %r2, %me, 4, %r1;
  mul.lo.u32 %r3, %me, %me;
  st.shared.u32 [%r2], %r3;
  and.b32 %r4, %me, 1;
  setp.eq.u32 %p1, %r4, 1;
  xor.b32 %r5, %me, 32;
  mad.lo.u32 %r5, %r5, 4, %r1;
  setp.lt.u32 %p2, %me, 50;
  shr.u32 %r8, %me, 6;
  add.u32 %r8, %r8, 3;
  @%p1 bra ODD;
  barrier.cta.sync %r8, 64;
  ld.shared.u32 %r6, [%r5];
  barrier.red.popc.u32 %r7, %r8, 64, %p2;
  bra DONE;
ODD:
  barrier.sync %r8, 64;
  ld.shared.u32 %r6, [%r5];
  barrier.cta.red.popc.u32 %r7, %r8, 64, %p2;
DONE:
  st.global.v2.u32 [%o], {%r6, %r7};
""",
    )
    out = []
    for t in range(n):
        out += [(t ^ 32) ** 2, 50 if t < 64 else 0]
    m.launch("halves", [], [("b32", out)], n)


def add_predicated(m):
    """A guarded barrier, and barriers that exited threads do not come to."""
    n = 96
    m.kernel(
        "guarded",
        [],
        [("o", 4)],
        """  .shared .align 4 .b8 words[384];
  mov.u32 %r1, words;
  mad.lo.u32 %r2, %me, 4, %r1;
  st.shared.u32 [%r2], %me;
  setp.ge.u32 %p1, %me, 32;
  @%p1 barrier.cta.sync 5, 64;
  @!%p1 bar.sync 6, 32;
  setp.gt.u32 %p2, %me, 70;
  @%p2 exit;
  bar.sync 0;
  sub.u32 %r3, 70, %me;
  mad.lo.u32 %r3, %r3, 4, %r1;
  ld.shared.u32 %r4, [%r3];
  st.global.u32 [%o], %r4;
""",
    )
    m.launch("guarded", [], [("b32", [70 - t for t in range(71)] + [0] * 25)], n)


def add_pairs(m):
    """Two pairs of warps use one barrier in turn. Half of the third warp is
    there while the first pair passes, and must wait for the second pair."""
    m.kernel(
        "pairs",
        [],
        [("o", 4)],
        """  .shared .align 4 .b8 ready[4];
  .shared .align 4 .b8 passed[4];
  .shared .align 4 .b8 data[4];
  setp.ne.u32 %p1, %me, 0;
  @%p1 bra START;
  st.shared.u32 [ready], 0;
  st.shared.u32 [passed], 0;
  st.shared.u32 [data], 0;
START:
  bar.sync 0;
  shr.u32 %r1, %me, 5;
  setp.eq.u32 %p2, %r1, 2;
  @%p2 bra THIRD;
  setp.eq.u32 %p2, %r1, 3;
  @%p2 bra FOURTH;
WAIT1:
  ld.acquire.cta.shared.u32 %r2, [ready];
  setp.eq.u32 %p3, %r2, 0;
  @%p3 bra WAIT1;
  nanosleep.u32 1000;
  barrier.sync 1, 64;
  st.release.cta.shared.u32 [passed], 1;
  mov.u32 %r3, 1;
  bra DONE;
THIRD:
  setp.gt.u32 %p4, %lid, 15;
  @%p4 bra WAIT2;
  st.release.cta.shared.u32 [ready], 1;
  barrier.sync 1, 64;
  ld.volatile.shared.u32 %r3, [data];
  bra DONE;
WAIT2:
  ld.acquire.cta.shared.u32 %r2, [passed];
  setp.eq.u32 %p3, %r2, 0;
  @%p3 bra WAIT2;
  barrier.sync 1, 64;
  ld.volatile.shared.u32 %r3, [data];
  bra DONE;
FOURTH:
  ld.acquire.cta.shared.u32 %r2, [passed];
  setp.eq.u32 %p3, %r2, 0;
  @%p3 bra FOURTH;
  nanosleep.u32 1000;
  st.volatile.shared.u32 [data], 77;
  barrier.sync 1, 64;
  mov.u32 %r3, 3;
DONE:
  st.global.u32 [%o], %r3;
""",
    )
    m.launch("pairs", [], [("b32", [1] * 64 + [77] * 32 + [3] * 32)], 128)


def add_warp_sync(m):
    """bar.warp.sync from two places, which order shared memory."""
    m.kernel(
        "warpsync",
        [],
        [("o", 4)],
        """  .shared .align 4 .b8 words[128];
  mov.u32 %r1, words;
  mad.lo.u32 %r2, %me, 4, %r1;
  xor.b32 %r3, %me, 31;
  mad.lo.u32 %r3, %r3, 4, %r1;
  setp.lt.u32 %p1, %me, 16;
  @%p1 bra LOW;
  add.u32 %r4, %me, 1000;
  st.shared.u32 [%r2], %r4;
  bar.warp.sync 0xffffffff;
  ld.shared.u32 %r5, [%r3];
  bra DONE;
LOW:
  add.u32 %r4, %me, 2000;
  st.shared.u32 [%r2], %r4;
  bar.warp.sync 0xffffffff;
  ld.shared.u32 %r5, [%r3];
DONE:
  st.global.u32 [%o], %r5;
""",
    )
    out = [(31 - t) + (1000 if 31 - t >= 16 else 2000) for t in range(32)]
    m.launch("warpsync", [], [("b32", out)], 32)


def main(folder):
    m = Module()
    add_reductions(m)
    add_pipeline(m)
    add_halves(m)
    add_predicated(m)
    add_pairs(m)
    add_warp_sync(m)
    m.write(folder, "barriers")


main(sys.argv[1])
