"""Writes a kernel that the compiler can make faster if it is told to.

usage: fixable.py FOLDER
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

from advice import THREADS, kernel, loop, store  # noqa: E402

ROWS = 32


def transpose():
    """Threads of a warp read a column of a matrix in shared memory."""
    return kernel(
        "  mov.u32 %r4, tile;\n  shl.b32 %r5, %r2, 2;\n  add.u32 %r6, %r4, %r5;\n"
        + "".join(f"  st.shared.u32 [%r6+{4 * THREADS * n}], %r1;\n" for n in range(ROWS * ROWS // THREADS))
        + "  bar.sync 0;\n  and.b32 %r7, %r2, 31;\n  shr.u32 %r9, %r2, 5;\n  mov.u32 %r20, 0;\n"
        + loop(f"""
  add.u32 %r11, %r9, %r10;
  and.b32 %r11, %r11, 31;
  mad.lo.u32 %r12, %r7, {ROWS}, %r11;
  shl.b32 %r12, %r12, 2;
  add.u32 %r13, %r4, %r12;
  ld.shared.u32 %r14, [%r13];
  add.u32 %r20, %r20, %r14;""")
        + store("%r20"), f".shared .align 4 .b8 tile[{4 * ROWS * ROWS}];\n")


folder = sys.argv[1]
with open(os.path.join(folder, "conflicts.ptx"), "w", encoding="utf-8") as file:
    file.write(transpose())
with open(os.path.join(folder, "conflicts.json"), "w", encoding="utf-8") as file:
    json.dump({"module": "conflicts.ptx", "entry": "kernel", "grid": [16], "block": [THREADS],
               "args": [{"buffer": "buffer", "type": "u32", "count": 1 << 16, "init": "zero"}]}, file)
