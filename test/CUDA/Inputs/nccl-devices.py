#!/usr/bin/env python3
"""Devices of one process add their numbers and hand them to each other.

usage: nccl-devices.py DEVICES
"""
import ctypes
import sys

COUNT = 10_007
FLOAT, SUM = 7, 0
POINTER, SIZE, NUMBER = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
FLOATS = ctypes.c_float * COUNT


def main():
    devices = int(sys.argv[1])
    nccl, cuda = ctypes.CDLL("libnccl.so.2"), ctypes.CDLL("libcudart.so.13")
    nccl.ncclAllReduce.argtypes = [POINTER, POINTER, SIZE, NUMBER, NUMBER, POINTER, POINTER]
    nccl.ncclSend.argtypes = nccl.ncclRecv.argtypes = [POINTER, SIZE, NUMBER, NUMBER, POINTER, POINTER]
    nccl.ncclCommDestroy.argtypes = [POINTER]
    cuda.cudaMemcpy.argtypes = [POINTER, POINTER, SIZE, NUMBER]
    comms = (POINTER * devices)()

    def check(code):
        if code:
            sys.exit(f"error {code}")

    def buffers(values):
        memory = []
        for device in range(devices):
            check(cuda.cudaSetDevice(device))
            memory.append(POINTER())
            check(cuda.cudaMalloc(ctypes.byref(memory[-1]), SIZE(ctypes.sizeof(FLOATS))))
            check(cuda.cudaMemcpy(memory[-1], FLOATS(*values(device)), ctypes.sizeof(FLOATS), 4))
        return memory

    def run(*calls):
        check(nccl.ncclGroupStart())
        for device in range(devices):
            check(cuda.cudaSetDevice(device))
            for call in calls:
                call(device)
        check(nccl.ncclGroupEnd())

    def read(memory):
        values = FLOATS()
        check(cuda.cudaMemcpy(values, memory, ctypes.sizeof(FLOATS), 4))
        return list(values)

    def value(i, device):
        return float((i + device) % 1000)

    check(nccl.ncclCommInitAll(comms, devices, None))
    own = buffers(lambda device: [value(i, device) for i in range(COUNT)])
    sums, got = (buffers(lambda device: [0.0] * COUNT) for _ in range(2))
    run(lambda d: check(nccl.ncclAllReduce(own[d], sums[d], COUNT, FLOAT, SUM, comms[d], None)))
    run(lambda d: check(nccl.ncclSend(own[d], COUNT, FLOAT, (d + 1) % devices, comms[d], None)),
        lambda d: check(nccl.ncclRecv(got[d], COUNT, FLOAT, (d - 1) % devices, comms[d], None)))
    wanted = [sum(value(i, d) for d in range(devices)) for i in range(COUNT)]
    right = all(
        read(sums[d]) == wanted and read(got[d]) == [value(i, (d - 1) % devices) for i in range(COUNT)]
        for d in range(devices))
    for comm in comms:
        check(nccl.ncclCommDestroy(comm))
    print("PASS" if right else "FAIL")
    sys.exit(not right)


if __name__ == "__main__":
    main()
