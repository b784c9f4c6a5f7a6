"""Leaves a kernel running that never ends, with more work behind it, and exits.

usage: exit-in-flight.py FILE KERNEL [thread]

With the last argument another thread waits for the device meanwhile.
"""
import ctypes
import sys
import threading
import time


def main():
    driver = ctypes.CDLL("libcuda.so.1")
    context, module, kernel = (ctypes.c_void_p() for _ in range(3))
    memory = ctypes.c_uint64()
    codes = [
        driver.cuInit(0),
        driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
        driver.cuCtxSetCurrent(context),
        driver.cuModuleLoad(ctypes.byref(module), sys.argv[1].encode()),
        driver.cuModuleGetFunction(
            ctypes.byref(kernel), module, sys.argv[2].encode()
        ),
        driver.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4)),
    ]
    places = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    shape = [ctypes.c_uint(extent) for extent in (1, 1, 1, 32, 1, 1, 0)]
    nothing = ctypes.c_void_p()
    for _ in range(3):
        codes.append(driver.cuLaunchKernel(kernel, *shape, nothing, places, nothing))
    print("codes:", sum(codes), flush=True)
    if sys.argv[3:]:

        def wait():
            driver.cuCtxSetCurrent(context)
            driver.cuCtxSynchronize()

        threading.Thread(target=wait, daemon=True).start()
        time.sleep(0.2)


if __name__ == "__main__":
    main()
