"""Control flow: irreducible graphs, indexed branches, calls of all kinds, and
threads of a warp that wait for each other. Usage: control-flow.py FOLDER"""

import sys

from ptxtest import MASK32, Module


def add_irreducible(m):
    """A loop with two entries, and one whose body is entered in three places."""
    m.kernel(
        "irreducible",
        [],
        [("o", 4)],
        """  mov.u32 %r1, 0;
  and.b32 %r2, %me, 1;
  setp.eq.u32 %p1, %r2, 1;
  @%p1 bra SECOND;
FIRST:
  mad.lo.u32 %r1, %r1, 5, %me;
  setp.gt.u32 %p2, %r1, 4000;
  @%p2 bra END;
SECOND:
  mad.lo.u32 %r1, %r1, 3, 7;
  setp.gt.u32 %p2, %r1, 9000;
  @%p2 bra END;
  and.b32 %r3, %r1, 3;
  setp.eq.u32 %p3, %r3, 2;
  @%p3 bra SECOND;
  bra FIRST;
END:
  st.global.u32 [%o], %r1;
""",
    )
    out = []
    for t in range(64):
        v, at = 0, "B" if t & 1 else "A"
        while True:
            if at == "A":
                v = (v * 5 + t) & MASK32
                if v > 4000:
                    break
            v = (v * 3 + 7) & MASK32
            if v > 9000:
                break
            at = "B" if v & 3 == 2 else "A"
        out.append(v)
    m.launch("irreducible", [], [("b32", out)], 64)


def add_indexed(m):
    """brx.idx as a state machine, guarded, with a target that comes twice."""
    m.kernel(
        "states",
        [],
        [("o", 4)],
        """  mov.u32 %r1, %me;
  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
AGAIN:
  add.u32 %r3, %r3, 1;
  setp.gt.u32 %p1, %r3, 12;
  @%p1 bra END;
  rem.u32 %r4, %r1, 5;
  setp.ne.u32 %p2, %r4, 4;
  table: .branchtargets ONE, TWO, ONE, THREE;
  @%p2 brx.idx %r4, table;
  add.u32 %r1, %r1, 11;
  bra AGAIN;
THREE:
  shl.b32 %r2, %r2, 1;
TWO:
  mad.lo.u32 %r1, %r1, 3, 1;
  add.u32 %r2, %r2, 2;
  bra AGAIN;
ONE:
  shr.u32 %r1, %r1, 1;
  add.u32 %r1, %r1, 3;
  mad.lo.u32 %r2, %r2, 7, 1;
  bra AGAIN;
END:
  xor.b32 %r1, %r1, %r2;
  st.global.u32 [%o], %r1;
""",
    )
    out = []
    for t in range(96):
        a, b = t, 0
        for _ in range(12):
            s = a % 5
            if s == 4:
                a = (a + 11) & MASK32
            elif s in (0, 2):
                a = (a >> 1) + 3
                b = (b * 7 + 1) & MASK32
            else:
                if s == 3:
                    b = (b << 1) & MASK32
                a = (a * 3 + 1) & MASK32
                b = (b + 2) & MASK32
        out.append(a ^ b)
    m.launch("states", [], [("b32", out)], 96)


def add_table(m, cases, suffix=""):
    """brx.idx with many targets: the way through a table of branches, or one
    behind another where there are very many. Threads
    that go different ways, or all the same, with a round of all of them behind;
    some cases fall through, some are named twice, one is a loop's head."""
    turns = 37
    step = [(2 * k + 3, (k * 77) & 0xFF, k % 5 == 2) for k in range(cases)]
    labels = ["L%d" % (k if k % 6 else 0) for k in range(cases)]
    text = []
    for k in range(cases):
        factor, bits, falls = step[k]
        text.append("L%d: mad.lo.u32 %%r1, %%r1, %d, %d;\n" % (k, factor, bits))
        if not falls:
            text.append("  bra JOIN;\n")
    for name, index in (("apart", "%r2"), ("together", "%r3")):
        m.kernel(
            name + suffix,
            [],
            [("o", 4)],
            """  mov.u32 %%r1, %%me;
  mov.u32 %%r3, 0;
AGAIN:
  rem.u32 %%r2, %%r1, %d;
  targets: .branchtargets %s;
  brx.idx %s, targets;
%sJOIN:
  shfl.sync.bfly.b32 %%r4, %%r1, 1, 31, -1;
  add.u32 %%r1, %%r1, %%r4;
  add.u32 %%r3, %%r3, 1;
  setp.lt.u32 %%p1, %%r3, %d;
  @%%p1 bra AGAIN;
  st.global.u32 [%%o], %%r1;
"""
            % (cases, ", ".join(labels), index, "".join(text), turns),
        )
        values = list(range(64))
        for turn in range(turns):
            for t in range(64):
                v = values[t]
                at = v % cases if name == "apart" else turn
                at = at if at % 6 else 0
                while True:
                    factor, bits, falls = step[at]
                    v = (v * factor + bits) & MASK32
                    if not falls:
                        break
                    at += 1
                values[t] = v
            values = [(v + values[t ^ 1]) & MASK32 for t, v in enumerate(values)]
        m.launch(name + suffix, [], [("b32", values)], 64)


FUNCTIONS = """
.func (.param .b32 r) plus(.param .b32 a, .param .b32 b)
{
  .reg .b32 %x, %y;
  ld.param.b32 %x, [a];
  ld.param.b32 %y, [b];
  add.u32 %x, %x, %y;
  st.param.b32 [r], %x;
  ret;
}
.func (.param .b32 r) times(.param .b32 a, .param .b32 b)
{
  .reg .b32 %x, %y;
  ld.param.b32 %x, [a];
  ld.param.b32 %y, [b];
  mul.lo.u32 %x, %x, %y;
  st.param.b32 [r], %x;
  ret;
}
.func (.param .b32 r) minus(.param .b32 a, .param .b32 b)
{
  .reg .b32 %x, %y;
  .reg .pred %p;
  ld.param.b32 %x, [a];
  ld.param.b32 %y, [b];
  st.param.b32 [r], 77;
  setp.lt.u32 %p, %x, %y;
  @%p ret;
  sub.u32 %x, %x, %y;
  st.param.b32 [r], %x;
  ret;
}
.global .align 8 .u64 table[3] = {plus, times, minus};

// Ackermann's function, which calls itself in an argument.
.func (.param .b32 r) ackermann(.param .b32 m, .param .b32 n)
{
  .reg .b32 %m, %n, %v;
  .reg .pred %p;
  ld.param.b32 %m, [m];
  ld.param.b32 %n, [n];
  setp.ne.u32 %p, %m, 0;
  @%p bra DEEPER;
  add.u32 %v, %n, 1;
  st.param.b32 [r], %v;
  ret;
DEEPER:
  setp.ne.u32 %p, %n, 0;
  mov.u32 %v, 1;
  @!%p bra OUTER;
  {
    .param .b32 a;
    .param .b32 b;
    .param .b32 v;
    sub.u32 %v, %n, 1;
    st.param.b32 [a], %m;
    st.param.b32 [b], %v;
    call (v), ackermann, (a, b);
    ld.param.b32 %v, [v];
  }
OUTER:
  {
    .param .b32 a;
    .param .b32 b;
    .param .b32 v;
    sub.u32 %m, %m, 1;
    st.param.b32 [a], %m;
    st.param.b32 [b], %v;
    call (v), ackermann, (a, b);
    ld.param.b32 %v, [v];
  }
  st.param.b32 [r], %v;
  ret;
}

// Two functions that call each other: whether a number is even.
.func (.param .b32 r) odd(.param .b32 n);
.func (.param .b32 r) even(.param .b32 n)
{
  .reg .b32 %n;
  .reg .pred %p;
  .param .b32 a;
  .param .b32 v;
  ld.param.b32 %n, [n];
  st.param.b32 [r], 1;
  setp.eq.u32 %p, %n, 0;
  @%p ret;
  sub.u32 %n, %n, 1;
  st.param.b32 [a], %n;
  call (v), odd, (a);
  ld.param.b32 %n, [v];
  st.param.b32 [r], %n;
  ret;
}
.func (.param .b32 r) odd(.param .b32 n)
{
  .reg .b32 %n;
  .reg .pred %p;
  .param .b32 a;
  .param .b32 v;
  ld.param.b32 %n, [n];
  st.param.b32 [r], 0;
  setp.eq.u32 %p, %n, 0;
  @%p ret;
  sub.u32 %n, %n, 1;
  st.param.b32 [a], %n;
  call (v), even, (a);
  ld.param.b32 %n, [v];
  st.param.b32 [r], %n;
  ret;
}

// A variable number of arguments: N words, then a double word.
.func (.param .b64 r) total(.param .b32 count, .param .align 8 .b8 rest[])
{
  .reg .b32 %n, %v, %odd;
  .reg .b64 %sum, %at, %wide;
  .reg .pred %p;
  ld.param.b32 %n, [count];
  mov.u64 %sum, 0;
  setp.eq.u32 %p, %n, 0;
  @%p bra DONE;
  mov.b64 %at, rest;
LOOP:
  ld.param.b32 %v, [%at];
  cvt.u64.u32 %wide, %v;
  mad.lo.u64 %sum, %sum, 3, %wide;
  add.u64 %at, %at, 4;
  sub.u32 %n, %n, 1;
  setp.ne.u32 %p, %n, 0;
  @%p bra LOOP;
  add.u64 %at, %at, 7;
  and.b64 %at, %at, -8;
  ld.param.b64 %wide, [%at];
  add.u64 %sum, %sum, %wide;
DONE:
  st.param.b64 [r], %sum;
  ret;
}
// An array by value, which the callee changes.
.func (.param .align 8 .b8 r[24]) reverse(.param .align 8 .b8 a[24])
{
  .reg .b64 %x, %y, %z, %at;
  mov.b64 %at, a;
  ld.param.b64 %x, [a];
  ld.param.b64 %y, [a+8];
  ld.param.b64 %z, [%at+16];
  st.param.b64 [r], %z;
  st.param.b64 [r+8], %y;
  st.param.b64 [r+16], %x;
  ret;
}
.func (.reg .b32 %v) triple(.reg .b32 %a)
{
  mul.lo.u32 %v, %a, 3;
  ret;
}
.func finish(.param .b64 at, .param .b32 v)
{
  .reg .b64 %at;
  .reg .b32 %v;
  .reg .pred %p;
  ld.param.b64 %at, [at];
  ld.param.b32 %v, [v];
  st.global.u32 [%at], %v;
  setp.gt.u32 %p, %v, 20;
  @%p exit;
  add.u32 %v, %v, 500;
  st.global.u32 [%at], %v;
  ret;
}
"""


def add_calls(m):
    m.add(FUNCTIONS)
    call = """  {
    .param .b32 a;
    .param .b32 b;
    .param .b32 v;
    st.param.b32 [a], %%me;
    st.param.b32 [b], 5;
    %s
    %scall (v), %%d1, (a, b), %s;
    ld.param.b32 %%r1, [v];
  }
"""
    proto = "how: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);"
    targets = "which: .calltargets plus, times, minus;"
    head = """  mov.u32 %r1, 0;
  rem.u32 %r2, %me, 3;
  mad.wide.u32 %d2, %r2, 8, 0;
  mov.u64 %d3, table;
  add.u64 %d2, %d2, %d3;
  ld.global.u64 %d1, [%d2];
  setp.gt.u32 %p1, %me, 9;
"""
    end = "  st.global.u32 [%o], %r1;\n"
    m.kernel("indirect", [], [("o", 4)], head + call % (proto, "", "how") + end)
    m.kernel("listed", [], [("o", 4)], head + call % (targets, "", "which") + end)
    m.kernel(
        "symbols",
        [],
        [("o", 4)],
        """  mov.u64 %d4, plus;
  mov.u64 %d5, minus;
  and.b32 %r3, %me, 2;
  setp.ne.u32 %p2, %r3, 0;
  selp.b64 %d1, %d4, %d5, %p2;
"""
        + call % (proto, "", "how")
        + end,
    )
    f = [
        lambda a: a + 5,
        lambda a: a * 5,
        lambda a: 77 if a < 5 else a - 5,
    ]
    n = 64
    out = [f[t % 3](t) for t in range(n)]
    m.launch("indirect", [], [("b32", out)], n)
    m.launch("listed", [], [("b32", out)], n)
    m.launch("symbols", [], [("b32", [f[0 if t & 2 else 2](t) for t in range(n)])], n)
    # A guarded call, whose result is read only where it was made.
    m.kernel(
        "guarded_call",
        [],
        [("o", 4)],
        """  mov.u32 %r1, 9;
  setp.gt.u32 %p1, %me, 9;
  @%p1 call (%r1), triple, (%me);
  @!%p1 call finish, (%o, 1);
  st.global.u32 [%o], %r1;
""",
    )
    m.launch(
        "guarded_call",
        [],
        [("b32", [t * 3 if t > 9 else 9 for t in range(40)])],
        40,
    )


def ackermann(a, b):
    return [b + 1, b + 2, 2 * b + 3, 2 ** (b + 3) - 3][a]


def add_recursion(m):
    unary = """  {
    .param .b32 a;
    .param .b32 v;
    st.param.b32 [a], %%r2;
    call (v), %s, (a);
    ld.param.b32 %%r4, [v];
  }
"""
    m.kernel(
        "recursion",
        [],
        [("o", 8)],
        """  rem.u32 %r2, %me, 3;
  shr.u32 %r3, %me, 3;
  {
    .param .b32 a;
    .param .b32 b;
    .param .b32 v;
    st.param.b32 [a], %r2;
    st.param.b32 [b], %r3;
    call (v), ackermann, (a, b);
    ld.param.b32 %r1, [v];
  }
  mul.lo.u32 %r2, %me, 5;
"""
        + unary % "even"
        + "  st.global.v2.u32 [%o], {%r1, %r4};\n",
    )
    out = []
    for t in range(40):
        out += [ackermann(t % 3, t >> 3), int(t * 5 % 2 == 0)]
    m.launch("recursion", [], [("b32", out)], 40)


def add_variadic(m):
    m.kernel(
        "variadic",
        [],
        [("o", 24)],
        """  cvt.u64.u32 %d4, %me;
  {
    .param .b32 n;
    .param .align 8 .b8 rest[24];
    .param .b64 v;
    st.param.b32 [n], 3;
    st.param.b32 [rest], %me;
    st.param.b32 [rest+4], 20;
    st.param.b32 [rest+8], 300;
    st.param.b64 [rest+16], %d4;
    call (v), total, (n, rest);
    ld.param.b64 %d1, [v];
  }
  {
    .param .b32 n;
    .param .align 8 .b8 rest[16];
    .param .b64 v;
    st.param.b32 [n], 1;
    st.param.b32 [rest], 4;
    st.param.b64 [rest+8], 5;
    mov.u64 %d5, total;
    how: .callprototype (.param .b64 _) _ (.param .b32 _, .param .align 8 .b8 _[]);
    call (v), %d5, (n, rest), how;
    ld.param.b64 %d2, [v];
  }
  {
    .param .b32 n;
    .param .b64 v;
    st.param.b32 [n], 0;
    call (v), total, (n);
    ld.param.b64 %d3, [v];
  }
  st.global.u64 [%o], %d1;
  st.global.u64 [%o+8], %d2;
  st.global.u64 [%o+16], %d3;
""",
    )
    out = []
    for t in range(33):
        out += [(t * 3 + 20) * 3 + 300 + t, 9, 0]
    m.launch("variadic", [], [("b64", out)], 33)
    m.kernel(
        "arrays",
        [],
        [("o", 24)],
        """  .param .align 8 .b8 a[24];
  .param .align 8 .b8 v[24];
  cvt.u64.u32 %d1, %me;
  st.param.b64 [a], %d1;
  st.param.b64 [a+8], 8;
  st.param.b64 [a+16], 16;
  call (v), reverse, (a);
  ld.param.b64 %d2, [v];
  ld.param.b64 %d3, [v+8];
  ld.param.b64 %d4, [v+16];
  st.global.u64 [%o], %d2;
  st.global.u64 [%o+8], %d3;
  st.global.u64 [%o+16], %d4;
""",
    )
    m.launch("arrays", [], [("b64", [v for t in range(32) for v in (16, 8, t)])], 32)


def add_exits(m):
    """exit in a function ends the thread; the others come back."""
    m.kernel(
        "exits",
        [],
        [("o", 4), ("q", 4)],
        """  .param .b64 a;
  .param .b32 v;
  st.param.b64 [a], %o;
  st.param.b32 [v], %me;
  call finish, (a, v);
  activemask.b32 %r1;
  bar.warp.sync -1;
  barrier.sync 0;
  vote.sync.ballot.b32 %r1, 1, -1;
  st.global.u32 [%q], %r1;
""",
    )
    n = 48
    out = [t if t > 20 else t + 500 for t in range(n)]
    live = [(1 << 21) - 1 if t <= 20 else 0 for t in range(n)]
    m.launch("exits", [], [("b32", out), ("b32", live)], n)


def add_progress(m):
    """Lanes that wait for lanes of their warp, in both directions of a branch."""
    m.kernel(
        "lock",
        [],
        [("o", 4)],
        """  .shared .align 4 .b8 lock[4];
  .shared .align 4 .b8 value[4];
  setp.eq.u32 %p1, %me, 0;
  @%p1 st.shared.u32 [lock], 0;
  @%p1 st.shared.u32 [value], 0;
  bar.sync 0;
TRY:
  atom.acquire.cta.shared.cas.b32 %r1, [lock], 0, 1;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra TRY;
  ld.volatile.shared.u32 %r2, [value];
  add.u32 %r2, %r2, 3;
  st.volatile.shared.u32 [value], %r2;
  atom.release.cta.shared.exch.b32 %r1, [lock], 0;
  bar.sync 0;
  ld.shared.u32 %r3, [value];
  st.global.u32 [%o], %r3;
""",
    )
    m.launch("lock", [], [("b32", [288] * 96)], 96)
    for name, near, order in (("ascend", "sub", 0), ("descend", "add", 1)):
        m.kernel(
            name,
            [],
            [("o", 4)],
            """  .shared .align 4 .b8 flags[136];
  mov.u32 %%r1, flags;
  add.u32 %%r2, %%lid, 1;
  mad.lo.u32 %%r2, %%r2, 4, %%r1;
  st.shared.u32 [%%r2], 0;
  setp.ne.u32 %%p1, %%lid, 0;
  @%%p1 bra SET;
  st.shared.u32 [%%r1], 1;
  st.shared.u32 [%%r1+132], 1;
SET:
  bar.warp.sync -1;
  %s.u32 %%r3, %%r2, 4;
WAIT:
  ld.relaxed.cta.shared.u32 %%r4, [%%r3];
  setp.eq.u32 %%p2, %%r4, 0;
  @%%p2 bra WAIT;
  mad.lo.u32 %%r4, %%r4, 3, 1;
  st.relaxed.cta.shared.u32 [%%r2], %%r4;
  st.global.u32 [%%o], %%r4;
"""
            % near,
        )
        values, v = [], 1
        for _ in range(32):
            v = (v * 3 + 1) & MASK32
            values.append(v)
        m.launch(name, [], [("b32", values[::-1] if order else values)], 32)
    m.kernel(
        "pingpong",
        [],
        [("o", 4)],
        """  .shared .align 4 .b8 turn[4];
  st.shared.u32 [turn], 0;
  bar.warp.sync -1;
  mov.u32 %r1, 0;
  mov.u32 %r2, 0;
  and.b32 %r3, %me, 1;
  setp.eq.u32 %p1, %r3, 1;
  setp.gt.u32 %p2, %me, 1;
  @%p2 exit;
ROUND:
  @%p1 bra PONG;
PING:
  ld.volatile.shared.u32 %r4, [turn];
  setp.ne.u32 %p3, %r4, %r1;
  @%p3 bra PING;
  add.u32 %r4, %r4, 1;
  st.volatile.shared.u32 [turn], %r4;
  bra NEXT;
PONG:
  ld.volatile.shared.u32 %r4, [turn];
  add.u32 %r5, %r1, 1;
  setp.ne.u32 %p3, %r4, %r5;
  @%p3 bra PONG;
  add.u32 %r4, %r4, 1;
  st.volatile.shared.u32 [turn], %r4;
NEXT:
  mad.lo.u32 %r2, %r2, 5, %r4;
  add.u32 %r1, %r1, 2;
  setp.lt.u32 %p4, %r1, 20;
  @%p4 bra ROUND;
  st.global.u32 [%o], %r2;
""",
    )
    out = []
    for t in range(2):
        v = 0
        for r in range(0, 20, 2):
            v = (v * 5 + r + 1 + t) & MASK32
        out.append(v)
    m.launch("pingpong", [], [("b32", out + [0] * 30)], 32)


def add_misc(m):
    """What has no effect on values must not disturb them."""
    m.kernel(
        "misc",
        [],
        [("o", 4)],
        """  pmevent 3;
  pmevent.mask 0x8001;
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  setmaxnreg.inc.sync.aligned.u32 128;
  setmaxnreg.dec.sync.aligned.u32 40;
  nanosleep.u32 20;
  nanosleep.u32 %me;
  mov.u32 %r1, %me;
  setp.lt.u32 %p1, %me, 5;
  @%p1 nanosleep.u32 7;
  @%p1 add.u32 %r1, %r1, 100;
  st.global.u32 [%o], %r1;
""",
        ".maxntid 256",
    )
    m.launch("misc", [], [("b32", [t + 100 if t < 5 else t for t in range(64)])], 64)
    zero = ["%%%s.w" % v for v in ("tid", "ntid", "ctaid", "nctaid")]
    zero += ["%%pm%d" % n for n in range(8)] + ["%envreg0", "%envreg31"]
    zero += ["%%reserved_smem_offset_%s" % s for s in ("begin", "end", "cap", "0", "1")]
    one = ["%ntid.y", "%ntid.z", "%nctaid.y", "%nctaid.z", "%cluster_nctarank"]
    body = "  mov.u32 %r1, 0;\n"
    for name in zero:
        ty = "b32" if "env" in name or "smem" in name else "u32"
        body += "  mov.%s %%r2, %s;\n  or.b32 %%r1, %%r1, %%r2;\n" % (ty, name)
    for name in ["%pm0_64", "%pm7_64", "%current_graph_exec"]:
        body += "  mov.u64 %%d1, %s;\n  cvt.u32.u64 %%r2, %%d1;\n" % name
        body += "  or.b32 %r1, %r1, %r2;\n"
    for name in one:
        body += "  mov.u32 %%r2, %s;\n  add.u32 %%r1, %%r1, %%r2;\n" % name
    body += """  .shared .align 4 .b8 some[48];
  st.shared.u32 [some], %r1;
  mov.u32 %r3, %total_smem_size;
  mov.u32 %r4, %dynamic_smem_size;
  mov.u32 %r5, %aggr_smem_size;
  mov.u32 %r6, %laneid;
  mov.u16 %h1, %tid.x;
  cvt.u32.u16 %r7, %h1;
  .reg .v4 .u32 %v;
  mov.v4.u32 %v, %ntid;
  st.global.v4.u32 [%o], {%r1, %r3, %r4, %r5};
  st.global.v4.u32 [%o+16], {%r6, %r7, %v.x, %v.w};
"""
    m.kernel("constants", [], [("o", 32)], body)
    out = []
    for t in range(40):
        out += [len(one), 48 + 32, 32, 48 + 32, t % 32, t, 40, 0]
    m.launch("constants", [], [("b32", out)], 40, shared_bytes=32)
    # Places in the grid, and masks of lanes.
    names = ["eq", "le", "lt", "ge", "gt"]
    body = ""
    for i, name in enumerate(names):
        body += "  mov.u32 %%r1, %%lanemask_%s;\n" % name
        body += "  st.global.u32 [%%o+%d], %%r1;\n" % (4 * i)
    body += """  mov.u32 %r1, %warpid;
  mov.u32 %r2, %nwarpid;
  mov.u32 %r3, %smid;
  mov.u32 %r4, %nsmid;
  mov.u64 %d1, %gridid;
  mov.u32 %r5, WARP_SZ;
  setp.lt.u32 %p1, %r3, %r4;
  setp.lt.u32 %p2, %r1, %r2;
  and.pred %p1, %p1, %p2;
  setp.ne.u64 %p2, %d1, 0;
  and.pred %p1, %p1, %p2;
  mov.u32 %r7, %gridid;
  cvt.u32.u64 %r8, %d1;
  setp.eq.u32 %p2, %r7, %r8;
  and.pred %p1, %p1, %p2;
  mov.u16 %h1, %gridid;
  cvt.u32.u16 %r7, %h1;
  and.b32 %r8, %r8, 0xFFFF;
  setp.eq.u32 %p2, %r7, %r8;
  and.pred %p1, %p1, %p2;
  selp.u32 %r6, 1, 0, %p1;
  st.global.u32 [%o+20], %r1;
  st.global.u32 [%o+24], %r5;
  st.global.u32 [%o+28], %r6;
"""
    m.kernel("places", [], [("o", 32)], body)
    places = []
    for cta in range(2):
        for t in range(100):
            eq = 1 << t % 32
            places += [eq, 2 * eq - 1, eq - 1]
            places += [MASK32 ^ (eq - 1), MASK32 ^ (2 * eq - 1), t // 32, 32, 1]
    m.launch("places", [], [("b32", places)], 100, 2)
    # Clocks run; the two halves of the timer belong together.
    m.kernel(
        "clocks",
        [],
        [("o", 4)],
        """  mov.u32 %r1, %clock;
  mov.u64 %d1, %clock64;
  mov.u64 %d2, %globaltimer;
  nanosleep.u32 5000;
  mov.u32 %r2, %clock;
  mov.u64 %d3, %clock64;
  mov.u64 %d4, %globaltimer;
  mov.u32 %r3, %globaltimer_lo;
  mov.u32 %r4, %globaltimer_hi;
  mov.u32 %r5, %clock_hi;
  setp.lt.u32 %p1, %r1, %r2;
  setp.lt.u64 %p2, %d1, %d3;
  setp.lt.u64 %p3, %d2, %d4;
  cvt.u32.u64 %r6, %d4;
  setp.le.u32 %p4, %r6, %r3;
  or.b32 %r7, %r4, %r5;
  setp.eq.u32 %p5, %r7, 0;
  and.pred %p1, %p1, %p2;
  and.pred %p3, %p3, %p4;
  and.pred %p1, %p1, %p3;
  and.pred %p1, %p1, %p5;
  selp.u32 %r8, 1, 0, %p1;
  st.global.u32 [%o], %r8;
""",
    )
    m.launch("clocks", [], [("b32", [1] * 32)], 32)


def main(folder):
    m = Module(target="sm_90a", version="8.3")
    add_irreducible(m)
    add_indexed(m)
    add_table(m, 37)
    add_table(m, 1300, "_large")
    add_calls(m)
    add_recursion(m)
    add_variadic(m)
    add_exits(m)
    add_progress(m)
    m.write(folder, "control")
    machine = Module(target="sm_90a", version="8.3")
    add_misc(machine)
    machine.write(folder, "machine")


main(sys.argv[1])
