"""A program of the driver API that tells how its kernels were run.

usage: schedule.py FILE order | messages | threads

order prints the CTAs in the order in which they ran, messages how many readers
saw a flag before the data that was written first, and threads how many threads
of the host there are more while a grid runs.
"""
import ctypes
import os
import sys
import time

CTAS = 1000


def call(function, *arguments):
    if code := getattr(driver, function)(*arguments):
        sys.exit("%s: error %d" % (function, code))


def launch(name, address, ctas):
    kernel = ctypes.c_void_p()
    call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
    places = (ctypes.c_void_p * 1)(ctypes.addressof(address))
    extents = [ctypes.c_uint(n) for n in (ctas, 1, 1, 1, 1, 1)]
    call("cuLaunchKernel", kernel, *extents, ctypes.c_uint(0), None, places, None)


def threads_here():
    return set(os.listdir("/proc/self/task"))


def count_threads(address, words):
    """Those that come with a grid that waits and go with it, once it has begun and no
    more come for a while. It has more CTAs than they hold, so that all have some."""
    words[0] = 1
    launch("waits", address, 8)
    call("cuCtxSynchronize")
    before, words[0], words[1] = threads_here(), 0, 0
    launch("waits", address, 20000)
    while not words[1]:
        time.sleep(0.01)
    here, last = threads_here(), time.monotonic()
    while time.monotonic() < last + 1:
        if threads_here() != here:
            here, last = threads_here(), time.monotonic()
        time.sleep(0.01)
    words[0] = 1
    call("cuCtxSynchronize")
    return len(here - before - threads_here())


driver = ctypes.CDLL("libcuda.so.1")
context, module = ctypes.c_void_p(), ctypes.c_void_p()
memory = ctypes.c_uint64()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoad", ctypes.byref(module), sys.argv[1].encode())
call("cuMemAllocManaged", ctypes.byref(memory), ctypes.c_size_t(8 * CTAS), 1)
words = (ctypes.c_uint32 * (2 * CTAS)).from_address(memory.value)
if sys.argv[2] == "threads":
    print("threads: +%d" % count_threads(memory, words))
else:
    launch(sys.argv[2], memory, CTAS)
    call("cuCtxSynchronize")
    if sys.argv[2] == "order":
        print("order:", *words[1 : CTAS + 1])
    else:
        print("readers:", "early" if words[0] else "in order")
