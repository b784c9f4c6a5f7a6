"""Calls of cuDNN's graph interface: an operation, the plans that heuristics propose, and the first that can be had."""
import ctypes

import numpy as np

from .cases import calls
from .device import Failure, Handle, Long, compare
from .dnn import KINDS, C, H, N, Network, W, correlate

# cudnnBackendAttributeType_t, and how its values are passed.
HANDLE, DATA_TYPE, BOOLEAN, INT64, FLOAT, DOUBLE, POINTER, MODE, HEURISTIC = range(9)
POINTWISE, DESCRIPTOR = 14, 15
C_TYPES = {HANDLE: ctypes.c_void_p, DATA_TYPE: ctypes.c_int, BOOLEAN: ctypes.c_bool, INT64: ctypes.c_int64,
           FLOAT: ctypes.c_float, DOUBLE: ctypes.c_double, POINTER: ctypes.c_void_p, MODE: ctypes.c_int,
           HEURISTIC: ctypes.c_int, POINTWISE: ctypes.c_int, DESCRIPTOR: ctypes.c_void_p}
# cudnnBackendDescriptorType_t.
(OF_POINTWISE, OF_CONVOLUTION, OF_CONFIGURATION, OF_HEURISTICS, OF_PLAN, FORWARD, ELEMENTWISE, GRAPH, PACK,
 TENSOR) = (0, 1, 3, 4, 5, 10, 13, 15, 16, 17)
CROSS_CORRELATION, HEURISTICS, MOST_PLANS, RELU = 1, (3, 2), 16, 100
OUT_OF_KERNELS = "cudnnBackendFinalize returns 3000"  # CUDNN_STATUS_NOT_SUPPORTED


class Graph:
    """An operation graph of tensors with numbers."""

    def __init__(self, net):
        self.net, self.call, self.memory = net, net.call, {}

    def set(self, place, attribute, kind, *values):
        array = (C_TYPES[kind] * len(values))(*values)
        self.call("cudnnBackendSetAttribute", place, attribute, kind, Long(len(values)), array)

    def make(self, kind, *attributes):
        """A descriptor with attributes, each (number, type, values...)."""
        place = Handle()
        self.call("cudnnBackendCreateDescriptor", kind, place)
        for attribute in attributes:
            self.set(place.cell, *attribute)
        self.call("cudnnBackendFinalize", place.cell)
        return place.cell

    def tensor(self, memory, *sizes):
        """A tensor whose last index is the next in memory; without memory one that only the graph knows."""
        number = len(self.memory) + 1
        self.memory[number] = memory
        strides = [int(np.prod(sizes[dim + 1:])) for dim in range(len(sizes))]
        virtual = [] if memory is not None else [(907, BOOLEAN, True)]
        place = self.make(TENSOR, (900, INT64, 16), (901, DATA_TYPE, KINDS[self.net.t]), (902, INT64, *sizes),
                          (903, INT64, *strides), (906, INT64, number), *virtual)
        return place.value

    def plans(self, *operations):
        """The plans that there are, with their sizes of work space."""
        graph = self.make(GRAPH, (800, HANDLE, self.net.handle.value), (801, DESCRIPTOR, *operations))
        for mode in HEURISTICS:
            heuristics = self.make(OF_HEURISTICS, (201, DESCRIPTOR, graph.value), (200, HEURISTIC, mode))
            configurations = [Handle() for _ in range(MOST_PLANS)]
            for configuration in configurations:
                self.call("cudnnBackendCreateDescriptor", OF_CONFIGURATION, configuration)
            places = (ctypes.c_void_p * MOST_PLANS)(*(c.value for c in configurations))
            count = Handle(ctypes.c_int64)
            self.call("cudnnBackendGetAttribute", heuristics, 202, DESCRIPTOR, Long(MOST_PLANS), count, places)
            for place in places[:count.value]:
                try:
                    yield self.make(OF_PLAN, (400, HANDLE, self.net.handle.value), (401, DESCRIPTOR, place))
                except Failure:
                    continue

    def run(self, *operations):
        """Runs the first plan whose kernels run here."""
        failure = Failure(OUT_OF_KERNELS)
        for plan in self.plans(*operations):
            size = Handle(ctypes.c_int64)
            self.call("cudnnBackendGetAttribute", plan, 402, INT64, Long(1), None, size)
            memory = {number: array.address for number, array in self.memory.items() if array is not None}
            pack = self.make(PACK, (1000, INT64, *memory), (1001, POINTER, *memory.values()),
                             (1003, POINTER, self.net.device.allocate(size.value)))
            try:
                self.call("cudnnBackendExecute", self.net.handle.cell, plan, pack)
                self.net.device.runtime("cudaDeviceSynchronize")
                return
            except Failure as tried:
                failure = tried
        raise failure


def forward(graph, x, w, y):
    """A convolution with a border of one."""
    real = KINDS["d" if graph.net.t == "d" else "s"]
    kind = graph.make(OF_CONVOLUTION, (106, INT64, 2), (100, DATA_TYPE, real), (101, MODE, CROSS_CORRELATION),
                      (105, INT64, 1, 1), (104, INT64, 1, 1), (102, INT64, 1, 1), (103, INT64, 1, 1))
    scale = DOUBLE if graph.net.t == "d" else FLOAT
    return graph.make(FORWARD, (704, DESCRIPTOR, x), (703, DESCRIPTOR, w), (705, DESCRIPTOR, y),
                      (702, DESCRIPTOR, kind.value), (700, scale, 1.0), (701, scale, 0.0)).value


def convolution(device, t, ends):
    """A convolution, and an operation on its result, if Ends makes one of a graph and a tensor."""
    net, count = Network(device, t), 4
    graph = Graph(net)
    (x, values), (w, filters) = net.random(), net.random(count, C, 3, 3)
    expected = correlate(values, filters, 1)
    y = net.put(np.zeros(expected.size))
    images, weights = graph.tensor(x, N, C, H, W), graph.tensor(w, count, C, 3, 3)
    result = graph.tensor(y if ends is None else None, N, count, H, W)
    operations = [forward(graph, images, weights, result)]
    if ends is not None:
        operations.append(ends(graph, result, graph.tensor(y, N, count, H, W)))
        expected = np.maximum(expected, 0)
    graph.run(*operations)
    compare("y", y.get().reshape(expected.shape), expected, t, 64)


def relu(graph, x, y):
    # The mode, the type that is computed in; the operation's kind, input and output.
    kind = graph.make(OF_POINTWISE, (0, POINTWISE, RELU), (1, DATA_TYPE, KINDS["s"]))
    return graph.make(ELEMENTWISE, (750, DESCRIPTOR, kind.value), (751, DESCRIPTOR, x), (753, DESCRIPTOR, y)).value


@calls("cuDNN", "graph of ConvolutionForward", "s d h")
def convolve(device, t):
    convolution(device, t, None)


@calls("cuDNN", "graph of ConvolutionForward and ReLU", "s h")
def convolve_and_cut(device, t):
    convolution(device, t, relu)
