#!/usr/bin/env python3
"""Writes a kernel that calls functions of about 100 instructions, which differ
in what a call costs.

usage: make-functions.py KERNEL.ptx FUNCTIONS.ptx
"""
import sys

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
FUNCTION = """
.visible .func (.param .b32 out) %s(.param .b32 value, .param .b64 address)
{
  .reg .b32 %%r<8>;
  .reg .b64 %%rd<2>;
  .reg .pred %%p<2>;
  ld.param.b32 %%r1, [value];
  ld.param.b64 %%rd1, [address];
  mov.u32 %%r2, %%r1;
  mov.u32 %%r3, 0;
%s  st.param.b32 [out], %%r1;
  ret;
}
"""
DECLARATION = ".extern .func (.param .b32 out) %s(.param .b32 value, .param .b64 address);\n"
CALL = """  {
    .param .b32 in0;
    .param .b64 in1;
    .param .b32 out0;
    st.param.b32 [in0], %%r1;
    st.param.b64 [in1], %%rd%d;
    call.uni (out0), %s, (in0, in1);
    ld.param.b32 %%r1, [out0];
  }
"""
CALLS = 4


def statements(count):
    return "".join("  mad.lo.u32 %%r1, %%r1, %%r2, %d;\n  xor.b32 %%r2, %%r1, %d;\n" %
                   (i * 77 + 5, i * 3 + 1) for i in range(count // 2))


def loop(count):
    return ("loop:\n" + statements(count) +
            "  add.u32 %r3, %r3, 1;\n  setp.lt.u32 %p1, %r3, %r1;\n  @%p1 bra loop;\n")


FUNCTIONS = {
    "straight": statements(100),
    "looping": loop(100),
    "enormous": loop(4000),
    "indexed": statements(100) + "  ld.u32 %r4, [%rd1+4];\n  add.u32 %r1, %r1, %r4;\n",
    "array": statements(100) + "  ld.u32 %r4, [%rd1+4];\n  add.u32 %r1, %r1, %r4;\n",
    "long": statements(300) + "  ld.u32 %r4, [%rd1+4];\n  add.u32 %r1, %r1, %r4;\n",
    "often": statements(300) + "".join(
        "  ld.u32 %%r4, [%%rd1+%d];\n  add.u32 %%r1, %%r1, %%r4;\n" % (4 * i) for i in range(60)),
}


def kernel():
    text = HEADER + "".join(DECLARATION % name for name in FUNCTIONS)
    text += """
.visible .entry kernel(.param .u64 data)
{
  .local .align 4 .b8 memory[256];
  .local .align 4 .b8 places[16];
  .local .align 4 .b8 other[16];
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mov.u64 %rd2, memory;
  cvta.local.u64 %rd3, %rd2;
  mov.u64 %rd4, places;
  cvta.local.u64 %rd5, %rd4;
  and.b32 %r2, %r1, 3;
  mul.wide.u32 %rd6, %r2, 4;
  add.u64 %rd7, %rd4, %rd6;
  st.local.u32 [%rd7], %r1;
  st.local.u32 [other+4], %r1;
  mov.u64 %rd6, other;
  cvta.local.u64 %rd7, %rd6;
"""
    text += "".join("  st.local.u32 [memory+%d], %%r1;\n" % (4 * i) for i in range(64))
    for name in FUNCTIONS:
        text += CALL % ({"array": 3, "often": 3, "indexed": 5, "long": 7}.get(name, 1), name) * CALLS
    return text + "  st.global.u32 [%rd1], %r1;\n  ret;\n}\n"


def main():
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(kernel())
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(HEADER + "".join(FUNCTION % item for item in FUNCTIONS.items()))


if __name__ == "__main__":
    main()
