"""Triton's profiler shows the kernels of a CUDA graph in the scopes that captured them, by launches of the graph.

usage: proton_graphs.py FILE
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


@triton.jit
def double(numbers, count, block: tl.constexpr):
    index = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(numbers + index, tl.load(numbers + index, mask=index < count) * 2, mask=index < count)


numbers = torch.zeros(4096, device="cuda")
for kernel in (add_one, double):  # compiled in front of the capture
    kernel[(4,)](numbers, 4096, block=1024)
numbers.zero_()
torch.cuda.synchronize()

proton.start(sys.argv[1], backend="cupti")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with proton.scope("grow"):
        for _ in range(2):
            add_one[(4,)](numbers, 4096, block=1024)
    with proton.scope("scale"):
        double[(4,)](numbers, 4096, block=1024)
with proton.scope("first"):
    graph.replay()
with proton.scope("second"):
    for _ in range(3):
        graph.replay()
torch.cuda.synchronize()
proton.finalize()
print("result:", float(numbers[0]))

show_profile(sys.argv[1])
