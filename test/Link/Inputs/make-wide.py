#!/usr/bin/env python3
"""Writes a function that keeps a hundred words in registers, and a table with its address.

usage: make-wide.py FUNCTION.ptx
"""
import sys

COUNT = 100

with open(sys.argv[1], "w") as file:
    file.write(".version 8.0\n.target sm_90\n.address_size 64\n\n"
               ".visible .func wide(.param .b64 at)\n{\n  .reg .b32 %s, %v<100>;\n  .reg .b64 %a;\n"
               "  ld.param.b64 %a, [at];\n  mov.b32 %s, 0;\n")
    file.writelines("  ld.volatile.global.b32 %%v%d, [%%a];\n" % i for i in range(COUNT))
    file.writelines("  add.u32 %%s, %%s, %%v%d;\n  st.volatile.global.b32 [%%a], %%v%d;\n" % (i, i)
                    for i in range(COUNT))
    file.write("  st.global.b32 [%a], %s;\n  ret;\n}\n.visible .global .align 8 .u64 table[1] = {wide};\n")
