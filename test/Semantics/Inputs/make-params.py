#!/usr/bin/env python3
"""Writes params.ptx and params.json: make-params.py OUTPUT-FOLDER.

A kernel with 32,764 bytes of parameters, the most that PTX allows, that reads some
of them at constant places and some at places that depend on the thread.
"""
import json
import os
import random
import sys

PTX = """.version 8.8
.target sm_90
.address_size 64
.visible .entry params(.param .u64 out, .param .align 4 .b8 p[32756]) {
  .reg .u64 %out, %base, %at;
  .reg .u32 %t, %v, %sum;
  .reg .u32 %i;
  .reg .pred %q;
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mov.b64 %base, p;
  ld.param.u32 %sum, [p];
  ld.param.u32 %v, [p+32752];
  add.u32 %sum, %sum, %v;
  mov.u32 %i, %t;
LOOP:
  mad.wide.u32 %at, %i, 4, %base;
  ld.param.u32 %v, [%at];
  add.u32 %sum, %sum, %v;
  add.u32 %i, %i, 64;
  setp.lt.u32 %q, %i, 8189;
  @%q bra LOOP;
  mad.wide.u32 %out, %t, 4, %out;
  st.global.u32 [%out], %sum;
  exit;
}
"""


def main():
    folder = sys.argv[1]
    rng = random.Random(1)
    words = [rng.getrandbits(32) for _ in range(8189)]
    sums = [(words[0] + words[-1] + sum(words[t::64])) & 0xFFFFFFFF for t in range(64)]
    with open(os.path.join(folder, "params.ptx"), "w") as file:
        file.write(PTX)
    data = b"".join(w.to_bytes(4, "little") for w in words)
    with open(os.path.join(folder, "params.json"), "w") as file:
        json.dump({"module": "params.ptx", "entry": "params", "block": [64],
                   "args": [{"buffer": "out", "type": "u32", "count": 64, "init": "zero"},
                            {"bytes": data.hex(), "align": 4}],
                   "expect": [{"buffer": "out", "values": sums}]}, file)


main()
