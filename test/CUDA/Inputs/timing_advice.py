"""A program of the driver API that wastes time in one way.

usage: timing_advice.py FILE launches|copies|waits|nothing
"""
import ctypes
import sys
import time


def call(function, *arguments):
    if code := getattr(driver, function)(*arguments):
        sys.exit("%s: error %d" % (function, code))


def launch(turns, ctas=4):
    turns = ctypes.c_uint32(turns)
    places = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(turns))
    extents = [ctypes.c_uint(n) for n in (ctas, 1, 1, 64, 1, 1)]
    call("cuLaunchKernel", kernel, *extents, ctypes.c_uint(0), None, places, None)


def launches():
    """Four shapes again and again, each over at once."""
    for _ in range(50):
        for ctas in (1, 2, 3, 4):
            launch(2, ctas)


def copies():
    host = ctypes.create_string_buffer(SIZE)
    for _ in range(4):
        call("cuMemcpyHtoD_v2", memory, host, ctypes.c_size_t(SIZE))
        launch(5000)


def waits():
    for _ in range(4):
        launch(5000)
        call("cuCtxSynchronize")
        time.sleep(0.001)


def nothing():
    for _ in range(4):
        launch(20000)


SIZE = 8 << 20
driver = ctypes.CDLL("libcuda.so.1")
context, module, kernel = (ctypes.c_void_p() for _ in range(3))
memory = ctypes.c_uint64()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoad", ctypes.byref(module), sys.argv[1].encode())
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"work")
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(SIZE))
{f.__name__: f for f in (launches, copies, waits, nothing)}[sys.argv[2]]()
call("cuCtxSynchronize")
