"""vprintf, malloc, free, __assertfail and cudaGraphSetConditional, called from diverged threads and from
functions. Usage: system-calls.py FOLDER"""

import sys

from ptxtest import Module

DECLARATIONS = """.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 args);
.extern .func (.param .b64 r) malloc(.param .b64 size);
.extern .func free(.param .b64 p);
.extern .func __assertfail(.param .b64 text, .param .b64 file, .param .b32 line,
                           .param .b64 function, .param .b64 size);
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
"""


def text(name, value):
    data = value.encode() + b"\0"
    return ".global .align 1 .b8 %s[%d] = {%s};\n" % (
        name,
        len(data),
        ", ".join(map(str, data)),
    )


def call_printf(name, result):
    return """  {
    .param .b64 f;
    .param .b64 a;
    .param .b32 r;
    mov.u64 %%d20, %s;
    cvta.global.u64 %%d20, %%d20;
    cvta.local.u64 %%d21, %%d22;
    st.param.b64 [f], %%d20;
    st.param.b64 [a], %%d21;
    call (r), vprintf, (f, a);
    ld.param.b32 %s, [r];
  }
""" % (name, result)


def add_print(m):
    m.add(text("line", "%s: %d %lld %5.2f %c 0x%08x %u%%\n"))
    m.add(text("even", "even"))
    m.add(text("odd", "odd"))
    m.add(text("plain", "odd ones only\n"))
    m.kernel(
        "print",
        [],
        [("o", 4)],
        """  .local .align 8 .b8 args[56];
  mov.u64 %d22, args;
  and.b32 %r1, %me, 1;
  setp.eq.u32 %p1, %r1, 1;
  mov.u64 %d1, even;
  mov.u64 %d2, odd;
  selp.b64 %d1, %d2, %d1, %p1;
  cvta.global.u64 %d1, %d1;
  st.local.u64 [args], %d1;
  sub.u32 %r2, 0, %me;
  st.local.u32 [args+8], %r2;
  mov.u64 %d3, 5000000000;
  cvt.u64.u32 %d4, %me;
  add.u64 %d3, %d3, %d4;
  st.local.u64 [args+16], %d3;
  cvt.rn.f64.u32 %d5, %me;
  mul.f64 %d5, %d5, 0d3FE0000000000000;
  st.local.f64 [args+24], %d5;
  add.u32 %r3, %me, 65;
  st.local.u32 [args+32], %r3;
  mul.lo.u32 %r4, %me, 0x1010101;
  st.local.u32 [args+36], %r4;
  st.local.u32 [args+40], %me;
"""
        + call_printf("line", "%r5")
        + "  @!%p1 bra DONE;\n"
        + call_printf("plain", "%r6")
        + "  add.u32 %r5, %r5, %r6;\nDONE:\n  st.global.u32 [%o], %r5;\n",
    )
    n = 6
    lines = []
    for t in range(n):
        lines.append(
            "%s: %d %d %5.2f %c 0x%08x %d%%"
            % (("even", "odd")[t & 1], -t, 5000000000 + t, t / 2, 65 + t, t * 0x1010101, t)
        )
        if t & 1:
            lines.append("odd ones only")
    m.launch("print", [], [("b32", [7] * n)], n)
    m.more["expect_stdout"] = "\n".join(lines) + "\n"
    m.more["stdout_order"] = "any"


def add_heap(m):
    """Each odd thread keeps a list of blocks, which it frees in the end."""
    call = """  {
    .param .b64 s;
    .param .b64 p;
    st.param.b64 [s], %s;
    call (p), malloc, (s);
    ld.param.b64 %s, [p];
  }
"""
    m.kernel(
        "heap",
        [],
        [("o", 8)],
        """  and.b32 %r1, %me, 1;
  setp.eq.u32 %p1, %r1, 1;
  mov.u64 %d1, 0;
  mov.u64 %d9, 0;
  mov.u32 %r2, 0;
  @!%p1 bra DONE;
PUSH:
"""
        + call % ("16", "%d2")
        + """  st.u64 [%d2], %d1;
  mad.lo.u32 %r3, %r2, 7, %me;
  cvt.u64.u32 %d3, %r3;
  st.u64 [%d2+8], %d3;
  mov.u64 %d1, %d2;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, %me;
  @%p2 bra PUSH;
POP:
  ld.u64 %d3, [%d1+8];
  mad.lo.u64 %d9, %d9, 3, %d3;
  ld.u64 %d2, [%d1];
  {
    .param .b64 p;
    st.param.b64 [p], %d1;
    call free, (p);
  }
  mov.u64 %d1, %d2;
  setp.ne.u64 %p2, %d1, 0;
  @%p2 bra POP;
"""
        + call % ("0x100000000000", "%d4")
        + """  setp.eq.u64 %p3, %d4, 0;
  @!%p3 trap;
DONE:
  st.global.u64 [%o], %d9;
""",
    )
    out = []
    for t in range(20):
        v = 0
        for k in reversed(range(t) if t & 1 else range(0)):
            v = (v * 3 + k * 7 + t) & (2**64 - 1)
        out.append(v)
    m.launch("heap", [], [("b64", out)], 20)


def add_condition(m):
    """A condition is a word, whose address is its handle: here the result's."""
    m.kernel(
        "condition",
        [],
        [("o", 4)],
        """  st.global.u32 [%o], 7;
  mad.lo.u32 %r1, %me, 3, 1;
  and.b32 %r2, %me, 1;
  setp.eq.u32 %p1, %r2, 1;
  @%p1 call cudaGraphSetConditional, (%o, %r1);
""",
    )
    m.launch("condition", [], [("b32", [t * 3 + 1 if t & 1 else 7 for t in range(40)])], 40)


def assertion():
    m = Module()
    m.add(DECLARATIONS)
    for name, value in (("why", "n < 3"), ("where", "a.cu"), ("who", "void k(int)")):
        m.add(text(name, value))
    m.kernel(
        "assert",
        [],
        [("o", 4)],
        """  mov.u64 %d1, why;
  mov.u64 %d2, where;
  mov.u64 %d3, who;
  cvta.global.u64 %d1, %d1;
  cvta.global.u64 %d2, %d2;
  cvta.global.u64 %d3, %d3;
  setp.ge.u32 %p1, %me, 3;
  @%p1 call __assertfail, (%d1, %d2, 12, %d3, 1);
""",
    )
    m.launch("assert", [], [("b32", [0])], 32)
    m.expect = []
    m.more["expect_error"] = "assert"
    return m


def main(folder):
    m = Module()
    m.add(DECLARATIONS)
    add_print(m)
    add_heap(m)
    add_condition(m)
    m.write(folder, "calls")
    assertion().write(folder, "assertion")


main(sys.argv[1])
