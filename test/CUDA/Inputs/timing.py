"""A benchmark program of the driver API: times launches by events, by the kernel's
clocks and by the host's.

usage: timing.py FILE TURNS [CTAS]

Prints each figure, and says where two of them contradict each other.
"""
import ctypes
import sys
import time

CLOCK_MHZ = 1755  # of hd100
LAUNCHES = 10


def call(function, *arguments):
    if code := getattr(driver, function)(*arguments):
        sys.exit("%s: error %d" % (function, code))


CTAS = int(sys.argv[3]) if len(sys.argv) > 3 else 4


def launch():
    turns = ctypes.c_uint32(int(sys.argv[2]))
    places = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(turns))
    extents = [ctypes.c_uint(n) for n in (CTAS, 1, 1, 64, 1, 1)]
    call("cuLaunchKernel", kernel, *extents, ctypes.c_uint(0), None, places, None)


def event():
    made = ctypes.c_void_p()
    call("cuEventCreate", ctypes.byref(made), 0)
    call("cuEventRecord", made, None)
    return made


def between(begin, end):
    """In nanoseconds."""
    call("cuEventSynchronize", end)
    milliseconds = ctypes.c_float()
    call("cuEventElapsedTime_v2", ctypes.byref(milliseconds), begin, end)
    return milliseconds.value * 1e6


def expect(what, low, value, high):
    print("%s: %s" % (what, "as expected" if low <= value <= high else value))


driver = ctypes.CDLL("libcuda.so.1")
context, module, kernel = (ctypes.c_void_p() for _ in range(3))
memory = ctypes.c_uint64()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoad", ctypes.byref(module), sys.argv[1].encode())
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"work")
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4096))
launch()
call("cuCtxSynchronize")

words = (ctypes.c_uint64 * 3)()
began = time.perf_counter_ns()
before = event()
launch()
after = event()
one = between(before, after)
host = time.perf_counter_ns() - began
call("cuMemcpyDtoH_v2", words, memory, ctypes.c_size_t(24))
cycles, nanoseconds, first = words
print("one launch %d ns by events, %d by its clocks, %d by the host's" % (one, nanoseconds, host))
expect("cycles", nanoseconds - 2, cycles * 1000 / CLOCK_MHZ, nanoseconds + 2)
expect("events", nanoseconds, one, nanoseconds + 10_000)
expect("host", one, host, one + 10_000_000)
expect("begin", began, first, began + 10_000_000)

before = event()
for _ in range(LAUNCHES):
    launch()
after = event()
many = between(before, after)
print("%d launches %d ns" % (LAUNCHES, many))
expect("many", LAUNCHES * nanoseconds, many, LAUNCHES * (nanoseconds + 3_000))

began = time.monotonic_ns()
time.sleep(0.05)
slept = time.monotonic_ns() - began
expect("sleep", 50_000_000, slept, 1_000_000_000)
expect("date", 1_700_000_000, time.time(), 4_000_000_000)
