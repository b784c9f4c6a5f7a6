#!/usr/bin/env python3
"""Writes a program of modules, each a kernel with a function of its own, which
both call a function of a library in another file. Three of the kernels call
another function of the library as well.

usage: make-modules.py FOLDER COUNT [EDITED] [--objects PTX-COMPILE]

EDITED is something in which a constant is another one: the number of a module,
for its function, or the name of a function of the library; "idle" is one that
nobody calls. --objects: compiles what has changed with -dlto.
"""
import argparse
import os
import subprocess

HEADER = """.version 8.0
.target sm_90
.address_size 64
"""

LIBRARY = """
.visible .func (.param .b32 out) %s(.param .b32 value)
{
  .reg .b32 %%r<3>;
  ld.param.b32 %%r1, [value];
  mad.lo.u32 %%r2, %%r1, 3, %d;
  min.u32 %%r2, %%r2, %%r1;
  st.param.b32 [out], %%r2;
  ret;
}
"""
FUNCTIONS = ["common", "rare", "idle"]

MODULE = """
.extern .func (.param .b32 out) common(.param .b32 value);
.extern .func (.param .b32 out) rare(.param .b32 value);
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
  min.u32 %%r2, %%r2, 77;
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
%s  st.global.u32 [%%rd1], %%r2;
  ret;
}
"""

CALL = """  {
    .param .b32 in0;
    .param .b32 out0;
    st.param.b32 [in0], %r2;
    call.uni (out0), rare, (in0);
    ld.param.b32 %r2, [out0];
  }
"""


def write(arguments, name, text):
    path = os.path.join(arguments.folder, name + ".ptx")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if arguments.objects:
        subprocess.run([arguments.objects, "-dlto", path, "-o", path[:-4] + ".o"],
                       check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("count", type=int)
    parser.add_argument("edited", nargs="?")
    parser.add_argument("--objects")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)

    def edited(name):
        return 1000 * (arguments.edited == str(name))

    write(arguments, "library", HEADER + "".join(
        LIBRARY % (name, 1 + edited(name)) for name in FUNCTIONS))
    for number in range(arguments.count):
        call = CALL if number in (1, 3, 4) else ""
        write(arguments, "m%d" % number,
              HEADER + MODULE % (number + edited(number), number, call))


if __name__ == "__main__":
    main()
