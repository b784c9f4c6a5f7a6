#!/usr/bin/env python3
"""Ranks in several processes reduce, gather and exchange numbers.

usage: collectives.py RANKS [HOSTS]

Each process has the device of its rank's number, and is on one of HOSTS hosts:
those talk by sockets. Prints PASS if all results are those that the host
computes.
"""
import ctypes
import multiprocessing
import os
import sys

COUNT = 100_003
FLOAT, SUM = 7, 0


class Id(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


def check(library, code):
    if code:
        library.ncclGetLastError.restype = ctypes.c_char_p
        sys.exit(f"error {code}: {library.ncclGetLastError(None).decode()}")


def load():
    nccl, cuda = ctypes.CDLL("libnccl.so.2"), ctypes.CDLL("libcudart.so.13")
    pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    nccl.ncclAllReduce.argtypes = [pointer, pointer, size, number, number, pointer, pointer]
    nccl.ncclAllGather.argtypes = [pointer, pointer, size, number, pointer, pointer]
    nccl.ncclSend.argtypes = nccl.ncclRecv.argtypes = [
        pointer, size, number, number, pointer, pointer]
    nccl.ncclCommInitRank.argtypes = [pointer, number, Id, number]
    nccl.ncclCommDestroy.argtypes = [pointer]
    nccl.ncclCommSplit.argtypes = [pointer, number, number, pointer, pointer]
    cuda.cudaMemcpy.argtypes = [pointer, pointer, size, number]
    return nccl, cuda


def work(rank, ranks, hosts, ids, results):
    if hosts > 1:
        os.environ["NCCL_HOSTID"] = f"host {rank * hosts // ranks}"
        os.environ["NCCL_SOCKET_IFNAME"] = "lo"
    nccl, cuda = load()
    cuda.cudaSetDevice(rank)
    name = Id()
    if rank == 0:
        check(nccl, nccl.ncclGetUniqueId(ctypes.byref(name)))
        for _ in range(1, ranks):
            ids.put(bytes(name))
    else:
        name = Id.from_buffer_copy(ids.get())
    comm = ctypes.c_void_p()
    check(nccl, nccl.ncclCommInitRank(ctypes.byref(comm), ranks, name, rank))

    def make(values):
        memory = ctypes.c_void_p()
        cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(4 * len(values)))
        cuda.cudaMemcpy(memory, values, 4 * len(values), 4)
        return memory

    def read(memory, count):
        values = (ctypes.c_float * count)()
        if code := cuda.cudaMemcpy(values, memory, 4 * count, 4):
            sys.exit(f"cudaMemcpy: {code}")
        return list(values)

    floats = ctypes.c_float * COUNT
    send = make(floats(*(float((i + rank) % 1000) for i in range(COUNT))))
    sums = make(floats())
    whole = make((ctypes.c_float * (COUNT * ranks))())
    got = make(floats())
    check(nccl, nccl.ncclAllReduce(send, sums, COUNT, FLOAT, SUM, comm, None))
    check(nccl, nccl.ncclAllGather(send, whole, COUNT, FLOAT, comm, None))
    check(nccl, nccl.ncclGroupStart())
    check(nccl, nccl.ncclSend(send, COUNT, FLOAT, (rank + 1) % ranks, comm, None))
    check(nccl, nccl.ncclRecv(got, COUNT, FLOAT, (rank - 1) % ranks, comm, None))
    check(nccl, nccl.ncclGroupEnd())
    # The first and the last ranks are a group, of all hosts.
    half = make(floats())
    part = ctypes.c_void_p()
    inner = 0 < rank < ranks - 1
    check(nccl, nccl.ncclCommSplit(comm, int(inner), rank, ctypes.byref(part), None))
    check(nccl, nccl.ncclAllReduce(send, half, COUNT, FLOAT, SUM, part, None))
    group = range(1, ranks - 1) if inner else {0, ranks - 1}
    value = lambda i, r: float((i + r) % 1000)
    results.put((
        read(sums, COUNT) == [sum(value(i, r) for r in range(ranks)) for i in range(COUNT)]
        and read(whole, COUNT * ranks) == [value(i, r) for r in range(ranks) for i in range(COUNT)]
        and read(got, COUNT) == [value(i, (rank - 1) % ranks) for i in range(COUNT)]
        and read(half, COUNT) == [sum(value(i, r) for r in group) for i in range(COUNT)]))
    check(nccl, nccl.ncclCommDestroy(part))
    check(nccl, nccl.ncclCommDestroy(comm))


def main():
    ranks = int(sys.argv[1])
    hosts = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    context = multiprocessing.get_context("spawn")
    ids, results = context.Queue(), context.Queue()
    processes = [context.Process(target=work, args=(rank, ranks, hosts, ids, results))
                 for rank in range(ranks)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        sys.exit("a process failed")
    right = [results.get() for _ in processes]
    print("PASS" if all(right) else f"FAIL {right}")
    sys.exit(not all(right))


if __name__ == "__main__":
    main()
