"""Clusters: special registers, the barrier, and the shared memory of other
CTAs. Usage: clusters.py FOLDER"""

import itertools
import sys

from ptxtest import MASK32, Module

REGISTERS = [
    "%clusterid.x", "%clusterid.y", "%clusterid.z",
    "%nclusterid.x", "%nclusterid.y", "%nclusterid.z",
    "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z",
    "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z",
    "%cluster_ctarank", "%cluster_nctarank",
    "%clusterid.w", "%cluster_nctaid.w",
]  # fmt: skip


def ctas(grid):
    """All CTAs in linear order."""
    return [(x, y, z) for z, y, x in itertools.product(*map(range, reversed(grid)))]


def place(cta, cluster):
    inside = [c % s for c, s in zip(cta, cluster)]
    rank = inside[0] + cluster[0] * (inside[1] + cluster[1] * inside[2])
    return [c // s for c, s in zip(cta, cluster)], inside, rank


# The element of a buffer for the CTA: its number in the grid.
LINEAR = """  mov.u32 %r40, %ctaid.z;
  mov.u32 %r41, %nctaid.y;
  mov.u32 %r42, %ctaid.y;
  mad.lo.u32 %r40, %r40, %r41, %r42;
  mov.u32 %r41, %nctaid.x;
  mov.u32 %r42, %ctaid.x;
  mad.lo.u32 %r40, %r40, %r41, %r42;
"""


def add_registers(m):
    body = LINEAR + "  mad.wide.u32 %%d1, %%r40, %d, %%os;\n" % (4 * len(REGISTERS) + 4)
    for i, name in enumerate(REGISTERS):
        body += "  mov.u32 %%r1, %s;\n  st.global.u32 [%%d1+%d], %%r1;\n" % (name, 4 * i)
    body += "  mov.pred %p1, %is_explicit_cluster;\n  selp.u32 %r1, 1, 0, %p1;\n"
    body += "  st.global.u32 [%%d1+%d], %%r1;\n" % (4 * len(REGISTERS))
    m.kernel("registers", [], [("o", 4)], body)
    m.kernel("required", [], [("o", 4)], body, ".explicitcluster .reqnctapercluster 2, 3, 1")
    for name, grid, cluster, given in (
        ("registers", [4, 2, 2], [2, 1, 2], [2, 1, 2]),
        ("registers", [6, 3, 1], [3, 3, 1], [3, 3, 1]),
        ("registers", [2, 2, 2], [1, 1, 1], None),
        ("required", [4, 3, 2], [2, 3, 1], None),
        ("required", [2, 3, 1], [2, 3, 1], [2, 3, 1]),
    ):
        out = []
        for cta in ctas(grid):
            which, inside, rank = place(cta, cluster)
            out += which + [g // c for g, c in zip(grid, cluster)] + inside + cluster
            out += [rank, cluster[0] * cluster[1] * cluster[2], 0, 0]
            out.append(int(given is not None or name == "required"))
        more = {"cluster": given} if given else {}
        m.launch(name, [], [("b32", out)], 1, grid, **more)


def add_exchange(m, aligned):
    """Each thread reads the word of the next CTA's thread in four ways, and
    writes one into the CTA before."""
    name = "exchange_" + ("aligned" if aligned else "plain")
    dot = ".aligned" if aligned else ""
    m.kernel(
        name,
        [],
        [("o", 32)],
        LINEAR
        + """  .shared .align 16 .b8 mine[1024];
  .shared .align 16 .b8 inbox[256];
  .shared .align 4 .b8 counter[4];
  mad.lo.u32 %%r1, %%r40, 1000, %%me;
  mov.u32 %%r2, mine;
  mad.lo.u32 %%r2, %%me, 16, %%r2;
  add.u32 %%r3, %%r1, 1;
  st.shared.v2.u32 [%%r2], {%%r1, %%r3};
  st.shared::cta.u32 [%%r2+8], %%r3;
  mov.u32 %%r4, counter;
  setp.eq.u32 %%p1, %%me, 0;
  mov.u32 %%r5, 0;
  @%%p1 st.shared.u32 [%%r4], %%r5;
  barrier.cluster.arrive.release%(dot)s;
  mov.u32 %%r6, %%cluster_ctarank;
  mov.u32 %%r7, %%cluster_nctarank;
  add.u32 %%r8, %%r6, 1;
  rem.u32 %%r8, %%r8, %%r7;
  barrier.cluster.wait.acquire%(dot)s;
  // By a 32-bit address.
  mapa.shared::cluster.u32 %%r9, %%r2, %%r8;
  ld.shared::cluster.u32 %%r10, [%%r9];
  ld.shared::cluster.v2.u32 {%%r11, %%r12}, [%%r9];
  // By generic addresses.
  cvt.u64.u32 %%d1, %%r2;
  cvta.shared.u64 %%d2, %%d1;
  mapa.u64 %%d3, %%d2, %%r8;
  ld.u32 %%r13, [%%d3+8];
  cvta.to.shared::cluster.u64 %%d4, %%d3;
  getctarank.shared::cluster.u64 %%r14, %%d4;
  getctarank.u64 %%r15, %%d2;
  isspacep.shared::cta %%p2, %%d3;
  isspacep.shared::cluster %%p3, %%d3;
  isspacep.shared %%p4, %%d2;
  isspacep.global %%p5, %%d3;
  mapa.u64 %%d5, %%d2, %%r6;
  isspacep.shared::cta %%p6, %%d5;
  selp.u32 %%r16, 1, 0, %%p2;
  selp.u32 %%r17, 2, 0, %%p3;
  selp.u32 %%r18, 4, 0, %%p4;
  selp.u32 %%r19, 8, 0, %%p5;
  selp.u32 %%r20, 16, 0, %%p6;
  or.b32 %%r16, %%r16, %%r17;
  or.b32 %%r18, %%r18, %%r19;
  or.b32 %%r16, %%r16, %%r18;
  or.b32 %%r16, %%r16, %%r20;
  // Stores and atomics to others.
  add.u32 %%r21, %%r6, %%r7;
  sub.u32 %%r21, %%r21, 1;
  rem.u32 %%r21, %%r21, %%r7;
  mapa.shared::cluster.u32 %%r22, inbox, %%r21;
  mad.lo.u32 %%r22, %%me, 4, %%r22;
  st.shared::cluster.u32 [%%r22], %%r1;
  mov.u32 %%r23, 0;
  mapa.shared::cluster.u32 %%r24, %%r4, %%r23;
  atom.shared::cluster.add.u32 %%r25, [%%r24], 3;
  red.relaxed.cluster.shared::cluster.add.u32 [%%r24], 1;
  barrier.cluster.arrive%(dot)s;
  barrier.cluster.wait%(dot)s;
  mov.u32 %%r26, inbox;
  mad.lo.u32 %%r26, %%me, 4, %%r26;
  ld.shared.u32 %%r27, [%%r26];
  ld.shared::cluster.u32 %%r28, [%%r24];
  xor.b32 %%r12, %%r12, %%r11;
  mul.wide.u32 %%d6, %%r40, 2048;
  mad.wide.u32 %%d6, %%me, 32, %%d6;
  add.u64 %%d6, %%os, %%d6;
  st.global.v4.u32 [%%d6], {%%r10, %%r12, %%r13, %%r14};
  st.global.v4.u32 [%%d6+16], {%%r15, %%r16, %%r27, %%r28};
  // Nobody leaves while another reads its memory.
  barrier.cluster.arrive.relaxed%(dot)s;
  barrier.cluster.wait%(dot)s;
""" % {"dot": dot},
    )
    threads = 64
    for grid, cluster in (([4, 1, 1], [2, 1, 1]), ([2, 4, 2], [2, 2, 2]), ([3, 1, 1], [1, 1, 1]), ([16, 1, 1], [16, 1, 1])):
        numbers = {cta: i for i, cta in enumerate(ctas(grid))}
        members = {}
        for cta in numbers:
            which, _, rank = place(cta, cluster)
            members[tuple(which), rank] = numbers[cta]
        count = cluster[0] * cluster[1] * cluster[2]
        out = []
        for cta in ctas(grid):
            which, _, rank = place(cta, cluster)
            after = members[tuple(which), (rank + 1) % count] * 1000
            for t in range(threads):
                v = after + t
                own = count == 1
                out += [v, (v + 1) ^ v, v + 1, (rank + 1) % count]
                out += [rank, (1 if own else 0) | 2 | 4 | 16, v, count * threads * 4]
        m.launch(name, [], [("b32", out)], threads, grid, cluster=cluster)


def add_flags(m):
    """A chain through the CTAs of a cluster, by flags in shared memory: each
    waits in a loop for the one before."""
    m.kernel(
        "chain",
        [],
        [("o", 4)],
        LINEAR
        + """  .shared .align 4 .b8 flag[4];
  mov.u32 %r1, flag;
  setp.ne.u32 %p1, %me, 0;
  @%p1 bra READY;
  st.shared.u32 [%r1], 0;
READY:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %r2, %cluster_ctarank;
  mov.u32 %r3, %cluster_nctarank;
  mov.u32 %r4, 1;
  @%p1 bra END;
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra PASS;
WAIT:
  ld.acquire.cluster.shared::cta.u32 %r4, [%r1];
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra WAIT;
PASS:
  mad.wide.u32 %d1, %r40, 4, %os;
  st.global.u32 [%d1], %r4;
  mad.lo.u32 %r5, %r4, 3, %r2;
  add.u32 %r6, %r2, 1;
  setp.eq.u32 %p4, %r6, %r3;
  @%p4 bra END;
  mapa.shared::cluster.u32 %r7, %r1, %r6;
  st.release.cluster.shared::cluster.u32 [%r7], %r5;
END:
  barrier.cluster.arrive.relaxed;
  barrier.cluster.wait;
""",
    )
    grid, cluster = [16, 1, 1], [8, 1, 1]
    out = []
    for _ in range(2):
        v = 1
        for rank in range(8):
            out.append(v)
            v = (v * 3 + rank) & MASK32
    m.launch("chain", [], [("b32", out)], 40, grid, cluster=cluster)


def main(folder):
    m = Module()
    add_registers(m)
    add_exchange(m, False)
    add_exchange(m, True)
    add_flags(m)
    m.write(folder, "clusters")


main(sys.argv[1])
