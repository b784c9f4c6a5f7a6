"""Tests that share a process, one of which leaves the device with a fault.

usage: faults.py FILE KERNEL [BLOCK]

Sets PYTEST_CURRENT_TEST as pytest does, and prints what each call returns.
Needs neither a CUDA compiler nor a package.
"""
import ctypes
import os
import sys

driver = ctypes.CDLL("libcuda.so.1")
runtime = ctypes.CDLL("libcudart.so.13")
module, kernel, memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()


def show(function, *arguments):
    library = runtime if function.startswith("cuda") else driver
    code = getattr(library, function)(*arguments)
    print(function, code, file=sys.stderr)
    return code


def load(path, name):
    runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(256))
    driver.cuModuleLoad(ctypes.byref(module), path.encode())
    driver.cuModuleGetFunction(ctypes.byref(kernel), module, name.encode())


def launch(block):
    places = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    shape = [ctypes.c_uint(extent) for extent in (1, 1, 1, block, 1, 1, 0)]
    nothing = ctypes.c_void_p()
    return show("cuLaunchKernel", kernel, *shape, nothing, places, nothing)


def test(name):
    os.environ["PYTEST_CURRENT_TEST"] = "test_shared.py::%s (call)" % name


def main():
    path, name = sys.argv[1:3]
    block = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    driver.cuInit(0)
    # An earlier error is no reason to be silent about the fault.
    show("cudaMalloc", ctypes.byref(memory), ctypes.c_size_t(1 << 50))
    load(path, "allocates")
    test("first")
    launch(1)
    test("guilty")
    load(path, name)
    launch(block)
    test("next")
    show("cudaDeviceSynchronize")
    show("cudaGetLastError")
    show("cudaFree", memory)
    test("last")
    show("cudaDeviceSynchronize")
    show("cuCtxSynchronize")
    show("cudaDeviceReset")
    # All is new, also the first cause.
    load(path, "allocates")
    launch(1)
    show("cudaDeviceSynchronize")
    load(path, name)
    launch(block)
    show("cuCtxSynchronize")
    show("cuDevicePrimaryCtxReset_v2", 0)
    load(path, "allocates")
    launch(1)
    show("cudaDeviceSynchronize")


if __name__ == "__main__":
    main()
