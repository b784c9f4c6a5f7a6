"""Writes FOLDER/k.ptx, one block of 10,000 products and sums, and FOLDER/k.json,
which says what a thread computes by them."""
import json
import os
import sys

COUNT = 10000

folder = sys.argv[1]
lines = [".version 8.0", ".target sm_90", ".address_size 64",
         ".visible .entry k(.param .u64 p) {",
         ".reg .b64 %rd<2>; .reg .b32 %r<3>;",
         "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];"]
value = start = 12345
for i in range(COUNT):
    lines.append(f"mad.lo.u32 %r1, %r1, %r1, {i};")
    value = (value * value + i) % (1 << 32)
lines.append("st.global.u32 [%rd1], %r1; ret; }")
with open(os.path.join(folder, "k.ptx"), "w", encoding="utf-8") as file:
    file.write("\n".join(lines) + "\n")
manifest = {
    "module": "k.ptx",
    "launches": [{"entry": "k", "grid": [1, 1, 1], "block": [1, 1, 1],
                  "args": [{"buffer": "x", "type": "u32", "count": 1, "init": {"values": [start]}}]}],
    "expect": [{"buffer": "x", "values": [value]}]}
with open(os.path.join(folder, "k.json"), "w", encoding="utf-8") as file:
    json.dump(manifest, file)
