"""nvJitLink links LLVM bitcode or LTO-IR that it is given as such, and refuses other bytes.

usage: jit_bitcode.py LIBRARIES FILE [OPTION...]
"""

import ctypes
import os
import sys

LTOIR, PTX = 3, 2
LTO_NOT_ENABLED = 18
MAIN = b""".version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) answer(.param .b32 x);
.visible .entry run(.param .u64 p) {
  .reg .b32 %v;
  .reg .b64 %p;
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], 20;
    call (b), answer, (a);
    ld.param.b32 %v, [b];
  }
  ld.param.u64 %p, [p];
  st.global.u32 [%p], %v;
  ret;
}
"""


def check(code):
    if code:
        sys.exit("error %d" % code)


def main():
    folder, path, *more = sys.argv[1:]
    link = ctypes.CDLL(os.path.join(folder, "libnvJitLink.so.13"))
    driver = ctypes.CDLL(os.path.join(folder, "libcuda.so.1"))
    check(driver.cuInit(0))
    context = ctypes.c_void_p()
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(driver.cuCtxPushCurrent_v2(context))

    handle = ctypes.c_void_p()
    words = [b"-arch=sm_90", b"-lto", *(word.encode() for word in more)]
    options = (ctypes.c_char_p * len(words))(*words)
    check(link.nvJitLinkCreate(ctypes.byref(handle), len(words), options))
    with open(path, "rb") as file:
        bitcode = file.read()
    # Whether NVIDIA's library is there or not.
    if not link.nvJitLinkAddData(handle, LTOIR, b"\xed\x43\x4e\x7f", 4, b"other"):
        sys.exit("took LTO-IR that has nothing in it")
    if link.nvJitLinkAddFile(handle, LTOIR, sys.argv[0].encode()) != LTO_NOT_ENABLED:
        sys.exit("took a file that is no bitcode")
    if os.environ.get("AS_FILE"):
        check(link.nvJitLinkAddFile(handle, LTOIR, path.encode()))
    else:
        check(link.nvJitLinkAddData(handle, LTOIR, bitcode, len(bitcode), b"answer"))
    check(link.nvJitLinkAddData(handle, PTX, MAIN, len(MAIN), b"main"))
    code = link.nvJitLinkComplete(handle)
    log = ctypes.create_string_buffer(1000)
    check(link.nvJitLinkGetErrorLog(handle, log))
    if code:
        sys.exit("link: %d, %s" % (code, log.value.decode().strip().splitlines()[-1]))
    size = ctypes.c_size_t()
    check(link.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size)))
    image = ctypes.create_string_buffer(size.value)
    check(link.nvJitLinkGetLinkedCubin(handle, image))

    module, kernel, memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
    check(driver.cuModuleLoadData(ctypes.byref(module), image))
    check(driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"run"))
    check(driver.cuMemAlloc_v2(ctypes.byref(memory), 4))
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    check(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, arguments, None))
    result = ctypes.c_uint32()
    check(driver.cuMemcpyDtoH_v2(ctypes.byref(result), memory, 4))
    print("answer: %d" % result.value)


main()
