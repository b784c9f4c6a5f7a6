"""y = a * x + y from PTX that stands here."""
import heddle

PTX = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) {
  .reg .u32 %n, %i, %t; .reg .u64 %x, %y, %o; .reg .f32 %a, %u, %v; .reg .pred %p;
  ld.param.u32 %n, [n];
  ld.param.f32 %a, [a];
  ld.param.u64 %x, [x];
  ld.param.u64 %y, [y];
  mov.u32 %i, %ctaid.x;
  mov.u32 %t, %ntid.x;
  mul.lo.u32 %i, %i, %t;
  mov.u32 %t, %tid.x;
  add.u32 %i, %i, %t;
  setp.ge.u32 %p, %i, %n;
  @%p ret;
  mul.wide.u32 %o, %i, 4;
  add.u64 %x, %x, %o;
  add.u64 %y, %y, %o;
  ld.global.f32 %u, [%x];
  ld.global.f32 %v, [%y];
  fma.rn.f32 %v, %u, %a, %v;
  st.global.f32 [%y], %v;
  ret;
}
"""


def main():
    count = 1000
    device = heddle.Device(profile=True)
    code = heddle.compile(PTX, ["-O3"])
    print("registers:", code.kernels()["saxpy"]["registers"])
    saxpy = device.load(code).kernel("saxpy")
    x = device.array("f", range(count))
    y = device.array("f", [1] * count)
    saxpy(grid=(count + 255) // 256, block=256)(count, 2.0, x, y)
    (profile,) = device.profiles
    throughput = profile["metrics"]["sm__warps_active.avg.pct_of_peak_sustained_active"]
    print("cycles:", profile["cycles"], "occupancy:", throughput["value"])
    wrong = sum(value != 2 * i + 1 for i, value in enumerate(y.read()))
    print("FAIL: %d wrong" % wrong if wrong else "PASS")
    return wrong != 0


if __name__ == "__main__":
    raise SystemExit(main())
