#!/usr/bin/env python3
"""Writes a kernel and, in another file, functions that are too large to be
inlined, each of which a pass of link-time optimisation has something to do for.

usage: make-callees.py KERNEL.ptx FUNCTIONS.ptx
"""
import sys

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
SIZE = 300


def statements(seed=0):
    return "".join("  mad.lo.u32 %%r1, %%r1, %%r2, %d;\n  xor.b32 %%r2, %%r1, %d;\n" %
                   (seed + i * 77 + 5, i * 3 + 1) for i in range(SIZE // 2))


def function(name, parameters, body):
    return """
.visible .func (.param .b32 out) %s(%s)
{
  .reg .b32 %%r<8>;
  .reg .b64 %%rd<4>;
  .reg .pred %%p<2>;
%s  st.param.b32 [out], %%r1;
  ret;
}
""" % (name, parameters, body)


NUMBER = ".param .b32 value"
PAIR = ".param .align 4 .b8 pair[8]"
TWO = ".param .b32 value, .param .b32 which"
ADDRESS = ".param .b32 value, .param .b64 address"
LOAD = "  ld.param.b32 %r1, [value];\n  mov.u32 %r2, 7;\n"

FUNCTIONS = [
    # Gets a structure, of which the parts become arguments.
    ("structure", PAIR,
     "  ld.param.b32 %r1, [pair];\n  ld.param.b32 %r2, [pair+4];\n" + statements()),
    # Gets the same number from all callers.
    ("constant", TWO,
     LOAD + "  ld.param.b32 %r3, [which];\n  setp.ne.u32 %p1, %r3, 5;\n"
     "  @%p1 add.u32 %r1, %r1, 123456;\n" + statements()),
    # Gets one of two numbers, with which most of it could be computed.
    ("special", TWO,
     LOAD + "  ld.param.b32 %r3, [which];\n  mov.u32 %r4, %r3;\n  mov.u32 %r6, %r3;\n" +
     statements().replace("%r1", "%r4").replace("%r2", "%r6") +
     "  mad.lo.u32 %r1, %r1, %r4, %r3;\n" + statements()),
    # Two that are one.
    ("same1", NUMBER, LOAD + statements(1)),
    ("same2", NUMBER, LOAD + statements(1)),
    # Its address is one of shared memory in the kernel.
    ("space", ADDRESS, LOAD + "  ld.param.b64 %rd1, [address];\n  ld.u32 %r3, [%rd1+4];\n"
     "  add.u32 %r1, %r1, %r3;\n"),
]


def call(name, parameters, which=5):
    arguments = []
    text = "  {\n    .param .b32 out0;\n"
    if parameters == PAIR:
        text += ("    .param .align 4 .b8 in0[8];\n    st.param.b32 [in0], %r1;\n"
                 "    st.param.b32 [in0+4], %r2;\n")
        arguments = ["in0"]
    else:
        text += "    .param .b32 in0;\n    st.param.b32 [in0], %r1;\n"
        arguments = ["in0"]
        if parameters == TWO:
            text += "    .param .b32 in1;\n    st.param.b32 [in1], %d;\n" % which
            arguments.append("in1")
        if parameters == ADDRESS:
            text += "    .param .b64 in1;\n    st.param.b64 [in1], %rd3;\n"
            arguments.append("in1")
    return text + "    call.uni (out0), %s, (%s);\n    ld.param.b32 %%r1, [out0];\n  }\n" % (
        name, ", ".join(arguments))


def kernel():
    text = HEADER
    for name, parameters, _ in FUNCTIONS:
        text += ".extern .func (.param .b32 out) %s(%s);\n" % (name, parameters)
    text += """
.shared .align 4 .b8 shared[64];
.visible .entry kernel(.param .u64 data)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mov.u64 %rd2, shared;
  cvta.shared.u64 %rd3, %rd2;
  st.shared.u32 [shared+4], %r1;
"""
    for name, parameters, _ in FUNCTIONS:
        second = 9 if name == "special" else 5
        text += (call(name, parameters) + call(name, parameters, second)) * 2
    return text + "  st.global.u32 [%rd1], %r1;\n  ret;\n}\n"


def main():
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(kernel())
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(HEADER + "".join(function(*item) for item in FUNCTIONS))


if __name__ == "__main__":
    main()
