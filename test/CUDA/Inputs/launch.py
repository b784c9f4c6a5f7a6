"""A program of the driver API: runs a kernel of a PTX file and prints its results.

usage: launch.py FILE KERNEL BLOCK [COUNT]

The kernel gets the address of COUNT (64) words, all 1 at first. Needs neither a
CUDA compiler nor a package; libcuda.so.1 is the loader's.
"""
import array
import ctypes
import sys


def main():
    path, name, block = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 64
    driver = ctypes.CDLL("libcuda.so.1")

    def call(function, *arguments):
        code = getattr(driver, function)(*arguments)
        if code:
            text = ctypes.c_char_p()
            driver.cuGetErrorName(code, ctypes.byref(text))
            sys.exit("%s: %s" % (function, text.value.decode()))

    context, module, kernel = (ctypes.c_void_p() for _ in range(3))
    memory, nothing = ctypes.c_uint64(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoad", ctypes.byref(module), path.encode())
    call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4 * count))
    call("cuMemsetD32_v2", memory, 1, ctypes.c_size_t(count))
    places = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    shape = [ctypes.c_uint(extent) for extent in (1, 1, 1, int(block), 1, 1, 0)]
    call("cuLaunchKernel", kernel, *shape, nothing, places, nothing)
    call("cuCtxSynchronize")
    words = array.array("I", bytes(4 * count))
    target = ctypes.c_void_p(words.buffer_info()[0])
    call("cuMemcpyDtoH_v2", target, memory, ctypes.c_size_t(4 * count))
    print("results:", *words[:4])


if __name__ == "__main__":
    main()
