"""A program whose timeline is known: calls of the driver, copies, a fill, kernels in two streams, ranges of NVTX.

usage: timeline.py [--long]

With --long also launches of another shape and of a graph, an event and a second thread.
"""
import ctypes
import sys
import threading

BYTES = 1 << 16
PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z5scaleIfEvPT_i(.param .u64 data, .param .u32 count)
{
  .reg .pred %p;
  .reg .f32 %f<2>;
  .reg .b32 %r<5>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [data];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mad.lo.u32 %r4, %r3, 256, %r2;
  setp.ge.u32 %p, %r4, %r1;
  @%p ret;
  cvta.to.global.u64 %d1, %d1;
  mul.wide.u32 %d2, %r4, 4;
  add.u64 %d3, %d1, %d2;
  ld.global.f32 %f1, [%d3];
  add.f32 %f1, %f1, %f1;
  st.global.f32 [%d3], %f1;
  ret;
}
"""


class Attributes(ctypes.Structure):
    """nvtxEventAttributes_t with a text."""
    _fields_ = [("version", ctypes.c_uint16), ("size", ctypes.c_uint16), ("category", ctypes.c_uint32),
                ("color_type", ctypes.c_int32), ("color", ctypes.c_uint32), ("payload_type", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("payload", ctypes.c_double), ("message_type", ctypes.c_int32),
                ("message", ctypes.c_char_p)]


def call(function, *arguments):
    if code := getattr(driver, function)(*arguments):
        sys.exit("%s: error %d" % (function, code))


def launch(stream, ctas=BYTES // 1024):
    count = ctypes.c_uint32(BYTES // 4)
    places = (ctypes.c_void_p * 2)(ctypes.addressof(data), ctypes.addressof(count))
    extents = [ctypes.c_uint(n) for n in (ctas, 1, 1, 256, 1, 1)]
    call("cuLaunchKernel", kernel, *extents, ctypes.c_uint(0), stream, places, None)


def launch_graph():
    """Twice."""
    graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuStreamBeginCapture_v2", stream, 0)
    launch(stream)
    call("cuStreamEndCapture", stream, ctypes.byref(graph))
    call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
    for _ in range(2):
        call("cuGraphLaunch", executable, stream)


def wait_for_event():
    """The default stream, then the host."""
    event = ctypes.c_void_p()
    call("cuEventCreate", ctypes.byref(event), 0)
    call("cuEventRecord", event, stream)
    call("cuStreamWaitEvent", None, event, 0)
    call("cuEventSynchronize", event)


def work_of_thread():
    nvtx.nvtxRangePushA(b"filling")
    call("cuCtxSetCurrent", context)
    call("cuStreamSynchronize", None)
    nvtx.nvtxRangePop()


is_long = "--long" in sys.argv
driver = ctypes.CDLL("libcuda.so.1")
nvtx = ctypes.CDLL("libnvToolsExt.so.1")
nvtx.nvtxDomainCreateA.restype = ctypes.c_void_p
nvtx.nvtxDomainRangeStartEx.restype = nvtx.nvtxRangeStartA.restype = ctypes.c_uint64
nvtx.nvtxDomainRangeEnd.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
nvtx.nvtxRangeEnd.argtypes = [ctypes.c_uint64]

call("cuInit", 0)
context, module, kernel, stream = (ctypes.c_void_p() for _ in range(4))
data, other = ctypes.c_uint64(), ctypes.c_uint64()
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), PTX)
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"_Z5scaleIfEvPT_i")
call("cuStreamCreate", ctypes.byref(stream), 0)  # which the default stream waits for
call("cuMemAlloc_v2", ctypes.byref(data), ctypes.c_size_t(BYTES))
call("cuMemAlloc_v2", ctypes.byref(other), ctypes.c_size_t(BYTES))

depths = [nvtx.nvtxRangePushA(b"whole"), nvtx.nvtxRangePushA(b"filling")]
call("cuMemsetD8_v2", other, ctypes.c_ubyte(7), ctypes.c_size_t(BYTES))
host = (ctypes.c_float * (BYTES // 4))(*range(BYTES // 4))
call("cuMemcpyHtoD_v2", data, host, ctypes.c_size_t(BYTES))
depths += [nvtx.nvtxRangePop()]

domain = ctypes.c_void_p(nvtx.nvtxDomainCreateA(b"library"))
nvtx.nvtxDomainNameCategoryA(domain, 3, b"steps")
event = Attributes(3, ctypes.sizeof(Attributes), 3, 1, 0xFF00FF00, 3, 0, 2.5, 1, b"step")
step = nvtx.nvtxDomainRangeStartEx(domain, ctypes.byref(event))
# Shapes take turns.
for ctas in (BYTES // 1024, BYTES // 512 if is_long else BYTES // 1024, BYTES // 1024):
    launch(stream, ctas)
launch(None)
if is_long:
    launch_graph()
    wait_for_event()
call("cuStreamSynchronize", stream)
nvtx.nvtxDomainRangeEnd(domain, step)
nvtx.nvtxMarkA(b"half way")

call("cuMemcpyDtoD_v2", other, data, ctypes.c_size_t(BYTES))
call("cuMemcpyDtoH_v2", host, other, ctypes.c_size_t(BYTES))
depths += [nvtx.nvtxRangePop()]
if is_long:
    thread = threading.Thread(target=work_of_thread)
    thread.start()
    thread.join()
# One range too much is popped.
depths += [nvtx.nvtxRangePop()]
call("cuMemFree_v2", data)
if code := driver.cuMemFree_v2(ctypes.c_uint64(12345)):
    print("refused:", code)
print("depths:", *depths)
print("results:", "right" if list(host) == [(64 if is_long else 16) * n for n in range(BYTES // 4)] else "WRONG")
