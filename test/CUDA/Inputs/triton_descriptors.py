"""Copies tiles by descriptors that a Triton kernel makes itself: tensor maps
out of zeros. Without PyTorch, as examples/python/triton_launch.py."""

import os
import sys

import triton
import triton.language as tl

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../examples/python"))
from triton_launch import Buffer

# Rows are multiples of 16 bytes, and the last tiles stand over the edge.
SIZE, TILE = 100, 32


@triton.jit
def transpose(source, target, SIZE: tl.constexpr, TILE: tl.constexpr):
    i, j = tl.program_id(0) * TILE, tl.program_id(1) * TILE
    load = tl.make_tensor_descriptor(source, shape=[SIZE, SIZE], strides=[SIZE, 1], block_shape=[TILE, TILE])
    store = tl.make_tensor_descriptor(target, shape=[SIZE, SIZE], strides=[SIZE, 1], block_shape=[TILE, TILE])
    store.store([j, i], tl.trans(load.load([i, j])))


class Workspace(Buffer):
    """Memory for descriptors, at a multiple of 128 bytes."""

    def __init__(self, size, alignment, stream):
        super().__init__([0] * (size // 4 + 32))

    def data_ptr(self):
        return (self.address.value + 127) // 128 * 128


def main():
    triton.runtime.driver.active.get_current_device()
    triton.set_allocator(Workspace)
    values = [float(i) for i in range(SIZE * SIZE)]
    target = Buffer([0] * (SIZE * SIZE))
    tiles = -(-SIZE // TILE)
    transpose[(tiles, tiles)](Buffer(values), target, SIZE=SIZE, TILE=TILE)
    result = target.read()
    wrong = sum(result[j * SIZE + i] != values[i * SIZE + j] for i in range(SIZE) for j in range(SIZE))
    print("FAIL: %d wrong" % wrong if wrong else "PASS")
    return wrong != 0


sys.exit(main())
