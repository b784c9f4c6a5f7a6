"""Launches a kernel on memory that is there, and on memory that is not.

usage: program.py FILE [memory]

The kernel `increment` adds one to the word of each thread. With `memory` the driver
gets the text, not the file. Needs neither a CUDA compiler nor a package.
"""
import ctypes
import sys

driver = ctypes.CDLL("libcuda.so.1")


def check(code, allowed=(0,)):
    if code not in allowed:
        sys.exit("error %d" % code)
    return code


def launch(kernel, address):
    places = (ctypes.c_void_p * 1)(ctypes.addressof(address))
    shape = [ctypes.c_uint(extent) for extent in (2, 1, 1, 32, 1, 1, 0)]
    check(driver.cuLaunchKernel(kernel, *shape, None, places, None))
    return driver.cuCtxSynchronize()


def main():
    context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    address, words = ctypes.c_uint64(), (ctypes.c_uint32 * 64)(*range(64))
    check(driver.cuInit(0))
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(driver.cuCtxSetCurrent(context))
    if sys.argv[2:] == ["memory"]:
        with open(sys.argv[1], "rb") as file:
            check(driver.cuModuleLoadData(ctypes.byref(module), file.read()))
    else:
        check(driver.cuModuleLoad(ctypes.byref(module), sys.argv[1].encode()))
    check(driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"increment"))
    check(driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(256)))
    check(driver.cuMemcpyHtoD_v2(address, words, ctypes.c_size_t(256)))
    check(launch(kernel, address))
    check(driver.cuMemcpyDtoH_v2(words, address, ctypes.c_size_t(256)))
    print("words", words[0], words[40], flush=True)
    print("launch", launch(kernel, ctypes.c_uint64(address.value + 252)), flush=True)
    return 3


sys.exit(main())
