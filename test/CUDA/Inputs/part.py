"""A program on a part of a device: part.py describe|endless|fault|compute|exhaust|time|keep|peek|import."""
import ctypes
import sys
import threading

runtime = ctypes.CDLL("libcudart.so.13")
driver = ctypes.CDLL("libcuda.so.1")

KERNELS = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 place, .param .u32 value)
{
  .reg .u64 %rd0;
  .reg .u32 %r0;
  ld.param.u64 %rd0, [place];
  ld.param.u32 %r0, [value];
  st.global.u32 [%rd0], %r0;
  ret;
}
.visible .entry endless(.param .u64 place, .param .u32 value)
{
  .reg .u64 %rd0;
  .reg .u32 %r0;
  ld.param.u64 %rd0, [place];
again:
  atom.global.add.u32 %r0, [%rd0], 1;
  bra again;
}
"""


def check(code):
    if code:
        raise SystemExit(f"CUDA gave {code}")


def allocate(size=4096):
    memory = ctypes.c_void_p()
    check(runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(size)))
    return memory


def launch(name, place, value=7):
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    check(driver.cuModuleLoadData(ctypes.byref(module), KERNELS))
    check(driver.cuModuleGetFunction(ctypes.byref(kernel), module, name))
    place, value = ctypes.c_uint64(place), ctypes.c_uint32(value)
    arguments = (ctypes.c_void_p * 2)(*(ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in (place, value)))
    return driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, arguments, None)


def describe():
    name, cores = ctypes.create_string_buffer(100), ctypes.c_int()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    check(driver.cuInit(0))
    check(driver.cuDeviceGetName(name, 100, 0))
    check(driver.cuDeviceGetAttribute(ctypes.byref(cores), 16, 0))
    check(runtime.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total)))
    memory = ctypes.c_void_p()
    more = runtime.cudaMalloc(ctypes.byref(memory), total.value + 1)
    print(f"{name.value.decode()}: {cores.value} cores, {total.value >> 20} MiB, more: {more}")


def exhaust():
    """All memory that there is, in ever smaller pieces; how many mebibytes."""
    size, had, memory = 1 << 30, 0, ctypes.c_void_p()
    while size >= 1 << 12:
        if runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(size)) == 0:
            had += size
        else:
            size >>= 1
    return had >> 20


def measure():
    """Milliseconds of the device for some launches."""
    events = [ctypes.c_void_p(), ctypes.c_void_p()]
    for event in events:
        check(runtime.cudaEventCreate(ctypes.byref(event)))
    place, took = allocate().value, ctypes.c_float()
    check(runtime.cudaEventRecord(events[0], None))
    for _ in range(10):
        check(launch(b"store", place))
    check(runtime.cudaEventRecord(events[1], None))
    check(runtime.cudaDeviceSynchronize())
    check(runtime.cudaEventElapsedTime(ctypes.byref(took), *events))
    return took.value


def main():
    what = sys.argv[1]
    if what == "describe":
        describe()
    elif what == "endless":
        check(launch(b"endless", allocate().value))
        print("running", flush=True)
        threading.Event().wait()
    elif what == "exhaust":
        print(exhaust(), flush=True)
        sys.stdin.readline()
    elif what == "time":
        print(measure())
    elif what == "fault":
        check(launch(b"store", allocate().value + (1 << 20)))
        assert runtime.cudaDeviceSynchronize() == 700
    elif what == "compute":
        memory, value = allocate(), ctypes.c_uint32()
        check(launch(b"store", memory.value))
        check(runtime.cudaMemcpy(ctypes.byref(value), memory, ctypes.c_size_t(4), 2))
        print("ok" if value.value == 7 else "wrong")
    elif what == "keep":
        memory = allocate(1 << 20)
        handle = (ctypes.c_char * 64)()
        check(runtime.cudaIpcGetMemHandle(handle, memory))
        print(memory.value + (1 << 19), flush=True)
        print(bytes(handle).hex(), flush=True)
        sys.stdin.read()
    elif what == "peek":
        allocate(4096)
        check(launch(b"store", int(sys.argv[2])))
        print("refused" if runtime.cudaDeviceSynchronize() == 700 else "reached")
    else:
        class Handle(ctypes.Structure):
            _fields_ = [("bytes", ctypes.c_char * 64)]
        handle, memory = Handle(), ctypes.c_void_p()
        ctypes.memmove(ctypes.byref(handle), bytes.fromhex(sys.argv[2]), 64)
        code = runtime.cudaIpcOpenMemHandle(ctypes.byref(memory), handle, 1)
        print("import refused" if code else "imported")


if __name__ == "__main__":
    main()
