"""Makes graphs in the ways that there are, and says what a timeline shall have of them; or reads that of a timeline.

usage: timeline_graphs.py [FILE.sqlite]

A graph is captured, cloned, and made the child of another one, to which nodes are added; all are instantiated, and the
clone and the one with the child are launched.
"""
import ctypes
import sqlite3
import sys

from touch_kernel import PTX

P, U64, SIZE = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t


def program():
    driver, nvtx = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL("libnvToolsExt.so.1")

    def call(name, *arguments):
        if code := getattr(driver, name)(*arguments):
            sys.exit("%s: error %d" % (name, code))

    def launch(range_of):
        nvtx.nvtxRangePushA(range_of)
        call("cuLaunchKernel", kernel, *[ctypes.c_uint(1)] * 6, ctypes.c_uint(0), stream, places, None)
        nvtx.nvtxRangePop()

    context, module, kernel, stream, data = P(), P(), P(), P(), U64()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"touch")
    call("cuMemAlloc_v2", ctypes.byref(data), SIZE(4096))
    call("cuStreamCreate", ctypes.byref(stream), 1)
    places = (P * 1)(ctypes.addressof(data))
    launch(b"no graph")
    graphs = captured, clone, parent = P(), P(), P()
    call("cuStreamBeginCapture_v2", stream, 0)
    launch(b"first")
    call("cuMemsetD8Async", data, ctypes.c_ubyte(1), SIZE(16), stream)
    launch(b"second")
    call("cuStreamEndCapture", stream, ctypes.byref(captured))
    call("cuGraphClone", ctypes.byref(clone), captured)
    call("cuGraphCreate", ctypes.byref(parent), 0)
    empty, child, last = P(), P(), P()
    call("cuGraphAddEmptyNode", ctypes.byref(empty), parent, None, SIZE(0))
    call("cuGraphAddChildGraphNode", ctypes.byref(child), parent, ctypes.byref(empty), SIZE(1), captured)
    call("cuGraphAddEmptyNode", ctypes.byref(last), parent, ctypes.byref(child), SIZE(1))
    ready = [P() for _ in graphs]
    for executable, graph in zip(ready, graphs):
        call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, U64(0))
    for executable in ready[1:]:
        call("cuGraphLaunch", executable, stream)
    call("cuStreamSynchronize", stream)


def read(path):
    db = sqlite3.connect(path)
    print("graphs: %d, clones %d, instantiated %d" % db.execute(
        "SELECT sum(eventClass = 95), count(originalGraphId), sum(eventClass = 94) FROM CUDA_GRAPH_EVENTS").fetchone())
    print("of graphs that are there: %d %d" % db.execute(
        "SELECT sum(graphId IN (SELECT graphId FROM CUDA_GRAPH_EVENTS WHERE eventClass = 95)), "
        "sum(originalGraphId IN (SELECT graphId FROM CUDA_GRAPH_EVENTS WHERE eventClass = 95)) "
        "FROM CUDA_GRAPH_EVENTS").fetchone())
    print("nodes: %d, numbers %d, originals that are there %d of %d" % db.execute(
        "SELECT count(*), count(DISTINCT graphNodeId), "
        "sum(originalGraphNodeId IN (SELECT graphNodeId FROM CUDA_GRAPH_NODE_EVENTS)), count(originalGraphNodeId) "
        "FROM CUDA_GRAPH_NODE_EVENTS").fetchone())
    # As TensorRT-LLM's layer-wise benchmarks find the range in which the kernel of a graph was captured.
    parents = dict(db.execute("SELECT graphNodeId, originalGraphNodeId FROM CUDA_GRAPH_NODE_EVENTS"))
    times = dict(db.execute("SELECT graphNodeId, start FROM CUDA_GRAPH_NODE_EVENTS"))
    for table in "KERNEL", "MEMSET":
        for node, in db.execute("SELECT graphNodeId FROM CUPTI_ACTIVITY_KIND_%s ORDER BY graphNodeId" % table):
            steps = 0
            while parents.get(node):
                node, steps = parents[node], steps + 1
            ranges = db.execute("SELECT text FROM NVTX_EVENTS WHERE start <= ? AND end >= ?",
                                [times.get(node, -1)] * 2).fetchall()
            print(table, "of a graph" if node else "of no graph", steps, *[text for text, in ranges])


if len(sys.argv) > 1:
    read(sys.argv[1])
else:
    program()
