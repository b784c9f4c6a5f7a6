"""A program of the driver API whose kernel finds its data by a pointer in memory.

usage: pointers.py FILE [LAUNCHES]

The second word of one block is 2 before the first launch; each launch adds a
variable of the module to it, 41 as the program sets it.
"""
import ctypes
import sys


def main():
    driver = ctypes.CDLL("libcuda.so.1")

    def call(function, *arguments):
        if code := getattr(driver, function)(*arguments):
            sys.exit("%s: error %d" % (function, code))

    context, module, kernel, nothing = (ctypes.c_void_p() for _ in range(4))
    pointers, words, variable = (ctypes.c_uint64() for _ in range(3))
    size = ctypes.c_size_t()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoad", ctypes.byref(module), sys.argv[1].encode())
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"follow")
    call("cuModuleGetGlobal_v2", ctypes.byref(variable), ctypes.byref(size), module, b"added")
    call("cuMemsetD32_v2", variable, 41, ctypes.c_size_t(1))
    for block in (pointers, words):
        call("cuMemAlloc_v2", ctypes.byref(block), ctypes.c_size_t(8))
    call("cuMemsetD32_v2", words, 2, ctypes.c_size_t(2))
    second = ctypes.c_uint64(words.value + 4)
    call("cuMemcpyHtoD_v2", pointers, ctypes.byref(second), ctypes.c_size_t(8))
    places = (ctypes.c_void_p * 1)(ctypes.addressof(pointers))
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1):
        call("cuLaunchKernel", kernel, *[ctypes.c_uint(1)] * 6, ctypes.c_uint(0), nothing,
             places, nothing)
    result = (ctypes.c_uint * 2)()
    call("cuMemcpyDtoH_v2", result, words, ctypes.c_size_t(8))
    print("results:", *result)


if __name__ == "__main__":
    main()
