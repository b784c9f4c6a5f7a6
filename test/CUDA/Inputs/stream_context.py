"""Asks a stream for its context and device on a thread that has no context yet, and chooses a device there. The
runtime alone, on another thread, initialises the driver."""
import ctypes
import threading

INVALID_CONTEXT = 201


def main():
    driver, runtime = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL("libcudart.so.13")
    stream, legacy, wanted = ctypes.c_void_p(), ctypes.c_void_p(1), ctypes.c_void_p()
    assert runtime.cudaStreamCreate(ctypes.byref(stream)) == 0
    assert driver.cuCtxGetCurrent(ctypes.byref(wanted)) == 0 and wanted.value
    found = []

    def ask():
        current, context, device = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int(7)
        found.append(driver.cuStreamGetCtx(stream, ctypes.byref(context)))
        found.append(context.value == wanted.value)
        found.append(driver.cuStreamGetDevice(stream, ctypes.byref(device)))
        found.append(device.value)
        found.append(driver.cuStreamGetCtx(legacy, ctypes.byref(context)) == INVALID_CONTEXT)
        driver.cuCtxGetCurrent(ctypes.byref(current))
        found.append(current.value)  # Asking makes none current.
        # The runtime's choice of a device does, also in place of another context.
        found.append(runtime.cudaSetDevice(0))
        driver.cuCtxGetCurrent(ctypes.byref(current))
        found.append(current.value == wanted.value)
        found.append(driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
        found.append(runtime.cudaSetDevice(0))
        driver.cuCtxGetCurrent(ctypes.byref(current))
        found.append(current.value == wanted.value)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    print("PASS" if found == [0, True, 0, 0, True, None, 0, True, 0, 0, True] else found)


if __name__ == "__main__":
    main()
