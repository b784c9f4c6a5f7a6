#!/usr/bin/env python3
"""Says which devices there are, and how long copies between them take.

usage: devices.py list | nvml | copies BYTES

`list` prints a line for each device that CUDA shows, `nvml` for each that NVML
does. `copies` times copies of BYTES from device 0 to device 1, one alone and ten
in a row, and from 1 to 0 beside them, by events.
"""
import ctypes
import sys

Pointer = ctypes.c_void_p


def check(code):
    if code:
        sys.exit(f"error {code}")


def list_devices():
    cuda = ctypes.CDLL("libcuda.so.1")
    code = cuda.cuInit(0)
    if code:
        print("none:", code)
        return
    count = ctypes.c_int()
    check(cuda.cuDeviceGetCount(ctypes.byref(count)))
    for number in range(count.value):
        device = ctypes.c_int()
        check(cuda.cuDeviceGet(ctypes.byref(device), number))
        name, place = ctypes.create_string_buffer(64), ctypes.create_string_buffer(32)
        uuid, total = ctypes.create_string_buffer(16), ctypes.c_size_t()
        check(cuda.cuDeviceGetName(name, 64, device))
        check(cuda.cuDeviceGetPCIBusId(place, 32, device))
        check(cuda.cuDeviceGetUuid_v2(uuid, device))
        check(cuda.cuDeviceTotalMem_v2(ctypes.byref(total), device))
        print(number, name.value.decode(), place.value.decode(), uuid.raw[-1] - 1, total.value >> 20, "MiB")


def list_management():
    nvml = ctypes.CDLL("libnvidia-ml.so.1")
    check(nvml.nvmlInit_v2())
    count = ctypes.c_uint()
    check(nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)))
    handles = []
    for number in range(count.value):
        handle, index = Pointer(), ctypes.c_uint()
        name, uuid = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
        check(nvml.nvmlDeviceGetHandleByIndex_v2(number, ctypes.byref(handle)))
        check(nvml.nvmlDeviceGetIndex(handle, ctypes.byref(index)))
        check(nvml.nvmlDeviceGetName(handle, name, 64))
        check(nvml.nvmlDeviceGetUUID(handle, uuid, 64))
        handles.append(handle)
        print(index.value, name.value.decode(), uuid.value.decode())
    level = ctypes.c_uint()
    check(nvml.nvmlDeviceGetTopologyCommonAncestor(handles[0], handles[-1], ctypes.byref(level)))
    print("level", level.value)


class Copies:
    def __init__(self, size):
        self.cuda = ctypes.CDLL("libcudart.so.13")
        self.cuda.cudaMemcpyPeerAsync.argtypes = [
            Pointer, ctypes.c_int, Pointer, ctypes.c_int, ctypes.c_size_t, Pointer]
        self.cuda.cudaEventElapsedTime.argtypes = [Pointer, Pointer, Pointer]
        self.cuda.cudaEventRecord.argtypes = [Pointer, Pointer]
        self.size = size
        self.blocks, self.streams = [], []
        for device in range(2):
            check(self.cuda.cudaSetDevice(device))
            self.blocks.append(self.make("cudaMalloc", ctypes.c_size_t(size)))
            self.streams.append(self.make("cudaStreamCreate"))

    def make(self, function, *arguments):
        made = Pointer()
        check(getattr(self.cuda, function)(ctypes.byref(made), *arguments))
        return made

    def copy(self, source, stream):
        check(self.cuda.cudaMemcpyPeerAsync(
            self.blocks[1 - source], 1 - source, self.blocks[source], source, self.size, stream))

    def time(self, count, beside=False):
        """Milliseconds of copies in the stream of device 0, with as many from 1 to 0
        beside them."""
        check(self.cuda.cudaSetDevice(0))
        begin, end = self.make("cudaEventCreate"), self.make("cudaEventCreate")
        check(self.cuda.cudaEventRecord(begin, self.streams[0]))
        for _ in range(count):
            if beside:
                self.copy(1, self.streams[1])
            self.copy(0, self.streams[0])
        check(self.cuda.cudaEventRecord(end, self.streams[0]))
        check(self.cuda.cudaEventSynchronize(end))
        elapsed = ctypes.c_float()
        check(self.cuda.cudaEventElapsedTime(ctypes.byref(elapsed), begin, end))
        return elapsed.value


def time_copies(size):
    copies = Copies(size)
    for name, elapsed, number in (
            ("one", copies.time(1), 1), ("ten", copies.time(10), 10),
            ("both ways", copies.time(10, beside=True), 10)):
        print(f"{name}: {size * number / elapsed / 1e6:.0f} GB/s")


def main():
    match sys.argv[1:]:
        case ["list"]:
            list_devices()
        case ["nvml"]:
            list_management()
        case ["copies", size]:
            time_copies(int(size))
        case _:
            sys.exit(__doc__)


main()
