"""Works on the device that it sees until it is ended: launches a kernel, checks all that it
computed, and tells how often on its output. Nearly all of its time is the kernel's: what is
to come out is computed before the first launch, and compared as bytes.

    worker.py NUMBER STEPS"""
import array
import ctypes
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "test" / "CUDA" / "Inputs"))
from cuda_device import Device, check  # noqa: E402

KERNEL = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry mix(.param .u64 data, .param .u32 factor, .param .u32 steps)
{
  .reg .u64 %rd<3>;
  .reg .u32 %r<7>;
  .reg .pred %p;
  ld.param.u64 %rd0, [data];
  ld.param.u32 %r0, [factor];
  ld.param.u32 %r6, [steps];
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
  setp.lt.u32 %p, %r5, %r6;
  @%p bra again;
  st.global.u32 [%rd0], %r4;
  ret;
}
"""
COUNT, BLOCK, CASES, MASK = 4096, 128, 8, 0xFFFFFFFF


class Case:
    """What goes in and what has to come out; each worker has others."""

    def __init__(self, chance, steps):
        self.factor = ctypes.c_uint32(chance.getrandbits(32) | 1)
        values = [chance.getrandbits(32) for _ in range(COUNT)]
        self.data = (ctypes.c_uint32 * COUNT)(*values)
        # The recurrence as one product and one sum modulo 2^32.
        power, total = 1, 0
        for _ in range(steps):
            total = total + power & MASK
            power = power * self.factor.value & MASK
        self.expected = array.array("I", (value * power + index * total & MASK
                                          for index, value in enumerate(values))).tobytes()


def main():
    chance, steps = random.Random(int(sys.argv[1])), ctypes.c_uint32(int(sys.argv[2]))
    cases = [Case(chance, steps.value) for _ in range(CASES)]
    device = Device(KERNEL)
    kernel = device.kernel(b"mix")
    code, memory = device.allocate(4 * COUNT)
    check(code)
    result = ctypes.create_string_buffer(4 * COUNT)
    done = 0
    while True:
        # Never the same twice, so that what is left of the last one is wrong.
        case = cases[done % CASES]
        device.write(memory, case.data)
        device.launch(kernel, COUNT // BLOCK, BLOCK, memory, case.factor, steps)
        device.read(result, memory)
        if result.raw != case.expected:
            raise SystemExit(f"wrong results of launch {done}")
        done += 1
        print(done, flush=True)


if __name__ == "__main__":
    main()
