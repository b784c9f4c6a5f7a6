"""Grids whose CTAs cancel others that have not begun and do their work. Each
tile must be worked on once, whoever does it. Usage: work-stealing.py FOLDER"""

import sys

from ptxtest import Module

GRID = [8, 6, 10]
TILES = 480
THREADS = 32

# The tile of the CTA at %r10, %r11, %r12 is %r13.
TILE = """  mov.u32 %r14, %nctaid.x;
  mov.u32 %r15, %nctaid.y;
  mad.lo.u32 %r13, %r12, %r15, %r11;
  mad.lo.u32 %r13, %r13, %r14, %r10;
"""
# Adds to each of the tile's elements, so that work done twice shows.
WORK = TILE + """  mad.lo.u32 %r16, %r13, 32, %me;
  mad.wide.u32 %d10, %r16, 4, %os;
  add.u32 %r17, %r16, 1;
  red.global.add.u32 [%d10], %r17;
"""
# counts[0] is how many tiles somebody had, counts[1] whether one was cancelled.
BEGIN = """  mov.u32 %r0, tile;
  mov.u32 %r1, bar;
  setp.eq.u32 %p0, %me, 0;
  @%p0 mbarrier.init.shared::cta.b64 [%r1], 1;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %r10, %ctaid.x;
  mov.u32 %r11, %ctaid.y;
  mov.u32 %r12, %ctaid.z;
  mov.u32 %r5, 0;
  mov.u32 %r6, %cluster_ctarank;
  mov.u32 %r7, 1;
L:
  @%p0 red.global.add.u32 [%cs], 1;
"""
REQUEST = """  @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;
  setp.eq.and.u32 %p1, %r6, 0, %p0;
"""
ALONE = "  @%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r0], [%r1];\n"
PAIR = ALONE.replace("bytes.b128", "bytes.multicast::cluster::all.b128")
RESPONSE = """W:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], %r5;
  @!%p2 bra W;
  xor.b32 %r5, %r5, 1;
  .reg .b128 %w;
  ld.shared.b128 %w, [%r0];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %w;
  @!%p3 bra E;
  st.relaxed.gpu.global.u32 [%cs+4], %r7;
"""
AGAIN = """  fence.proxy.async.shared::cta;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  bra L;
E:
"""


def main():
    m = Module("sm_100a", "8.7")
    m.add(""".shared .align 16 .b8 tile[40000];
.shared .align 8 .b64 bar;
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[11] = {116, 105, 108, 101, 32, 100, 111, 110, 101, 10, 0};
""")
    all_once = [("u32", [n + 1 for n in range(TILES * THREADS)]), ("u32", [TILES, 1])]
    outputs = [("o", 0), ("c", 0)]
    # Each CTA goes on for as long as there is something to take.
    m.kernel("alone", [], outputs, BEGIN + REQUEST + ALONE + WORK + RESPONSE +
             "  clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r10, %r11, %r12, _}, %w;\n" + AGAIN)
    m.launch("alone", [], all_once, THREADS, grid=GRID)
    # Pairs of CTAs take pairs: both get the response that the first asks for.
    m.kernel("pairs", [], outputs, BEGIN + REQUEST + PAIR + WORK + RESPONSE +
             "".join("  clusterlaunchcontrol.query_cancel.get_first_ctaid::%s.b32.b128 %%r%d, %%w;\n" % (x, 10 + i)
                     for i, x in enumerate("xyz")) + "  add.u32 %r10, %r10, %r6;\n" + AGAIN,
             ".explicitcluster .reqnctapercluster 2, 1, 1")
    m.launch("pairs", [], all_once, THREADS, grid=GRID)
    # Each CTA takes one tile at most and prints a line for each that it does.
    say = """  .reg .b64 %fmt, %none;
  mov.u64 %fmt, text;
  cvta.global.u64 %fmt, %fmt;
  mov.u64 %none, 0;
  @!%p0 bra S;
  .param .b64 q0; .param .b64 q1; .param .b32 q2;
  st.param.b64 [q0], %fmt;
  st.param.b64 [q1], %none;
  call.uni (q2), vprintf, (q0, q1);
S:
"""
    m.kernel("once", [], outputs, BEGIN + "  setp.ne.u32 %p4, %r7, 1;\n" + say + WORK + "  @%p4 bra E;\n" + REQUEST +
             ALONE + RESPONSE + "  mov.u32 %r7, 2;\n" +
             "  clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r10, %r11, %r12, _}, %w;\n" + AGAIN)
    m.launch("once", [], all_once, THREADS, grid=GRID)
    m.write(sys.argv[1], "work")


main()
