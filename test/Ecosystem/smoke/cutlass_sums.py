"""Adds two vectors by a kernel in CUTLASS's DSL."""
import sys

import cuda.bindings.driver as driver
import cutlass
import cutlass.cute as cute
import numpy as np
from cutlass.cute.runtime import make_ptr

COUNT, BLOCK = 1024, 128


@cute.kernel
def add(x: cute.Tensor, y: cute.Tensor, result: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    place = block * BLOCK + thread
    result[place] = x[place] + y[place]


@cute.jit
def launch(x: cute.Pointer, y: cute.Pointer, result: cute.Pointer):
    tensors = [cute.make_tensor(pointer, cute.make_layout(COUNT)) for pointer in (x, y, result)]
    add(*tensors).launch(grid=(COUNT // BLOCK, 1, 1), block=(BLOCK, 1, 1))


def call(function, *arguments):
    status, *values = function(*arguments)
    if int(status):
        sys.exit(f"{function.__name__}: {status.name}")
    return values[0] if values else None


def main():
    call(driver.cuInit, 0)
    call(driver.cuCtxSetCurrent, call(driver.cuDevicePrimaryCtxRetain, call(driver.cuDeviceGet, 0)))
    x = np.arange(COUNT, dtype=np.float32)
    y, result = 3 * x, np.zeros_like(x)
    memory = [call(driver.cuMemAlloc, x.nbytes) for _ in range(3)]
    for pointer, array in zip(memory, (x, y, result)):
        call(driver.cuMemcpyHtoD, pointer, array.ctypes.data, array.nbytes)
    try:
        launch(*(make_ptr(cutlass.Float32, int(pointer), cute.AddressSpace.gmem) for pointer in memory))
    except cutlass.base_dsl.common.DSLBaseError as error:
        # The message is a page long, in colours; its class names the driver's error.
        sys.exit(next((word for word in str(error).split() if word.startswith("cudaError")), repr(error)))
    call(driver.cuMemcpyDtoH, result.ctypes.data, memory[2], result.nbytes)
    print("PASS" if np.array_equal(result, x + y) else "FAIL")
    return not np.array_equal(result, x + y)


if __name__ == "__main__":
    sys.exit(main())
