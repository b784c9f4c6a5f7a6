"""Works on the device that it sees until it is ended: launches a kernel, checks what it
computed, and tells how often on its output."""
import ctypes
import random
import sys

KERNEL = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry mix(.param .u64 data, .param .u32 factor)
{
  .reg .u64 %rd<3>;
  .reg .u32 %r<6>;
  .reg .pred %p;
  ld.param.u64 %rd0, [data];
  ld.param.u32 %r0, [factor];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd0, %rd0, %rd1;
  ld.global.u32 %r4, [%rd0];
  mov.u32 %r5, 0;
again:
  mad.lo.u32 %r4, %r4, %r0, %r1;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p, %r5, 64;
  @%p bra again;
  st.global.u32 [%rd0], %r4;
  ret;
}
"""
COUNT, BLOCK, STEPS, MASK = 4096, 128, 64, 0xFFFFFFFF


def check(code):
    if code:
        raise SystemExit(f"CUDA gave {code}")


def expected(value, factor, index):
    """The same recurrence, as one product and one sum modulo 2^32."""
    power, total = 1, 0
    for _ in range(STEPS):
        total += power
        power *= factor
    return (value * power + index * total) & MASK


def main():
    chance = random.Random(int(sys.argv[1]))
    runtime, driver = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcuda.so.1")
    memory, module, kernel = (ctypes.c_void_p() for _ in range(3))
    check(runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(4 * COUNT)))
    check(driver.cuModuleLoadData(ctypes.byref(module), KERNEL))
    check(driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"mix"))
    host = (ctypes.c_uint32 * COUNT)()
    done = 0
    while True:
        factor = ctypes.c_uint32(chance.getrandbits(32) | 1)
        seed = chance.getrandbits(32)
        host[:] = [(seed + 2654435761 * i) & MASK for i in range(COUNT)]
        check(runtime.cudaMemcpy(memory, host, ctypes.c_size_t(4 * COUNT), 1))
        arguments = (ctypes.c_void_p * 2)(
            *(ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in (memory, factor)))
        check(driver.cuLaunchKernel(kernel, COUNT // BLOCK, 1, 1, BLOCK, 1, 1, 0, None, arguments, None))
        check(runtime.cudaMemcpy(host, memory, ctypes.c_size_t(4 * COUNT), 2))
        for i in chance.sample(range(COUNT), 32):
            if host[i] != expected((seed + 2654435761 * i) & MASK, factor.value, i):
                raise SystemExit(f"wrong: element {i} of launch {done}")
        done += 1
        print(done, flush=True)


if __name__ == "__main__":
    main()
