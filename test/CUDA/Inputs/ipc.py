"""Two processes that share device memory, events and a memory pool.

usage: ipc.py FILE memory|events|pool|death|multicast[:DEVICE]

Each process has a machine of its own, of which the first one uses device 0 and the
second one DEVICE. The second one, which this program starts, gets handles as
arguments or by a pipe, and descriptors by inheritance.
Lines in both directions say when each of them goes on.
"""
import ctypes
import subprocess
import sys

LAZY_ENABLE_PEER_ACCESS = 1
DISABLE_TIMING, INTERPROCESS = 2, 4
FILE_DESCRIPTOR = 1
NOT_READY = 600
WORDS = 256
PIECE = 2 << 20


class Bytes64(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_ubyte * 64)]


class PoolProps(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handle_types", ctypes.c_int),
                ("location_type", ctypes.c_int), ("location_id", ctypes.c_int),
                ("security", ctypes.c_void_p), ("max_size", ctypes.c_size_t),
                ("rest", ctypes.c_ubyte * 56)]


class MulticastProps(ctypes.Structure):
    _fields_ = [("devices", ctypes.c_uint), ("size", ctypes.c_size_t),
                ("handle_types", ctypes.c_ulonglong), ("flags", ctypes.c_ulonglong)]


class AllocationProps(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handle_types", ctypes.c_int),
                ("location_type", ctypes.c_int), ("location_id", ctypes.c_int),
                ("security", ctypes.c_void_p), ("flags", ctypes.c_ubyte * 8)]


class Access(ctypes.Structure):
    _fields_ = [("location_type", ctypes.c_int), ("location_id", ctypes.c_int), ("flags", ctypes.c_int)]


class Device:
    """The driver API, as far as it is needed; an error ends the program."""

    def __init__(self, path, ordinal):
        self.driver, self.ordinal = ctypes.CDLL("libcuda.so.1"), ordinal
        self.module, context = ctypes.c_void_p(), ctypes.c_void_p()
        self("cuInit", 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), ordinal)
        self("cuCtxSetCurrent", context)
        self("cuModuleLoad", ctypes.byref(self.module), path.encode())

    def code(self, function, *arguments):
        return getattr(self.driver, function)(*arguments)

    def __call__(self, function, *arguments):
        if code := self.code(function, *arguments):
            sys.exit("%s: error %d" % (function, code))

    def launch(self, name, memory, value, threads=1, stream=None):
        kernel = ctypes.c_void_p()
        self("cuModuleGetFunction", ctypes.byref(kernel), self.module, name.encode())
        value = ctypes.c_uint32(value)
        places = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(value))
        shape = [ctypes.c_uint(extent) for extent in (1, 1, 1, threads, 1, 1, 0)]
        self("cuLaunchKernel", kernel, *shape, stream, places, None)

    def words(self, memory, count=4):
        result = (ctypes.c_uint32 * count)()
        self("cuMemcpyDtoH_v2", result, memory, ctypes.c_size_t(4 * count))
        return list(result)

    def allocate(self):
        memory = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4 * WORDS))
        return memory

    def stream(self):
        stream, non_blocking = ctypes.c_void_p(), 1
        self("cuStreamCreate", ctypes.byref(stream), non_blocking)
        return stream

    def memory_handle(self, memory):
        handle = Bytes64()
        self("cuIpcGetMemHandle", ctypes.byref(handle), memory)
        return bytes(handle.bytes).hex()

    def open_memory(self, text):
        memory = ctypes.c_uint64()
        self("cuIpcOpenMemHandle_v2", ctypes.byref(memory), handle_of(text),
             LAZY_ENABLE_PEER_ACCESS)
        return memory


    def map(self, handle):
        """An address of a piece of memory, or of a multicast object."""
        memory, access = ctypes.c_uint64(), Access(1, self.ordinal, 3)
        self("cuMemAddressReserve", ctypes.byref(memory), ctypes.c_size_t(PIECE), ctypes.c_size_t(0),
             ctypes.c_uint64(0), ctypes.c_ulonglong(0))
        self("cuMemMap", memory, ctypes.c_size_t(PIECE), ctypes.c_size_t(0), handle, ctypes.c_ulonglong(0))
        self("cuMemSetAccess", memory, ctypes.c_size_t(PIECE), ctypes.byref(access), ctypes.c_size_t(1))
        return memory

    def bind(self, group, value):
        """Memory of the device, whose words have that value, bound to a multicast object."""
        handle, props = ctypes.c_ulonglong(), AllocationProps(1, FILE_DESCRIPTOR, 1, self.ordinal)
        self("cuMemCreate", ctypes.byref(handle), ctypes.c_size_t(PIECE), ctypes.byref(props),
             ctypes.c_ulonglong(0))
        zero, size = ctypes.c_size_t(0), ctypes.c_size_t(PIECE)
        self("cuMulticastBindMem", group, zero, handle, zero, size, ctypes.c_ulonglong(0))
        memory = self.map(handle)
        self("cuMemsetD32_v2", memory, value, ctypes.c_size_t(WORDS))
        self("cuCtxSynchronize")
        return memory


def handle_of(text):
    return Bytes64.from_buffer_copy(bytes.fromhex(text))


class Partner:
    """The other process: lines to it and from it."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    def start(cls, *arguments, descriptors=()):
        command = [sys.executable, *sys.argv, "second", *map(str, arguments)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True, pass_fds=descriptors)
        partner = cls(process.stdout, process.stdin)
        partner.process = process
        return partner

    def say(self, line):
        self.writer.write(line + "\n")
        self.writer.flush()

    def hear(self):
        line = self.reader.readline()
        if not line:
            sys.exit("the other process has ended")
        return line.strip()


def memory_first(device):
    memory = device.allocate()
    device.launch("add", memory, 5, WORDS)
    device("cuCtxSynchronize")
    partner = Partner.start(device.memory_handle(memory))
    print("second sees:", partner.hear())
    print("first sees:", *device.words(memory))
    # Kernels of both count at the same time, and wait for each other.
    partner.say("go")
    device.launch("count", memory, 1000, 64)
    device.launch("ask", memory, 77)
    device("cuCtxSynchronize")
    partner.hear()
    print("counted:", *device.words(memory, 3))
    device("cuMemFree_v2", memory)
    partner.say("freed")
    print("second still sees:", partner.hear())


def memory_second(device, partner, handle):
    memory, again = device.open_memory(handle), device.open_memory(handle)
    device.launch("add", memory, 1, WORDS)
    device("cuCtxSynchronize")
    last = device.words(ctypes.c_uint64(memory.value + 4 * WORDS - 4), 1)
    behind = device.code("cuMemsetD32_v2", ctypes.c_uint64(memory.value + 4 * WORDS), 0,
                         ctypes.c_size_t(1))
    partner.say("%s %s behind: %d, again: %s" %
                (device.words(memory), last, behind, again.value == memory.value))
    partner.hear()
    device.launch("count", memory, 1000, 64)
    device.launch("answer", memory, 77)
    device("cuCtxSynchronize")
    partner.say("done")
    partner.hear()
    counted = device.words(memory, 1)
    free = device.code("cuMemFree_v2", memory)
    codes = [device.code("cuIpcCloseMemHandle", memory) for _ in range(3)]
    partner.say("%s free: %d, close: %s" % (counted, free, codes))


def events_first(device):
    memory, event, handle = device.allocate(), ctypes.c_void_p(), Bytes64()
    device("cuEventCreate", ctypes.byref(event), DISABLE_TIMING | INTERPROCESS)
    device("cuIpcGetEventHandle", ctypes.byref(handle), event)
    memory_handle = device.memory_handle(memory)  # which would wait for kernels
    stream = device.stream()
    device.launch("answer", memory, 1, stream=stream)  # waits for the other process
    device.launch("add", memory, 10, stream=stream)
    device("cuEventRecord", event, stream)
    partner = Partner.start(memory_handle, bytes(handle.bytes).hex())
    print("second:", partner.hear())
    # The other way round.
    partner.hear()
    print("before:", device.code("cuEventQuery", event))
    device("cuStreamWaitEvent", stream, event, 0)
    device.launch("add", memory, 1000, stream=stream)
    partner.say("waiting")
    device("cuEventSynchronize", event)
    device("cuStreamSynchronize", stream)
    print("after:", device.code("cuEventQuery", event), *device.words(memory, 1))


def events_second(device, partner, memory, event):
    memory, name, event = device.open_memory(memory), event, ctypes.c_void_p()
    device("cuIpcOpenEventHandle", ctypes.byref(event), handle_of(name))
    before = device.code("cuEventQuery", event)
    stream = device.stream()
    device("cuStreamWaitEvent", stream, event, 0)
    device.launch("add", memory, 100, stream=stream)
    idle = device.code("cuStreamQuery", stream)
    device("cuMemsetD32_v2", ctypes.c_uint64(memory.value + 4), 1, ctypes.c_size_t(1))
    device("cuStreamSynchronize", stream)
    partner.say("event %d, stream %d, then %d and %s" %
                (before, idle, device.code("cuEventQuery", event), device.words(memory, 1)))
    # The first process waits for a record of this one's, behind a kernel that waits.
    device("cuMemsetD32_v2", memory, 0, ctypes.c_size_t(3))
    device("cuCtxSynchronize")
    device.launch("answer", memory, 2, stream=stream)
    device.launch("add", memory, 7, stream=stream)
    device("cuEventRecord", event, stream)
    partner.say("recorded")
    partner.hear()
    device("cuMemsetD32_v2", ctypes.c_uint64(memory.value + 4), 2, ctypes.c_size_t(1))
    device("cuStreamSynchronize", stream)


def pool_first(device):
    props, pool = PoolProps(1, FILE_DESCRIPTOR, 1, 0), ctypes.c_void_p()
    device("cuMemPoolCreate", ctypes.byref(pool), ctypes.byref(props))
    descriptor = ctypes.c_int()
    device("cuMemPoolExportToShareableHandle", ctypes.byref(descriptor), pool,
           FILE_DESCRIPTOR, ctypes.c_ulonglong(0))
    partner = Partner.start(descriptor.value, descriptors=[descriptor.value])
    partner.hear()
    # Blocks that are allocated after the pool was handed over.
    blocks = []
    for value in range(3):
        memory, data = ctypes.c_uint64(), Bytes64()
        device("cuMemAllocFromPoolAsync", ctypes.byref(memory), ctypes.c_size_t(4 * WORDS),
               pool, None)
        device.launch("add", memory, 10 + value, WORDS)
        device("cuMemPoolExportPointer", ctypes.byref(data), memory)
        blocks.append(memory)
        device("cuCtxSynchronize")
        partner.say(bytes(data.bytes).hex())
    print("second sees:", partner.hear())
    print("first sees:", *[device.words(memory, 1)[0] for memory in blocks])
    for memory in blocks:
        device("cuMemFreeAsync", memory, None)
    device("cuCtxSynchronize")


def pool_second(device, partner, descriptor):
    pool, seen = ctypes.c_void_p(), []
    device("cuMemPoolImportFromShareableHandle", ctypes.byref(pool),
           ctypes.c_void_p(int(descriptor)), FILE_DESCRIPTOR, ctypes.c_ulonglong(0))
    partner.say("imported")
    for _ in range(3):
        memory, data = ctypes.c_uint64(), handle_of(partner.hear())
        device("cuMemPoolImportPointer", ctypes.byref(memory), pool, ctypes.byref(data))
        seen += device.words(memory, 1)
        device.launch("add", memory, 100, WORDS)
        device("cuMemFreeAsync", memory, None)
    device("cuCtxSynchronize")
    partner.say(str(seen))


def death_first(device):
    """Handles of a process that is gone cannot be opened; what was opened stays."""
    partner = Partner.start()
    opened, late = partner.hear(), partner.hear()
    memory = device.open_memory(opened)
    partner.process.kill()
    partner.process.wait()
    print("memory:", *device.words(memory, 2))
    other = ctypes.c_uint64()
    print("late:", device.code("cuIpcOpenMemHandle_v2", ctypes.byref(other), handle_of(late),
                               LAZY_ENABLE_PEER_ACCESS))
    device.launch("add", memory, 1, WORDS)
    device("cuCtxSynchronize")
    print("memory:", *device.words(memory, 2))


def death_second(device, partner):
    for value in (3, 4):
        memory = device.allocate()
        device.launch("add", memory, value, WORDS)
        device("cuCtxSynchronize")
        partner.say(device.memory_handle(memory))
    partner.hear()


def multicast_first(device):
    props, group = MulticastProps(2, PIECE, FILE_DESCRIPTOR, 0), ctypes.c_ulonglong()
    device("cuMulticastCreate", ctypes.byref(group), ctypes.byref(props))
    descriptor = ctypes.c_int()
    device("cuMemExportToShareableHandle", ctypes.byref(descriptor), group, FILE_DESCRIPTOR,
           ctypes.c_ulonglong(0))
    device("cuMulticastAddDevice", group, device.ordinal)
    partner = Partner.start(descriptor.value, descriptors=[descriptor.value])
    partner.hear()
    own, everybody = device.bind(group, 5), device.map(group)
    partner.say("bound")
    print("second:", partner.hear())
    device.launch("reduce", everybody, 1000)  # of both memories, into both
    device("cuCtxSynchronize")
    print("first sees:", *device.words(own, 2))
    partner.say("reduced")
    print("second sees:", partner.hear())


def multicast_second(device, partner, descriptor):
    group = ctypes.c_ulonglong()
    device("cuMemImportFromShareableHandle", ctypes.byref(group), ctypes.c_void_p(int(descriptor)),
           FILE_DESCRIPTOR)
    device("cuMulticastAddDevice", group, device.ordinal)
    partner.say("added")
    partner.hear()
    own = device.bind(group, 70)
    partner.say("bound")
    partner.hear()
    partner.say(" ".join(map(str, device.words(own, 2))))


def main():
    path, name, *arguments = sys.argv[1:]
    is_second = arguments[:1] == ["second"]
    name, _, other = name.partition(":")
    device = Device(path, int(other or 0) if is_second else 0)
    if is_second:
        globals()[name + "_second"](device, Partner(sys.stdin, sys.stdout), *arguments[1:])
    else:
        globals()[name + "_first"](device)


if __name__ == "__main__":
    main()
