"""Links PTX with a file as cuLink* does, and runs a kernel that launches others.

usage: link-runtime.py PTX KERNEL FILE

The kernel gets the address of 7 words, which are printed.
"""
import array
import ctypes
import sys


def main():
    ptx, name, library = sys.argv[1:]
    driver = ctypes.CDLL("libcuda.so.1")

    def call(function, *arguments):
        if code := getattr(driver, function)(*arguments):
            sys.exit("%s: %d" % (function, code))

    context, link, module, kernel, code = (ctypes.c_void_p() for _ in range(5))
    size, memory, nothing = ctypes.c_size_t(), ctypes.c_uint64(), ctypes.c_void_p()
    as_ptx, as_library = 1, 4
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuLinkCreate_v2", 0, nothing, nothing, ctypes.byref(link))
    call("cuLinkAddFile_v2", link, as_ptx, ptx.encode(), 0, nothing, nothing)
    call("cuLinkAddFile_v2", link, as_library, library.encode(), 0, nothing, nothing)
    call("cuLinkComplete", link, ctypes.byref(code), ctypes.byref(size))
    call("cuModuleLoadData", ctypes.byref(module), code)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(28))
    places = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    call("cuLaunchKernel", kernel, *[ctypes.c_uint(1)] * 6, ctypes.c_uint(0), nothing, places, nothing)
    call("cuCtxSynchronize")
    words = array.array("I", bytes(28))
    call("cuMemcpyDtoH_v2", ctypes.c_void_p(words.buffer_info()[0]), memory, ctypes.c_size_t(28))
    print("words:", *map(hex, words))


if __name__ == "__main__":
    main()
