#!/usr/bin/env python3
"""Writes modules, each a kernel with a function of its own, which both call a
function of a library in another file.

usage: make-modules.py FOLDER COUNT [EDITED]

The module EDITED has another constant in its function.
"""
import os
import sys

HEADER = """.version 8.0
.target sm_90
.address_size 64
"""

LIBRARY = HEADER + """
.visible .func (.param .b32 out) common(.param .b32 value)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [value];
  mad.lo.u32 %r2, %r1, 3, 1;
  st.param.b32 [out], %r2;
  ret;
}
"""

MODULE = HEADER + """
.extern .func (.param .b32 out) common(.param .b32 value);
.func (.param .b32 out) own(.param .b32 value)
{
  .reg .b32 %%r<4>;
  ld.param.b32 %%r1, [value];
  {
    .param .b32 in0;
    .param .b32 out0;
    st.param.b32 [in0], %%r1;
    call.uni (out0), common, (in0);
    ld.param.b32 %%r2, [out0];
  }
  add.u32 %%r3, %%r2, %d;
  st.param.b32 [out], %%r3;
  ret;
}
.visible .entry kernel%d(.param .u64 data)
{
  .reg .b32 %%r<3>;
  .reg .b64 %%rd<2>;
  ld.param.u64 %%rd1, [data];
  mov.u32 %%r1, %%tid.x;
  {
    .param .b32 in0;
    .param .b32 out0;
    st.param.b32 [in0], %%r1;
    call.uni (out0), own, (in0);
    ld.param.b32 %%r2, [out0];
  }
  st.global.u32 [%%rd1], %%r2;
  ret;
}
"""


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    edited = int(sys.argv[3]) if len(sys.argv) > 3 else None
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "library.ptx"), "w", encoding="utf-8") as file:
        file.write(LIBRARY)
    for number in range(count):
        constant = number + 1000 * (number == edited)
        with open(os.path.join(folder, "m%d.ptx" % number), "w", encoding="utf-8") as file:
            file.write(MODULE % (constant, number))


if __name__ == "__main__":
    main()
