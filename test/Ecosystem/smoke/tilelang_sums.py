"""Adds two vectors by a kernel in TileLang, which NVRTC compiles."""
import sys

import tilelang
import tilelang.language as T
import torch

COUNT, BLOCK = 1024, 128


@tilelang.jit(execution_backend="nvrtc")
def make_add(count, block):
    @T.prim_func
    def add(x: T.Tensor((count,), "float32"), y: T.Tensor((count,), "float32"), result: T.Tensor((count,), "float32")):
        with T.Kernel(T.ceildiv(count, block), threads=block) as tile:
            for place in T.Parallel(block):
                result[tile * block + place] = x[tile * block + place] + y[tile * block + place]

    return add


def main():
    x = torch.arange(COUNT, dtype=torch.float32)
    result = torch.zeros(COUNT, device="cuda")
    make_add(COUNT, BLOCK)(x.cuda(), 3 * x.cuda(), result)
    is_right = torch.equal(result.cpu(), 4 * x)
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
