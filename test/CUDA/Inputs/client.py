"""Has memory of a device, lets a kernel run, and waits for its input's end."""
import ctypes
import sys

SPIN = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 counter)
{
  .reg .u64 %rd<3>;
  .reg .pred %p;
  ld.param.u64 %rd0, [counter];
  mov.u64 %rd1, 0;
again:
  atom.global.add.u64 %rd2, [%rd0], 1;
  add.u64 %rd1, %rd1, 1;
  setp.lt.u64 %p, %rd1, 200000;
  @%p bra again;
  ret;
}
"""


def check(code):
    if code:
        raise SystemExit(f"the driver gave {code}")


def main():
    runtime = ctypes.CDLL("libcudart.so.13")
    driver = ctypes.CDLL("libcuda.so.1")
    memory, module, kernel = (ctypes.c_void_p() for _ in range(3))
    check(runtime.cudaSetDevice(int(sys.argv[1])))
    check(runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(int(sys.argv[2]) << 20)))
    check(driver.cuModuleLoadData(ctypes.byref(module), SPIN))
    check(driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"spin"))
    arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(memory), ctypes.c_void_p))
    check(driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, arguments, None))
    check(runtime.cudaDeviceSynchronize())
    print("ready", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
