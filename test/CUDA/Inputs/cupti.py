"""What CUPTI says of the driver, as a profiler would ask it.

usage: cupti.py LIBRARY
"""
import ctypes
import sys


def main():
    cupti = ctypes.CDLL(sys.argv[1])
    version = ctypes.c_uint()
    print("cuptiGetVersion:", cupti.cuptiGetVersion(ctypes.byref(version)))
    subscriber, text = ctypes.c_void_p(), ctypes.c_char_p()
    callback = ctypes.CFUNCTYPE(None)(lambda: None)
    codes = [cupti.cuptiSubscribe(ctypes.byref(subscriber), callback, None)]
    codes += [cupti.cuptiActivityEnable(kind) for kind in range(1, 13)]
    cupti.cuptiGetResultString(codes[0], ctypes.byref(text))
    print("refused:", sum(code != 0 for code in codes), "of", len(codes))
    print("because:", text.value.decode())


if __name__ == "__main__":
    main()
