"""Random control-flow graphs, irreducible ones too, against an interpreter that
runs one thread after the other.

A program is a chain of regions. In a region every thread walks a random graph
on its own: blocks compute on x and mix their number into h, branch on x, call
functions that are such graphs too, take a lock, or end the thread. Between
regions all threads that are left meet, and what they exchange depends on each
of them. The walk of a thread is finite, since it pays for each block.

usage: random-flow.py FOLDER FIRST-SEED COUNT"""

import random
import sys

from ptxtest import MASK32, Module

THREADS = 80
FUEL = 40

# Each thread reports how often the lock has been taken when it ends.
COUNT = """  ld.volatile.shared.u32 %r11, [lock+4];
  red.global.max.u32 [%ns], %r11;
"""


class Block:
    """x = x * a + b, h = h * 31 + number; then what `what` says; then on."""

    def __init__(self, rng, number, blocks, functions, locks):
        self.number = rng.getrandbits(16)
        self.a = rng.getrandbits(31) | 1
        self.b = rng.getrandbits(32)
        kinds = ["none"] * 6 + ["lock"] * (2 * locks) + ["call"] * (3 * functions)
        self.what = rng.choice(kinds)
        self.callee = rng.randrange(functions) if functions else 0
        self.indirect = rng.random() < 0.4
        kind = rng.random()
        # Mostly near, so that loops nest; sometimes anywhere.
        near = lambda: (
            rng.randrange(blocks + 1)
            if rng.random() < 0.35
            else max(0, min(blocks, number + rng.choice([-2, -1, 1, 1, 2])))
        )
        self.shift = rng.randrange(3, 29)
        if kind < 0.2:
            self.targets = [near()]
        elif kind < 0.8:
            self.targets = [near(), near()]
        else:
            self.targets = [near() for _ in range(rng.choice([3, 4, 4]))]
        self.leaves = rng.random() < 0.05

    def next(self, x):
        return self.targets[(x >> self.shift) % len(self.targets)]


class Graph:
    def __init__(self, rng, functions, locks):
        n = rng.randrange(2, 10)
        self.blocks = [Block(rng, i, n, functions, locks) for i in range(n)]


class Program:
    def __init__(self, seed):
        rng = random.Random(seed)
        self.locks = rng.random() < 0.5
        self.functions = []
        for i in range(rng.randrange(3)):
            self.functions.append(Graph(rng, i, self.locks))
        self.regions = [
            Graph(rng, len(self.functions), self.locks)
            for _ in range(rng.randrange(1, 4))
        ]
        self.meetings = [
            rng.choice(["ballot", "redux", "popc", "match", "shared"])
            for _ in self.regions
        ]
        self.rounds = rng.randrange(1, 4)

    # The interpreter.

    def walk(self, graph, t):
        at = 0
        while at < len(graph.blocks):
            b = graph.blocks[at]
            if t["fuel"] == 0:
                return True
            t["fuel"] -= 1
            t["x"] = (t["x"] * b.a + b.b) & MASK32
            t["h"] = (t["h"] * 31 + b.number) & MASK32
            if b.what == "lock":
                self.locked += 1
            elif b.what == "call":
                if not self.walk(self.functions[b.callee], t):
                    return False
            if b.leaves and (t["x"] >> b.shift) % 4 == 0:
                return False
            at = b.next(t["x"])
        return True

    def meet(self, kind, threads):
        live = [t for t in threads if t["live"]]
        words = {t["id"]: t["x"] for t in live}
        for t in live:
            warp = [o for o in live if o["id"] // 32 == t["id"] // 32]
            if kind == "ballot":
                v = sum(1 << (o["id"] % 32) for o in warp if words[o["id"]] >> 7 & 1)
            elif kind == "redux":
                v = 0
                for o in warp:
                    v ^= words[o["id"]]
            elif kind == "popc":
                v = sum(words[o["id"]] >> 9 & 1 for o in live)
            elif kind == "match":
                mine = words[t["id"]] >> 20 & 3
                v = sum(
                    1 << (o["id"] % 32) for o in warp if words[o["id"]] >> 20 & 3 == mine
                )
            else:
                v = words.get((t["id"] + 33) % THREADS, 0)
            t["x"] ^= v
            t["h"] = (t["h"] * 33 + v) & MASK32

    def run(self):
        self.locked = 0
        threads = []
        for i in range(THREADS):
            x = (i * 0x9E3779B9 + 12345) & MASK32
            threads.append({"id": i, "x": x, "h": i, "fuel": 0, "live": True})
        for _ in range(self.rounds):
            for region, kind in zip(self.regions, self.meetings):
                for t in threads:
                    if t["live"]:
                        t["fuel"] = FUEL
                        t["live"] = self.walk(region, t)
                self.meet(kind, threads)
        out = []
        for t in threads:
            out += [t["x"], t["h"]]
        return out

    # The PTX. x, h and fuel are %r1, %r2, %r3 in kernel and functions.

    def graph_text(self, graph, prefix, leave, out):
        lines = []
        n = len(graph.blocks)
        label = lambda i: "%s%d" % (prefix, i) if i < n else out
        for i, b in enumerate(graph.blocks):
            lines += [
                "%s:" % label(i),
                "  setp.eq.u32 %p1, %r3, 0;",
                "  @%%p1 bra %s;" % out,
                "  sub.u32 %r3, %r3, 1;",
                "  mad.lo.u32 %%r1, %%r1, %d, %d;" % (b.a, b.b),
                "  mad.lo.u32 %%r2, %%r2, 31, %d;" % b.number,
            ]
            if b.what == "lock":
                lines += [
                    "%sL%d:" % (prefix, i),
                    "  atom.acquire.cta.shared.cas.b32 %r10, [lock], 0, 1;",
                    "  setp.ne.u32 %p2, %r10, 0;",
                    "  @%%p2 bra %sL%d;" % (prefix, i),
                    "  ld.volatile.shared.u32 %r11, [lock+4];",
                    "  add.u32 %r11, %r11, 1;",
                    "  st.volatile.shared.u32 [lock+4], %r11;",
                    "  atom.release.cta.shared.exch.b32 %r10, [lock], 0;",
                ]
            elif b.what == "call":
                lines += self.call_text(b, "%sC%d" % (prefix, i))
            if b.leaves:
                lines += [
                    "  shr.u32 %%r10, %%r1, %d;" % b.shift,
                    "  and.b32 %r10, %r10, 3;",
                    "  setp.eq.u32 %p2, %r10, 0;",
                    "  @%%p2 bra %s;" % leave,
                ]
            lines += self.branch_text(b, i, prefix, label)
        return lines

    def call_text(self, b, label):
        name = "f%d" % b.callee
        lines = ["  {", "  .param .align 4 .b8 in[12];", "  .param .align 4 .b8 out[12];"]
        lines += ["  st.param.b32 [in+%d], %%r%d;" % (4 * k, k + 1) for k in range(3)]
        if b.indirect:
            lines += [
                "  mov.u64 %%d20, %s;" % name,
                "  %s: .callprototype (.param .align 4 .b8 _[12]) _"
                " (.param .align 4 .b8 _[12], .param .b64 _, .param .b64 _);" % label,
                "  call (out), %%d20, (in, %%o, %%ns), %s;" % label,
            ]
        else:
            lines += ["  call (out), %s, (in, %%o, %%ns);" % name]
        lines += ["  ld.param.b32 %%r%d, [out+%d];" % (k + 1, 4 * k) for k in range(3)]
        return lines + ["  }"]

    def branch_text(self, b, i, prefix, label):
        count = len(b.targets)
        if count == 1:
            return ["  bra %s;" % label(b.targets[0])]
        lines = ["  shr.u32 %%r10, %%r1, %d;" % b.shift]
        lines.append("  rem.u32 %%r10, %%r10, %d;" % count)
        if count == 2:
            return lines + [
                "  setp.eq.u32 %p2, %r10, 1;",
                "  @%%p2 bra %s;" % label(b.targets[1]),
                "  bra %s;" % label(b.targets[0]),
            ]
        return lines + [
            "  %sT%d: .branchtargets %s;"
            % (prefix, i, ", ".join(label(t) for t in b.targets)),
            "  brx.idx %%r10, %sT%d;" % (prefix, i),
        ]

    def function_text(self, i):
        lines = [
            ".func (.param .align 4 .b8 r[12]) f%d(.param .align 4 .b8 s[12],"
            " .param .b64 po, .param .b64 pns)" % i,
            "{",
            "  .reg .pred %p<4>;",
            "  .reg .b32 %r<16>;",
            "  .reg .b64 %o, %ns, %d<24>;",
            "  ld.param.b64 %o, [po];",
            "  ld.param.b64 %ns, [pns];",
        ]
        lines += ["  ld.param.b32 %%r%d, [s+%d];" % (k + 1, 4 * k) for k in range(3)]
        lines += self.graph_text(self.functions[i], "B", "LEAVE", "OUT")
        lines += ["OUT:"]
        lines += ["  st.param.b32 [r+%d], %%r%d;" % (4 * k, k + 1) for k in range(3)]
        lines += ["  ret;", "LEAVE:", "  st.global.v2.u32 [%o], {%r1, %r2};"]
        lines += [COUNT + "  exit;", "}"]
        return "\n".join(lines)

    def meeting_text(self, kind, prefix):
        text = {
            "ballot": """  shr.u32 %r12, %r1, 7;
  and.b32 %r12, %r12, 1;
  setp.eq.u32 %p2, %r12, 1;
  vote.sync.ballot.b32 %r12, %p2, -1;
""",
            "redux": "  redux.sync.xor.b32 %r12, %r1, -1;\n",
            "popc": """  shr.u32 %r12, %r1, 9;
  and.b32 %r12, %r12, 1;
  setp.eq.u32 %p2, %r12, 1;
  barrier.red.popc.u32 %r12, 1, %p2;
""",
            "match": """  shr.u32 %r12, %r1, 20;
  and.b32 %r12, %r12, 3;
  match.sync.any.b32 %r12, %r12, -1;
""",
            "shared": """  mov.u32 %r13, board;
  mad.lo.u32 %r14, %me, 4, %r13;
  st.shared.u32 [%r14], %r1;
  barrier.sync 0;
  add.u32 %r15, %me, 33;
  rem.u32 %r15, %r15, THREADS;
  mad.lo.u32 %r15, %r15, 4, %r13;
  ld.shared.u32 %r12, [%r15];
  barrier.sync 0;
  st.shared.u32 [%r14], 0;
""".replace("THREADS", str(THREADS)),
        }[kind]
        return text + "  xor.b32 %r1, %r1, %r12;\n  mad.lo.u32 %r2, %r2, 33, %r12;\n"

    def write(self, folder, name):
        m = Module()
        m.add(".shared .align 4 .b8 lock[8];\n.shared .align 4 .b8 board[%d];\n" % (4 * THREADS))
        for i in range(len(self.functions)):
            m.add(self.function_text(i))
        body = """  mov.u32 %r1, 0x9E3779B9;
  mad.lo.u32 %r1, %me, %r1, 12345;
  mov.u32 %r2, %me;
  setp.eq.u32 %p3, %me, 0;
  @%p3 st.shared.u32 [lock], 0;
  @%p3 st.shared.u32 [lock+4], 0;
  mov.u32 %r13, board;
  mad.lo.u32 %r14, %me, 4, %r13;
  st.shared.u32 [%r14], 0;
  bar.sync 0;
  mov.u32 %r20, 0;
ROUND:
"""
        for i, (region, kind) in enumerate(zip(self.regions, self.meetings)):
            body += "  mov.u32 %%r3, %d;\n" % FUEL
            body += "\n".join(self.graph_text(region, "R%dB" % i, "END", "MEET%d" % i))
            body += "\nMEET%d:\n" % i + self.meeting_text(kind, "M%d" % i)
        body += """  add.u32 %%r20, %%r20, 1;
  setp.lt.u32 %%p3, %%r20, %d;
  @%%p3 bra ROUND;
END:
  st.global.v2.u32 [%%o], {%%r1, %%r2};
""" % self.rounds
        m.kernel("walk", [], [("o", 8), ("n", 4)], body + COUNT)
        expected = self.run()
        counts = [self.locked] + [0] * (THREADS - 1)
        m.launch("walk", [], [("b32", expected), ("b32", counts)], THREADS)
        m.write(folder, name)


def main(folder, first, count):
    for seed in range(first, first + count):
        Program(seed).write(folder, "flow-%d" % seed)


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
