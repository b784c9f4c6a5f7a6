"""Calls of the collectives of libnccl with one device."""
import ctypes

from .cases import calls
from .device import Handle, Library, Long, compare

# ncclDataType_t.
KINDS = {"k": 0, "i": 2, "h": 6, "s": 7, "d": 8, "b": 9}
LETTERS = "s d h b i k"
COUNT = 1000
SUM, AVERAGE = 0, 4


def communicator(device):
    call = Library("libnccl.so.2")  # By its name, which is Heddle's.
    place = Handle()
    call("ncclCommInitAll", place, 1, None)
    return call, place.cell


def finish(device):
    device.runtime("cudaDeviceSynchronize")


def check(device, t, name, *between):
    """A collective of one device copies what it is given."""
    call, comm = communicator(device)
    sent, received = device.uniform(t, COUNT), device.zeros(t, COUNT)
    call("nccl" + name, sent, received, Long(COUNT), KINDS[t], *between, comm, None)
    finish(device)
    compare("what was received", received.get(), sent.values, t, 0)


@calls("NCCL", "AllReduce, sum", LETTERS)
def all_reduce(device, t):
    check(device, t, "AllReduce", SUM)


@calls("NCCL", "AllReduce, average", "s d h b")
def all_reduce_average(device, t):
    check(device, t, "AllReduce", AVERAGE)


@calls("NCCL", "Reduce", "s")
def reduce(device, t):
    check(device, t, "Reduce", SUM, 0)


@calls("NCCL", "Broadcast", "s")
def broadcast(device, t):
    check(device, t, "Broadcast", 0)


@calls("NCCL", "AllGather", "s")
def all_gather(device, t):
    check(device, t, "AllGather")


@calls("NCCL", "ReduceScatter", "s")
def reduce_scatter(device, t):
    check(device, t, "ReduceScatter", SUM)


@calls("NCCL", "Send, Recv", "s")
def send(device, t):
    call, comm = communicator(device)
    sent, received = device.uniform(t, COUNT), device.zeros(t, COUNT)
    call("ncclGroupStart")
    call("ncclSend", sent, Long(COUNT), KINDS[t], 0, comm, None)
    call("ncclRecv", received, Long(COUNT), KINDS[t], 0, comm, None)
    call("ncclGroupEnd")
    finish(device)
    compare("what was received", received.get(), sent.values, t, 0)


@calls("NCCL", "CommCount, CommUserRank, CommCuDevice", "-")
def questions(device, variant):
    call, comm = communicator(device)
    for name, expected in (("Count", 1), ("UserRank", 0), ("CuDevice", 0)):
        place = Handle(ctypes.c_int)
        call("ncclComm" + name, comm, place)
        compare(name, place.value, expected, "i")
