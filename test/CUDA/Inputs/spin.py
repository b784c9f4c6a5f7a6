"""Uses the device, and computes for a second in Python."""
import ctypes
import time


def spin_inner(count):
    total = 0
    for number in range(count):
        total += number * number
    return total


def spin_outer():
    end = time.process_time() + 1
    while time.process_time() < end:
        spin_inner(20000)


driver = ctypes.CDLL("libcuda.so.1")
context = ctypes.c_void_p()
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
driver.cuCtxSetCurrent(context)
spin_outer()
