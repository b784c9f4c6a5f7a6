"""Triton's profiler shows kernels with their times in the scopes that launched them.

usage: proton_scopes.py FILE
"""
import json
import sys

import torch
import triton
import triton.language as tl
import triton.profiler as proton


@triton.jit
def add_one(numbers, count, block: tl.constexpr):
    index = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(numbers + index, tl.load(numbers + index, mask=index < count) + 1, mask=index < count)


numbers = torch.zeros(4096, device="cuda")
torch.cuda.synchronize()
proton.start(sys.argv[1], backend="cupti")
with proton.scope("first"):
    add_one[(4,)](numbers, 4096, block=1024)
with proton.scope("second"):
    for _ in range(3):
        add_one[(4,)](numbers, 4096, block=1024)
torch.cuda.synchronize()
proton.finalize()
print("result:", bool((numbers.cpu() == 4).all()))


def show(node, scopes):
    metrics, scopes = node["metrics"], [*scopes, node["frame"]["name"]]
    if metrics.get("count"):
        print("/".join(scopes[1:]), metrics["count"], metrics["time (ns)"] > 0)
    for child in node["children"]:
        show(child, scopes)


with open(sys.argv[1] + ".hatchet", encoding="utf-8") as file:
    show(json.load(file)[0], [])
