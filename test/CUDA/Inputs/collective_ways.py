#!/usr/bin/env python3
"""Collectives of all devices of one process, by one thread.

usage: collective_ways.py COLLECTIVE BYTES...

Prints for each size, which is that of a rank's larger buffer, the microseconds between
two events of the last rank's stream, and whether all elements are what they have to be.
"""
import ctypes
import sys

FLOAT, SUM = 7, 0
TO_DEVICE_OR_HOST = 4  # cudaMemcpyDefault

nccl, cuda = ctypes.CDLL("libnccl.so.2"), ctypes.CDLL("libcudart.so.13")
pointer, size = ctypes.c_void_p, ctypes.c_size_t


def check(code):
    if code:
        nccl.ncclGetLastError.restype = ctypes.c_char_p
        sys.exit(f"error {code}: {nccl.ncclGetLastError(None).decode()}")


def count_devices():
    count = ctypes.c_int()
    cuda.cudaGetDeviceCount(ctypes.byref(count))
    return count.value


class Rank:
    def __init__(self, number, comm):
        self.number, self.comm = number, comm
        cuda.cudaSetDevice(number)
        self.stream, self.begin, self.end = pointer(), pointer(), pointer()
        cuda.cudaStreamCreate(ctypes.byref(self.stream))
        cuda.cudaEventCreate(ctypes.byref(self.begin))
        cuda.cudaEventCreate(ctypes.byref(self.end))

    def make(self, values):
        memory = pointer()
        cuda.cudaSetDevice(self.number)
        cuda.cudaMalloc(ctypes.byref(memory), size(4 * len(values)))
        cuda.cudaMemcpy(memory, values, size(4 * len(values)), TO_DEVICE_OR_HOST)
        return memory

    def read(self, memory, count):
        values = (ctypes.c_float * count)()
        cuda.cudaSetDevice(self.number)
        cuda.cudaMemcpy(values, memory, size(4 * count), TO_DEVICE_OR_HOST)
        return list(values)

    def record(self, event):
        cuda.cudaSetDevice(self.number)
        cuda.cudaEventRecord(event, self.stream)


def run(ranks, name, bytes_of_buffer):
    number = len(ranks)
    whole = max(bytes_of_buffer // 4, 1)
    part = whole // number
    sends, receives = {"all-reduce": (whole, whole), "broadcast": (whole, whole), "reduce": (whole, whole),
                       "all-gather": (part, whole), "reduce-scatter": (whole, part),
                       "all-to-all": (whole, whole)}[name]
    value = lambda rank, index: float((7 * rank + index) % 1000)
    sources = [rank.make((ctypes.c_float * sends)(*(value(rank.number, i) for i in range(sends))))
               for rank in ranks]
    results = [rank.make((ctypes.c_float * receives)()) for rank in ranks]
    for rank in ranks:
        cuda.cudaSetDevice(rank.number)
        cuda.cudaDeviceSynchronize()
        rank.record(rank.begin)
    check(nccl.ncclGroupStart())
    for rank, source, result in zip(ranks, sources, results):
        calls = {
            "all-reduce": lambda: nccl.ncclAllReduce(
                source, result, size(whole), FLOAT, SUM, rank.comm, rank.stream),
            "reduce": lambda: nccl.ncclReduce(
                source, result, size(whole), FLOAT, SUM, 1, rank.comm, rank.stream),
            "broadcast": lambda: nccl.ncclBroadcast(
                source, result, size(whole), FLOAT, 1, rank.comm, rank.stream),
            "all-gather": lambda: nccl.ncclAllGather(
                source, result, size(part), FLOAT, rank.comm, rank.stream),
            "reduce-scatter": lambda: nccl.ncclReduceScatter(
                source, result, size(part), FLOAT, SUM, rank.comm, rank.stream),
            "all-to-all": lambda: nccl.ncclAlltoAll(
                source, result, size(part), FLOAT, rank.comm, rank.stream),
        }
        check(calls[name]())
    check(nccl.ncclGroupEnd())
    for rank in ranks:
        rank.record(rank.end)
    total = lambda index: sum(value(rank, index) for rank in range(number))
    expected = {
        "all-reduce": lambda rank: [total(i) for i in range(whole)],
        "reduce": lambda rank: [total(i) if rank == 1 else 0.0 for i in range(whole)],
        "broadcast": lambda rank: [value(1, i) for i in range(whole)],
        "all-gather": lambda rank: [value(r, i) for r in range(number) for i in range(part)],
        "reduce-scatter": lambda rank: [total(rank * part + i) for i in range(part)],
        "all-to-all": lambda rank: [value(r, rank * part + i) for r in range(number) for i in range(part)],
    }[name]
    right = all(rank.read(result, receives)[:len(expected(rank.number))] == expected(rank.number)
                for rank, result in zip(ranks, results))
    elapsed = ctypes.c_float()
    cuda.cudaSetDevice(ranks[-1].number)
    cuda.cudaEventElapsedTime(ctypes.byref(elapsed), ranks[-1].begin, ranks[-1].end)
    print(f"{name} {bytes_of_buffer}: {elapsed.value * 1000:.1f} us, {'right' if right else 'WRONG'}", flush=True)


def main():
    name, *sizes = sys.argv[1:]
    number = count_devices()
    comms = (pointer * number)()
    check(nccl.ncclCommInitAll(comms, number, None))
    ranks = [Rank(i, pointer(comms[i])) for i in range(number)]
    for text in sizes:
        run(ranks, name, int(text))
    for rank in ranks:
        check(nccl.ncclCommDestroy(rank.comm))


if __name__ == "__main__":
    main()
