"""A program of the driver API that prints words of memory that nobody has written.

usage: fresh.py FILE MEBIBYTES

The words are of a small block, of the end of a large one, of a block that a
kernel allocated, and of the end of managed memory.
"""
import ctypes
import sys


def main():
    size = int(sys.argv[2]) << 20
    driver = ctypes.CDLL("libcuda.so.1")

    def call(function, *arguments):
        if code := getattr(driver, function)(*arguments):
            sys.exit("%s: error %d" % (function, code))

    def word_at(address):
        word = ctypes.c_uint32()
        call("cuMemcpyDtoH_v2", ctypes.byref(word), ctypes.c_uint64(address), ctypes.c_size_t(4))
        return "%08x" % word.value

    context, module, kernel, nothing = (ctypes.c_void_p() for _ in range(4))
    small, large, managed = (ctypes.c_uint64() for _ in range(3))
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuMemAlloc_v2", ctypes.byref(small), ctypes.c_size_t(8))
    call("cuMemAlloc_v2", ctypes.byref(large), ctypes.c_size_t(size))
    call("cuMemAllocManaged", ctypes.byref(managed), ctypes.c_size_t(size), 1)
    words = [word_at(small.value), word_at(large.value + size - 4)]
    call("cuModuleLoad", ctypes.byref(module), sys.argv[1].encode())
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"allocates")
    places = (ctypes.c_void_p * 1)(ctypes.addressof(small))
    call("cuLaunchKernel", kernel, *[ctypes.c_uint(1)] * 6, ctypes.c_uint(0), nothing,
         places, nothing)
    block = ctypes.c_uint64()
    call("cuMemcpyDtoH_v2", ctypes.byref(block), small, ctypes.c_size_t(8))
    words.append(word_at(block.value))
    print("results:", *words, "managed", word_at(managed.value + size - 4))


if __name__ == "__main__":
    main()
