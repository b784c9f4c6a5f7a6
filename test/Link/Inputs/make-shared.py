#!/usr/bin/env python3
"""Writes kernels that call one function, of SIZE instructions.

usage: make-shared.py KERNELS.ptx FUNCTION.ptx SIZE
"""
import sys

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
KERNEL = """
.visible .entry kernel%d(.param .u64 data)
{
  .reg .b32 %%r<4>;
  .reg .b64 %%rd<2>;
  .param .b32 in0;
  .param .b32 out0;
  ld.param.u64 %%rd1, [data];
  ld.global.u32 %%r1, [%%rd1];
  add.u32 %%r1, %%r1, %d;
  st.param.b32 [in0], %%r1;
  call.uni (out0), shared, (in0);
  ld.param.b32 %%r1, [out0];
  st.global.u32 [%%rd1], %%r1;
  ret;
}
"""
FUNCTION = """
.visible .func (.param .b32 out) shared(.param .b32 value)
{
  .shared .align 4 .b8 place[64];
  .reg .b32 %%r<5>;
  ld.param.b32 %%r1, [value];
  mov.u32 %%r2, %%r1;
  mov.u32 %%r3, place;
  st.shared.u32 [%%r3+4], %%r1;
%s  ld.shared.u32 %%r4, [%%r3+4];
  add.u32 %%r1, %%r1, %%r4;
  st.param.b32 [out], %%r1;
  ret;
}
"""


def main():
    kernels, function, size = sys.argv[1:]
    with open(kernels, "w", encoding="utf-8") as file:
        file.write(HEADER + ".extern .func (.param .b32 out) shared(.param .b32 value);\n" +
                   "".join(KERNEL % (i, i) for i in range(3)))
    body = "".join("  mad.lo.u32 %%r1, %%r1, %%r2, %d;\n  xor.b32 %%r2, %%r1, %d;\n" %
                   (i * 77 + 5, i * 3 + 1) for i in range(int(size) // 2))
    with open(function, "w", encoding="utf-8") as file:
        file.write(HEADER + FUNCTION % body)


if __name__ == "__main__":
    main()
