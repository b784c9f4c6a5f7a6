"""Triton's profiler shows kernels with their times in the scopes that launched them.

usage: proton_scopes.py FILE
"""
import sys

import torch
import triton
import triton.language as tl
import triton.profiler as proton
from proton_tree import show_profile


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

show_profile(sys.argv[1])
