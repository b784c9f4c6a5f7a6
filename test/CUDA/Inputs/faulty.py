"""A program whose kernel fails: faulty.py address|alignment|trap|assert|nothing|refused"""
import ctypes
import sys

from cuda_device import Device, check

KERNELS = b"""
.version 8.0
.target sm_80
.address_size 64
.extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function,
                           .param .b64 size);
.visible .entry store(.param .u64 place)
{
  .reg .u64 %rd0;
  ld.param.u64 %rd0, [place];
  st.global.u32 [%rd0], 7;
  ret;
}
.visible .entry trap(.param .u64 place)
{
  trap;
}
.global .align 1 .b8 text[2] = {120, 0};
.visible .entry assert(.param .u64 place)
{
  .reg .u64 %rd<2>;
  mov.u64 %rd0, text;
  cvta.global.u64 %rd1, %rd0;
  {
    .param .b64 message; .param .b64 file; .param .b32 line; .param .b64 function; .param .b64 size;
    st.param.b64 [message], %rd1;
    st.param.b64 [file], %rd1;
    st.param.b32 [line], 7;
    st.param.b64 [function], %rd1;
    st.param.b64 [size], 1;
    call.uni __assertfail, (message, file, line, function, size);
  }
  ret;
}
"""
OFFSETS = {"address": 1 << 30, "alignment": 1}
RESULTS = {"address": 700, "alignment": 716, "trap": 719, "assert": 710, "nothing": 0, "refused": 0}


def main():
    what = sys.argv[1]
    device = Device(KERNELS)
    kernel = device.kernel({"trap": b"trap", "assert": b"assert"}.get(what, b"store"))
    code, memory = device.allocate(4096)
    check(code)
    place = ctypes.c_uint64(memory.value + OFFSETS.get(what, 0))
    if what == "refused":
        # Larger than any block.
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(place))
        assert device.driver.cuLaunchKernel(kernel, 1, 1, 1, 1 << 20, 1, 1, 0, None, arguments, None)
    else:
        device.launch(kernel, 1, 1, place)
    assert device.runtime.cudaDeviceSynchronize() == RESULTS[what]


if __name__ == "__main__":
    main()
