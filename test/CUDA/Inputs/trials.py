"""Launches a kernel that adds to memory that processes share: nobody may notice if it runs more often.

usage: trials.py
"""
import ctypes
import mmap
import os
import sys

COUNT, STRIDE, LAUNCHES = 1 << 13, 16, 12
PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry bump(.param .u64 data)
{
  .reg .b32 %r<5>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [data];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r3, %r2, 256, %r1;
  mul.wide.u32 %d2, %r3, 64;
  add.u64 %d3, %d1, %d2;
  ld.global.u32 %r4, [%d3];
  add.u32 %r4, %r4, 1;
  st.global.u32 [%d3], %r4;
  ret;
}
"""


def call(function, *arguments):
    if code := getattr(driver, function)(*arguments):
        sys.exit("%s: error %d" % (function, code))


driver = ctypes.CDLL("libcuda.so.1")
context, module, kernel = (ctypes.c_void_p() for _ in range(3))
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), PTX)
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"bump")
shared = mmap.mmap(-1, 4 * COUNT * STRIDE)  # MAP_SHARED
words = (ctypes.c_uint32 * (COUNT * STRIDE)).from_buffer(shared)
call("cuMemHostRegister_v2", words, ctypes.c_size_t(len(shared)), 2)
data = ctypes.c_uint64()
call("cuMemHostGetDevicePointer_v2", ctypes.byref(data), words, 0)
places = (ctypes.c_void_p * 1)(ctypes.addressof(data))
for _ in range(LAUNCHES):
    call("cuLaunchKernel", kernel, *[ctypes.c_uint(n) for n in (COUNT // 256, 1, 1, 256, 1, 1)], ctypes.c_uint(0), None,
         places, None)
    call("cuCtxSynchronize")
print("sums:", "right" if list(words) == [LAUNCHES if n % STRIDE == 0 else 0 for n in range(len(words))] else "WRONG")
try:
    print("children:", os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("children: none")
