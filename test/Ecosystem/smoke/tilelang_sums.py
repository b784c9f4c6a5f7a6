"""Adds two vectors and multiplies two matrices by kernels in TileLang, which NVRTC compiles. The product's tiles come by
TMA to shared memory behind mbarriers, and the tensor cores read them there."""
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


@tilelang.jit(execution_backend="nvrtc")
def make_product(rows, columns, depth, tile=64, step=32):
    @T.prim_func
    def product(x: T.Tensor((rows, depth), "float16"), y: T.Tensor((depth, columns), "float16"),
                result: T.Tensor((rows, columns), "float16")):
        with T.Kernel(T.ceildiv(columns, tile), T.ceildiv(rows, tile), threads=128) as (across, down):
            left, right = T.alloc_shared((tile, step), "float16"), T.alloc_shared((step, tile), "float16")
            sums = T.alloc_fragment((tile, tile), "float")
            T.clear(sums)
            for k in T.Pipelined(T.ceildiv(depth, step), num_stages=3):
                T.copy(x[down * tile, k * step], left)
                T.copy(y[k * step, across * tile], right)
                T.gemm(left, right, sums)
            T.copy(sums, result[down * tile, across * tile])

    return product


def is_product_right():
    x, y = (torch.arange(128 * 128).reshape(128, 128) % n - n // 2 for n in (7, 11))
    result = torch.zeros(128, 128, dtype=torch.float16, device="cuda")
    make_product(128, 128, 128)(x.half().cuda(), y.half().cuda(), result)
    return torch.equal(result.cpu().long(), x @ y)


def main():
    x = torch.arange(COUNT, dtype=torch.float32)
    result = torch.zeros(COUNT, device="cuda")
    make_add(COUNT, BLOCK)(x.cuda(), 3 * x.cuda(), result)
    is_right = torch.equal(result.cpu(), 4 * x) and is_product_right()
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
