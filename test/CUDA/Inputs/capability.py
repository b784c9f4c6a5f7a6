"""Prints the compute capability that the driver API tells."""
import ctypes

driver = ctypes.CDLL("libcuda.so.1")
major, minor = ctypes.c_int(), ctypes.c_int()
assert driver.cuInit(0) == 0
assert driver.cuDeviceComputeCapability(ctypes.byref(major), ctypes.byref(minor), 0) == 0
print("%d.%d" % (major.value, minor.value))
