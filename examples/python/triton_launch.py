"""A matrix product that Triton compiles and launches itself: its own driver finds
our libcuda, without PyTorch and without a GPU.

Needs `pip install triton` and a C compiler, with which Triton builds its
launcher. ptx-env has it assemble the PTX that it makes with our compiler:

    build/bin/ptx-env python triton_launch.py
"""
import array
import ctypes
import random

import triton
import triton.language as tl

SIZE, TILE = 64, 32


@triton.jit
def multiply(a, b, c, SIZE: tl.constexpr, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inner = tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, SIZE, TILE):
        left = tl.load(a + rows[:, None] * SIZE + (start + inner)[None, :])
        right = tl.load(b + (start + inner)[:, None] * SIZE + columns[None, :])
        total = tl.dot(left.to(tl.float16), right.to(tl.float16), total)
    tl.store(c + rows[:, None] * SIZE + columns[None, :], total)


class Buffer:
    """Device memory with floats, as Triton takes it for a pointer."""

    dtype = "float32"

    def __init__(self, values):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.values = array.array("f", values)
        self.address = ctypes.c_uint64()
        self.size = ctypes.c_size_t(len(self.values) * 4)
        self.check(self.driver.cuMemAlloc_v2(ctypes.byref(self.address), self.size))
        self.check(self.driver.cuMemcpyHtoD_v2(self.address, self.place(), self.size))

    @staticmethod
    def check(code):
        if code:
            raise RuntimeError("the driver says %d" % code)

    def place(self):
        return ctypes.c_void_p(self.values.buffer_info()[0])

    def data_ptr(self):
        return self.address.value

    def read(self):
        self.check(self.driver.cuMemcpyDtoH_v2(self.place(), self.address, self.size))
        return self.values


def main():
    # Makes the driver's context this thread's.
    triton.runtime.driver.active.get_current_device()
    random.seed(1)
    # Small integers, whose sums of products are exact in any order.
    a = [float(random.randint(-4, 4)) for _ in range(SIZE * SIZE)]
    b = [float(random.randint(-4, 4)) for _ in range(SIZE * SIZE)]
    c = Buffer([0] * (SIZE * SIZE))
    grid = (SIZE // TILE, SIZE // TILE)
    multiply[grid](Buffer(a), Buffer(b), c, SIZE=SIZE, TILE=TILE)
    result = c.read()
    wrong = sum(
        result[i * SIZE + j]
        != sum(a[i * SIZE + k] * b[k * SIZE + j] for k in range(SIZE))
        for i in range(SIZE)
        for j in range(SIZE)
    )
    print("FAIL: %d wrong" % wrong if wrong else "PASS")
    return wrong != 0


if __name__ == "__main__":
    raise SystemExit(main())
