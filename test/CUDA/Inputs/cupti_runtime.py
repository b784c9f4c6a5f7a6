"""A profiler of the driver is told of the calls that NVIDIA's runtime makes to it: of launches, captures and graphs.

usage: cupti_runtime.py LIBRARY
"""
import ctypes
import sys

cupti = ctypes.CDLL(sys.argv[1])
runtime = ctypes.CDLL("libcudart.so.13")
U32, U64, P, SIZE = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t
DRIVER, RUNTIME = 1, 2
PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry touch(.param .u64 data)
{
  .reg .b32 %r<3>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [data];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d3, %d1, %d2;
  ld.global.u32 %r2, [%d3];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%d3], %r2;
  ret;
}
"""


class Extents(ctypes.Structure):
    _fields_ = [("x", U32), ("y", U32), ("z", U32)]


class CallbackData(ctypes.Structure):
    _fields_ = [("site", U32), ("function", ctypes.c_char_p), ("parameters", P), ("result", ctypes.POINTER(ctypes.c_int)),
                ("symbol", ctypes.c_char_p), ("context", P), ("context_id", U32), ("data", ctypes.POINTER(U64)),
                ("correlation", U32)]


class LaunchParameters(ctypes.Structure):
    """Of cuLaunchKernel."""
    _fields_ = [("function", P), ("grid", U32 * 3), ("block", U32 * 3), ("shared", U32), ("stream", P), ("values", P),
                ("extra", P)]


def ask(library, name, *arguments):
    if code := getattr(library, name)(*arguments):
        sys.exit("%s: error %d" % (name, code))


told, launches = [], []


@ctypes.CFUNCTYPE(None, P, U32, U32, P)
def callback(user_data, domain, number, pointer):
    data = CallbackData.from_address(pointer)
    if data.site == 0:
        data.data[0] = data.correlation * 4 + domain
    told.append((domain, data.function.decode(), data.site, data.correlation,
                 data.data[0] == data.correlation * 4 + domain))
    if domain == DRIVER and data.symbol and not data.site:
        launch = LaunchParameters.from_address(data.parameters)
        launches.append((data.symbol.decode(), *launch.grid, *launch.block, launch.shared, launch.stream == stream.value,
                         U64.from_address(P.from_address(launch.values).value).value == memory.value))


memory, library, kernel, stream, graph, ready = (P() for _ in range(6))
ask(runtime, "cudaMalloc", ctypes.byref(memory), SIZE(64))
ask(runtime, "cudaMemset", memory, 0, SIZE(64))
ask(runtime, "cudaStreamCreate", ctypes.byref(stream))
ask(runtime, "cudaLibraryLoadData", ctypes.byref(library), PTX, None, None, 0, None, None, 0)
ask(runtime, "cudaLibraryGetKernel", ctypes.byref(kernel), library, b"touch")
values = (P * 1)(ctypes.addressof(memory))
subscriber = P()
ask(cupti, "cuptiSubscribe", ctypes.byref(subscriber), callback, None)
ask(cupti, "cuptiEnableDomain", 1, subscriber, DRIVER)
ask(cupti, "cuptiEnableDomain", 1, subscriber, RUNTIME)
ask(runtime, "cudaStreamBeginCapture", stream, 0)
ask(runtime, "cudaLaunchKernel", kernel, Extents(5, 2, 1), Extents(1, 1, 1), values, SIZE(16), stream)
ask(runtime, "cudaStreamEndCapture", stream, ctypes.byref(graph))
ask(runtime, "cudaGraphInstantiate", ctypes.byref(ready), graph, U64(0))
ask(runtime, "cudaGraphLaunch", ready, stream)
ask(runtime, "cudaStreamSynchronize", stream)
ask(cupti, "cuptiUnsubscribe", subscriber)
for domain, function, site, *_ in told:
    print("%s %s %s" % ("driver" if domain == DRIVER else "runtime", "ends" if site else "begins", function))
print("launches:", *launches)
print("kept:", all(kept for *_, kept in told), "calls:", len({correlation for *_, correlation, _ in told}))
result = (U32 * 6)()
ask(runtime, "cudaMemcpy", result, memory, SIZE(24), 2)
print("result:", *result)
