"""Writes FOLDER/k.ptx, one block of a sum with 100 constants, of a vector that is
stored at the beginning and at the end, and between them of 10,000 products and
sums, and FOLDER/k.json, which says what a thread computes by them."""
import json
import os
import sys

COUNT = 10000
CONSTANTS = 100
WORD = 1 << 32

folder = sys.argv[1]
lines = [".version 8.0", ".target sm_90", ".address_size 64",
         ".visible .entry k(.param .u64 p) {",
         ".reg .b64 %rd<2>; .reg .b32 %r<5>;",
         "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];",
         "mov.u32 %r3, 0; mov.u32 %r4, %r2;"]
value, addend = first, second = 12345, 678
total = 0
for i in range(CONSTANTS):
    lines.append(f"add.u32 %r3, %r3, %r4; add.u32 %r4, %r4, {i + 1};")
    total = (total + addend) % WORD
    addend = (addend + i + 1) % WORD
lines.append("st.global.u32 [%rd1+8], %r3;")
lines.append("st.global.v4.u32 [%rd1+16], {%r1, %r2, %r1, %r2}; mov.u32 %r3, %r1;")
for i in range(COUNT):
    lines.append(f"mad.lo.u32 %r3, %r3, %r3, {i};")
    value = (value * value + i) % WORD
lines.append("st.global.v4.u32 [%rd1+32], {%r1, %r2, %r1, %r2};")
lines.append("st.global.u32 [%rd1+12], %r3; ret; }")
with open(os.path.join(folder, "k.ptx"), "w", encoding="utf-8") as file:
    file.write("\n".join(lines) + "\n")
manifest = {
    "module": "k.ptx",
    "launches": [{"entry": "k", "grid": [1, 1, 1], "block": [1, 1, 1],
                  "args": [{"buffer": "x", "type": "u32", "count": 12,
                            "init": {"values": [first, second] + [0] * 10}}]}],
    "expect": [{"buffer": "x", "values": [first, second, total, value] + 4 * [first, second]}]}
with open(os.path.join(folder, "k.json"), "w", encoding="utf-8") as file:
    json.dump(manifest, file)
