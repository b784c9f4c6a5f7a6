"""Has nvcc compile a source to machine code, as programs do that compile at run time, and runs it: prints what the
kernel has written. With --without-driver it only compiles, as a build does."""
import ctypes
import subprocess
import sys

compiler, source, output = sys.argv[1:4]


def check(code):
    if code:
        raise SystemExit(f"CUDA gave {code}")


def compile_it():
    subprocess.run([compiler, "--cubin", "-arch=sm_90", "-o", output, source], check=True)


if "--without-driver" in sys.argv:
    compile_it()
    raise SystemExit
driver = ctypes.CDLL("libcuda.so.1")
context, module, kernel = (ctypes.c_void_p() for _ in range(3))
check(driver.cuInit(0))
check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(driver.cuCtxSetCurrent(context))
compile_it()
check(driver.cuModuleLoad(ctypes.byref(module), output.encode()))
check(driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"fill"))
memory, host = ctypes.c_uint64(), (ctypes.c_uint32 * 4)()
check(driver.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(16)))
arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
check(driver.cuLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, None, arguments, None))
check(driver.cuMemcpyDtoH_v2(host, memory, ctypes.c_size_t(16)))
print(list(host))
