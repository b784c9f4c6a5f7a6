"""A program on a device that a service may share out.

    device_user.py free                  what cudaMemGetInfo says, in MiB
    device_user.py take MIB...           allocates, says what came of it, and waits for a line
    device_user.py compute [THREADS]     one launch that is checked
    device_user.py count SECONDS         launches that are checked, one after the other; how many
    device_user.py work                  the same without end, with memory; a line for each
    device_user.py endless               a kernel that does not end
    device_user.py long SECONDS          turns of one kernel that does not end by itself, which counts
    device_user.py fork                  computes, then forks a child that uses nothing, and computes
"""
import ctypes
import os
import sys
import time

KERNELS = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry triple(.param .u64 data)
{
  .reg .u64 %rd<3>;
  .reg .u32 %r<6>;
  .reg .pred %p;
  ld.param.u64 %rd0, [data];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd0, %rd0, %rd1;
  ld.global.u32 %r4, [%rd0];
  mul.lo.u32 %r4, %r4, 3;
  st.global.u32 [%rd0], %r4;
  ret;
}
.visible .entry turns(.param .u64 place)
{
  .reg .u64 %rd<2>;
  .reg .u32 %r<3>;
  .reg .pred %p;
  ld.param.u64 %rd0, [place];
again:
  atom.global.add.u32 %r0, [%rd0], 1;
  ld.volatile.global.u32 %r1, [%rd0+4];
  setp.eq.u32 %p, %r1, 0;
  @%p bra again;
  ret;
}
"""
COUNT, BLOCK = 4096, 128


def check(code):
    if code:
        raise SystemExit(f"CUDA gave {code}")


class Device:
    def __init__(self):
        self.runtime, self.driver = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcuda.so.1")

    def kernel(self, name):
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        check(self.runtime.cudaFree(None))
        check(self.driver.cuModuleLoadData(ctypes.byref(module), KERNELS))
        check(self.driver.cuModuleGetFunction(ctypes.byref(kernel), module, name))
        return kernel

    def allocate(self, size):
        memory = ctypes.c_void_p()
        code = self.runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(size))
        return code, memory

    def launch(self, kernel, pointer, grid, block):
        arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(pointer), ctypes.c_void_p))
        check(self.driver.cuLaunchKernel(kernel, grid, 1, 1, block, 1, 1, 0, None, arguments, None))

    def free(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        check(self.runtime.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)))
        return free.value >> 20, total.value >> 20


class Tripler:
    def __init__(self, device):
        self.device = device
        self.kernel = device.kernel(b"triple")
        code, self.memory = device.allocate(4 * COUNT)
        check(code)
        self.host = (ctypes.c_uint32 * COUNT)()

    def once(self, seed):
        self.host[:] = [(seed + i) & 0xFFFFFFFF for i in range(COUNT)]
        check(self.device.runtime.cudaMemcpy(self.memory, self.host, ctypes.c_size_t(4 * COUNT), 1))
        self.device.launch(self.kernel, self.memory, COUNT // BLOCK, BLOCK)
        check(self.device.runtime.cudaMemcpy(self.host, self.memory, ctypes.c_size_t(4 * COUNT), 2))
        if any(self.host[i] != (3 * (seed + i)) & 0xFFFFFFFF for i in range(0, COUNT, 37)):
            raise SystemExit("wrong")


def turns(device, seconds):
    """How often the loop of a kernel ran in that time, or no end."""
    place = ctypes.c_void_p()
    check(device.runtime.cudaMallocManaged(ctypes.byref(place), ctypes.c_size_t(8), 1))
    words = ctypes.cast(place, ctypes.POINTER(ctypes.c_uint32))
    device.launch(device.kernel(b"turns"), place, 1, 1)
    print("started", flush=True)
    if seconds is None:
        check(device.runtime.cudaDeviceSynchronize())
    # The others begin, too.
    sys.stdin.readline()
    before = words[0]
    time.sleep(seconds)
    print("turns", words[0] - before, flush=True)
    words[1] = 1
    check(device.runtime.cudaDeviceSynchronize())


def main():
    what, *rest = sys.argv[1:]
    device = Device()
    if what == "free":
        print("free %d of %d" % device.free())
    elif what == "take":
        codes = [device.allocate(int(size) << 20)[0] for size in rest]
        print("codes", *codes, "free %d of %d" % device.free(), flush=True)
        sys.stdin.readline()
    elif what == "compute":
        Tripler(device).once(5)
        print("ok")
    elif what == "count":
        tripler, done, end = Tripler(device), 0, time.monotonic() + float(rest[0])
        while time.monotonic() < end:
            tripler.once(done)
            done += 1
        print("done", done)
    elif what == "work":
        tripler, done = Tripler(device), 0
        while True:
            code, memory = device.allocate(1 << 20)
            check(code)
            tripler.once(done)
            check(device.runtime.cudaFree(memory))
            done += 1
            print(done, flush=True)
    elif what == "endless":
        turns(device, None)
    elif what == "long":
        turns(device, float(rest[0]))
    elif what == "fork":
        tripler = Tripler(device)
        tripler.once(1)
        child = os.fork()
        if child == 0:
            refused = device.allocate(1 << 20)[0]
            os._exit(0 if refused else 1)
        status = os.waitpid(child, 0)[1]
        tripler.once(2)
        print("child", os.waitstatus_to_exitcode(status), "free %d of %d" % device.free())


if __name__ == "__main__":
    main()
