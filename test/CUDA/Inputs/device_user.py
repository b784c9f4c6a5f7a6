"""A program on a device that a service may share out.

    device_user.py free                  what cudaMemGetInfo says, in MiB
    device_user.py take MIB...           allocates, says what came of it, and waits for a line
    device_user.py hold MIB              has its pool hold back a block that was freed, and waits for a line
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

from cuda_device import Device, check

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


class Tripler:
    def __init__(self, device):
        self.device = device
        self.kernel = device.kernel(b"triple")
        code, self.memory = device.allocate(4 * COUNT)
        check(code)
        self.host = (ctypes.c_uint32 * COUNT)()

    def once(self, seed):
        self.host[:] = [(seed + i) & 0xFFFFFFFF for i in range(COUNT)]
        self.device.write(self.memory, self.host)
        self.device.launch(self.kernel, COUNT // BLOCK, BLOCK, self.memory)
        self.device.read(self.host, self.memory)
        if any(self.host[i] != (3 * (seed + i)) & 0xFFFFFFFF for i in range(0, COUNT, 37)):
            raise SystemExit("wrong")


def turns(device, seconds):
    """How often the loop of a kernel ran in that time, or no end."""
    place = ctypes.c_void_p()
    check(device.runtime.cudaMallocManaged(ctypes.byref(place), ctypes.c_size_t(8), 1))
    words = ctypes.cast(place, ctypes.POINTER(ctypes.c_uint32))
    device.launch(device.kernel(b"turns"), 1, 1, place)
    print("started", flush=True)
    if seconds is None:
        device.synchronize()
    # The others begin, too.
    sys.stdin.readline()
    before = words[0]
    time.sleep(seconds)
    print("turns", words[0] - before, flush=True)
    words[1] = 1
    device.synchronize()


def hold(device, size):
    """Fills the device's pool, whose threshold is the highest, with what is freed."""
    release_threshold = 4
    pool, memory, threshold = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64(~0)
    check(device.runtime.cudaDeviceGetDefaultMemPool(ctypes.byref(pool), 0))
    check(device.runtime.cudaMemPoolSetAttribute(pool, release_threshold, ctypes.byref(threshold)))
    check(device.runtime.cudaMallocAsync(ctypes.byref(memory), ctypes.c_size_t(size), None))
    check(device.runtime.cudaFreeAsync(memory, None))
    device.synchronize()


def main():
    what, *rest = sys.argv[1:]
    device = Device(KERNELS)
    if what == "free":
        print("free %d of %d" % device.free())
    elif what == "take":
        codes = [device.allocate(int(size) << 20)[0] for size in rest]
        print("codes", *codes, "free %d of %d" % device.free(), flush=True)
        sys.stdin.readline()
    elif what == "hold":
        hold(device, int(rest[0]) << 20)
        print("free %d of %d" % device.free(), flush=True)
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
