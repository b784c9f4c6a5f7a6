"""Writes FOLDER/k.ptx, conditions inside of conditions that each thread leaves
at a depth of its own, with a loop in the middle and values that all threads
share, and FOLDER/k.json, which says what they compute."""
import json
import os
import sys

DEPTH = 700
THREADS = 64
FACTOR = 3
MASK = (1 << 32) - 1

folder = sys.argv[1]
lines = [".version 8.0", ".target sm_90", ".address_size 64",
         ".visible .entry k(.param .u64 p, .param .u32 n) {",
         ".reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<3>;",
         "ld.param.u64 %rd1, [p]; ld.param.u32 %r5, [n]; mov.u32 %r0, %tid.x;",
         "mul.wide.u32 %rd2, %r0, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r1, [%rd3]; mov.u32 %r2, 0;"]
for i in range(DEPTH):
    lines.append(f"mad.lo.u32 %r6, %r5, {i}, 1; setp.lt.u32 %p1, %r1, {i}; @%p1 bra L{i};")
    lines.append("add.u32 %r2, %r2, %r6;")
    if i == DEPTH // 2:
        lines += ["mov.u32 %r4, 0;", "AGAIN: add.u32 %r2, %r2, %r4; add.u32 %r4, %r4, 1;",
                  "rem.u32 %r7, %r1, 5; setp.le.u32 %p2, %r4, %r7; @%p2 bra AGAIN;"]
for i in reversed(range(DEPTH)):
    lines.append(f"L{i}: mad.lo.u32 %r2, %r2, 5, {i};")
lines.append("st.global.u32 [%rd3], %r2; ret; }")
with open(os.path.join(folder, "k.ptx"), "w", encoding="utf-8") as file:
    file.write("\n".join(lines) + "\n")


def run(x):
    total, left = 0, DEPTH - 1
    for i in range(DEPTH):
        if x < i:
            left = i
            break
        total += FACTOR * i + 1
        if i == DEPTH // 2:
            total += sum(range(x % 5 + 1))
    for i in reversed(range(left + 1)):
        total = (total * 5 + i) & MASK
    return total


start = [(i * 37) % (DEPTH + 50) for i in range(THREADS)]
manifest = {
    "module": "k.ptx",
    "launches": [{"entry": "k", "grid": [1, 1, 1], "block": [THREADS, 1, 1],
                  "args": [{"buffer": "x", "type": "u32", "count": THREADS, "init": {"values": start}},
                           {"type": "u32", "value": FACTOR}]}],
    "expect": [{"buffer": "x", "values": [run(x) for x in start]}]}
with open(os.path.join(folder, "k.json"), "w", encoding="utf-8") as file:
    json.dump(manifest, file)
