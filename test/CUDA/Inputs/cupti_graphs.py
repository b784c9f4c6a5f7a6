"""A profiler of a program with streams, events and graphs: what CUPTI tells of them, by the published layouts.

usage: cupti_graphs.py LIBRARY
"""
import collections
import ctypes
import struct
import sys

from touch_kernel import PTX

cupti = ctypes.CDLL(sys.argv[1])
driver = ctypes.CDLL("libcuda.so.1")
U32, U64, P, SIZE = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t
MEMSET, CONTEXT, KERNEL, OVERHEAD, EVENT, STREAM, SYNCHRONIZATION, GRAPH_TRACE = 2, 9, 10, 17, 36, 37, 38, 51
RESOURCE, SYNCHRONIZE = 3, 4
NONE = (1 << 32) - 1
buffers, records = {}, collections.defaultdict(list)


def ask(name, *arguments):
    if code := getattr(cupti, name)(*arguments):
        sys.exit("%s: error %d" % (name, code))


def call(name, *arguments):
    if code := getattr(driver, name)(*arguments):
        sys.exit("%s: error %d" % (name, code))


@ctypes.CFUNCTYPE(None, ctypes.POINTER(P), ctypes.POINTER(SIZE), ctypes.POINTER(SIZE))
def request(place, size, most):
    buffer = ctypes.create_string_buffer(1 << 14)
    buffers[ctypes.addressof(buffer)] = buffer
    place[0], size[0], most[0] = ctypes.addressof(buffer), len(buffer), 0


@ctypes.CFUNCTYPE(None, P, U32, P, SIZE, SIZE)
def complete(context, stream, buffer, size, valid):
    record = P()
    while cupti.cuptiActivityGetNextRecord(P(buffer), SIZE(valid), ctypes.byref(record)) == 0:
        kind = U32.from_address(record.value).value
        records[kind].append(ctypes.string_at(record.value, {KERNEL: 160, MEMSET: 88}.get(kind, 24)))
        if kind in (OVERHEAD, EVENT, SYNCHRONIZATION, GRAPH_TRACE):
            records[kind][-1] = ctypes.string_at(record.value, 56)
        elif kind == CONTEXT:
            records[kind][-1] = ctypes.string_at(record.value, 32)
    del buffers[buffer]


told = []


@ctypes.CFUNCTYPE(None, P, U32, U32, P)
def callback(user_data, domain, number, pointer):
    words = struct.unpack("3Q" if domain == RESOURCE else "2Q", ctypes.string_at(pointer, 24 if domain == RESOURCE else 16))
    graph = struct.unpack("4QI4xQQ", ctypes.string_at(words[2], 56)) if domain == RESOURCE and words[2] else None
    told.append((domain, number, words, graph))


def flush():
    call("cuCtxSynchronize")
    ask("cuptiActivityFlushAll", 1)
    found = dict(records)
    records.clear()
    return found


subscriber = P()
ask("cuptiActivityRegisterCallbacks", request, complete)
for kind in (MEMSET, CONTEXT, KERNEL, OVERHEAD, EVENT, STREAM, SYNCHRONIZATION):
    ask("cuptiActivityEnable", kind)
ask("cuptiSubscribe", ctypes.byref(subscriber), callback, None)
ask("cuptiEnableDomain", 1, subscriber, RESOURCE)
ask("cuptiEnableDomain", 1, subscriber, SYNCHRONIZE)
context, module, kernel, stream, event, graph, launched = (P() for _ in range(7))
data = U64()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), PTX)
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"touch")
call("cuMemAlloc_v2", ctypes.byref(data), SIZE(4096))
call("cuStreamCreate", ctypes.byref(stream), 1)
call("cuEventCreate", ctypes.byref(event), 0)
places = (P * 1)(ctypes.addressof(data))


def launch():
    call("cuLaunchKernel", kernel, *[ctypes.c_uint(1)] * 6, ctypes.c_uint(0), stream, places, None)


launch()
call("cuEventRecord", event, stream)
call("cuStreamWaitEvent", stream, event, 0)
call("cuEventSynchronize", event)
call("cuStreamSynchronize", stream)
call("cuStreamBeginCapture_v2", stream, 0)
launch()
call("cuMemsetD8Async", data, ctypes.c_ubyte(1), SIZE(16), stream)
launch()
told_by_capture = sum(number == 13 for _, number, *_ in told)
call("cuStreamEndCapture", stream, ctypes.byref(graph))
call("cuGraphInstantiateWithFlags", ctypes.byref(launched), graph, U64(0))
call("cuGraphLaunch", launched, stream)
call("cuGraphLaunch", launched, stream)
found = flush()

stream_id, graph_id, exec_id = U32(), U32(), U32()
ask("cuptiGetStreamId", None, stream, ctypes.byref(stream_id))
ask("cuptiGetGraphId", graph, ctypes.byref(graph_id))
ask("cuptiGetGraphExecId", launched, ctypes.byref(exec_id))
nodes, count = (P * 8)(), SIZE(8)
call("cuGraphGetNodes", graph, nodes, ctypes.byref(count))
node_ids = []
for node in nodes[:count.value]:
    node_ids.append(U64())
    ask("cuptiGetGraphNodeId", P(node), ctypes.byref(node_ids[-1]))
node_ids = [n.value for n in node_ids]
print("graphs:", graph_id.value != exec_id.value, len(set(node_ids)), 0 not in node_ids)


def id_of(function, handle, number):
    ask(function, P(handle), ctypes.byref(number))
    return number.value


# What is made ready is a clone, whose number is that of what is launched, and whose nodes have numbers of their own.
clones = [g for _, number, _, g in told if number == 20]
print("clones:", {(id_of("cuptiGetGraphId", g[0], U32()) == exec_id.value, g[1] == graph.value) for g in clones},
      [list(nodes).index(g[3]) for g in clones], [g[4] for g in clones], "nodes told by capture:", told_by_capture)
clone_ids = {id_of("cuptiGetGraphNodeId", g[2], U64()): list(nodes).index(g[3]) for g in clones}
print("own numbers:", clone_ids.keys().isdisjoint(node_ids), len(clone_ids))
print("contexts:", *[struct.unpack_from("2IH", r, 4) for r in found[CONTEXT]])
print("streams:", *[struct.unpack_from("5I", r, 4)[1] == stream_id.value for r in found[STREAM]],
      *[struct.unpack_from("5I", r, 4)[3] for r in found[STREAM]])
waits = [struct.unpack_from("=I2Q4I", r, 4) for r in found[SYNCHRONIZATION]]
print("waits:", *[(kind, {stream_id.value: "stream", NONE: "none"}[s], {NONE: "none"}.get(e, "event"))
                  for kind, start, end, correlation, _, s, e in waits if start <= end])
event_of = {e for *_, e in waits} - {NONE}
print("events:", *[(struct.unpack_from("4I", r, 8)[1] == stream_id.value, struct.unpack_from("4I", r, 8)[2] in event_of)
                   for r in found[EVENT]])
print("compilations:", sum(struct.unpack_from("I", r, 4)[0] == 1 for r in found[OVERHEAD]))
KERNEL_NODE, MEMSET_NODE = 144, 64
of_kernels = [struct.unpack_from("Q2I", r, KERNEL_NODE) for r in found[KERNEL]]
of_fills = [struct.unpack_from("QI", r, MEMSET_NODE) for r in found[MEMSET]]
print("nodes of kernels:", *[clone_ids[n] if n else "none" for n, *_ in of_kernels],
      {g for _, _, g in of_kernels} == {0, exec_id.value})
print("nodes of fills:", *[clone_ids[n] for n, _ in of_fills], {g for _, g in of_fills} == {exec_id.value})

ask("cuptiActivityEnable", GRAPH_TRACE)
call("cuGraphLaunch", launched, stream)
found = flush()
print("as a whole:", *[(struct.unpack_from("=I2Q4I", r, 4)[4] == exec_id.value) for r in found[GRAPH_TRACE]],
      KERNEL in found)
call("cuGraphExecDestroy", launched)
call("cuGraphDestroy", graph)
call("cuStreamDestroy_v2", stream)
NAMES = {(RESOURCE, 1): "context", (RESOURCE, 3): "stream", (RESOURCE, 4): "stream ends", (RESOURCE, 10): "graph ends",
         (RESOURCE, 13): "node", (RESOURCE, 18): "ready", (RESOURCE, 19): "ready ends", (RESOURCE, 20): "clone",
         (SYNCHRONIZE, 1): "stream waited for", (SYNCHRONIZE, 2): "context waited for"}
print("told:", *[NAMES[domain, number] for domain, number, *_ in told], sep="\n  ")
print("right:", {w[0] for _, _, w, _ in told} == {context.value},
      [g[2] for _, n, _, g in told if n == 13] == list(nodes[:count.value]), [g[4] for _, n, _, g in told if n == 13],
      [(g[0] == graph.value, g[6] == launched.value) for _, n, _, g in told if n == 18])
