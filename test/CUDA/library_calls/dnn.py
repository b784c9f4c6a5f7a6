"""Calls of cuDNN: the functions of tensors, and convolutions."""
import ctypes

import numpy as np
import scipy.signal

from .cases import calls
from .device import Handle, compare, scalar

# cudnnDataType_t.
KINDS = {"s": 0, "d": 1, "h": 2, "b": 9}
LETTERS = "s d h b"
NCHW = 0
N, C, H, W = 2, 3, 9, 11


class Network:
    """The library, a handle, and descriptors."""

    def __init__(self, device, t):
        self.device, self.t = device, t
        self.call = device.library("libcudnn.so.*")
        self.handle = Handle()
        self.call("cudnnCreate", self.handle)
        self.one, self.zero = (scalar(v, "d" if t == "d" else "s") for v in (1, 0))

    def __getattr__(self, name):
        return lambda *arguments: self.call("cudnn" + name, self.handle.cell, *arguments)

    def make(self, kind, setter, *arguments):
        place = Handle()
        self.call("cudnnCreate%sDescriptor" % kind, place)
        self.call("cudnn" + setter, place.cell, *arguments)
        return place.cell

    def tensor(self, n=N, c=C, h=H, w=W):
        return self.make("Tensor", "SetTensor4dDescriptor", NCHW, KINDS[self.t], n, c, h, w)

    def put(self, values):
        """A tensor whose last index is the next in memory."""
        return self.device.array(np.ascontiguousarray(values).reshape(-1), self.t)

    def random(self, *shape):
        shape = shape or (N, C, H, W)
        values = self.device.uniform(self.t, int(np.prod(shape)))
        return values, values.values.reshape(shape)


def unary(device, t, mode, expected):
    net = Network(device, t)
    x, values = net.random()
    y = net.put(np.zeros(values.size))
    kind = net.make("Activation", "SetActivationDescriptor", mode, 1, 1.0)
    shape = net.tensor()
    net.ActivationForward(kind, net.one, shape, x, net.zero, shape, y)
    compare("y", y.get().reshape(values.shape), expected(values), t, 16)


ACTIVATIONS = {
    "sigmoid": (0, lambda x: 1 / (1 + np.exp(-x))),
    "relu": (1, lambda x: np.maximum(x, 0)),
    "tanh": (2, np.tanh),
    "elu": (4, lambda x: np.where(x > 0, x, np.expm1(x))),
    "swish": (6, lambda x: x / (1 + np.exp(-x))),
}
for name, (mode, function) in ACTIVATIONS.items():

    @calls("cuDNN", "ActivationForward, " + name, LETTERS)
    def activation(device, t, mode=mode, function=function):
        unary(device, t, mode, function)


@calls("cuDNN", "SoftmaxForward", LETTERS)
def softmax(device, t):
    net = Network(device, t)
    shape = net.tensor()
    for algorithm, logarithm in ((0, False), (1, False), (2, True)):
        for mode, axes in ((0, (1, 2, 3)), (1, (1,))):
            x, values = net.random()
            y = net.put(np.zeros(values.size))
            net.SoftmaxForward(algorithm, mode, net.one, shape, x, net.zero, shape, y)
            powers = np.exp(values - values.max(axis=axes, keepdims=True))
            expected = powers / powers.sum(axis=axes, keepdims=True)
            expected = np.log(expected) if logarithm else expected
            compare("y", y.get().reshape(values.shape), expected, t, 16)


@calls("cuDNN", "PoolingForward", LETTERS)
def pooling(device, t):
    net = Network(device, t)
    for mode, function in ((0, np.max), (2, np.mean)):
        kind = net.make("Pooling", "SetPooling2dDescriptor", mode, 1, 3, 3, 0, 0, 2, 2)
        x, values = net.random()
        rows, columns = (H - 3) // 2 + 1, (W - 3) // 2 + 1
        y = net.put(np.zeros(N * C * rows * columns))
        net.PoolingForward(kind, net.one, net.tensor(), x, net.zero,
                           net.tensor(N, C, rows, columns), y)
        expected = np.array([[function(values[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3],
                                       axis=(2, 3)) for j in range(columns)]
                             for i in range(rows)]).transpose(2, 3, 0, 1)
        compare("y", y.get().reshape(expected.shape), expected, t, 16)


@calls("cuDNN", "OpTensor", "s d h")
def op_tensor(device, t):
    net = Network(device, t)
    shape = net.tensor()
    for mode, function in ((0, np.add), (1, np.multiply), (2, np.minimum), (3, np.maximum)):
        kind = net.make("OpTensor", "SetOpTensorDescriptor", mode,
                        KINDS["d" if t == "d" else "s"], 1)
        (a, left), (b, right) = net.random(), net.random()
        c = net.put(np.zeros(left.size))
        net.OpTensor(kind, net.one, shape, a, net.one, shape, b, net.zero, shape, c)
        compare("C", c.get().reshape(left.shape), function(left, right), t, 4)


@calls("cuDNN", "AddTensor", LETTERS)
def add_tensor(device, t):
    net = Network(device, t)
    (bias, small), (c, values) = net.random(1, C, 1, 1), net.random()
    net.AddTensor(net.one, net.tensor(1, C, 1, 1), bias, net.one, net.tensor(), c)
    compare("C", c.get().reshape(values.shape), values + small, t, 4)


@calls("cuDNN", "ReduceTensor", "s d h")
def reduce_tensor(device, t):
    net = Network(device, t)
    for mode, function in ((0, np.sum), (2, np.min), (3, np.max), (5, np.mean)):
        kind = net.make("ReduceTensor", "SetReduceTensorDescriptor", mode,
                        KINDS["d" if t == "d" else "s"], 1, 0, 0)
        a, values = net.random()
        c = net.put(np.zeros(C))
        shapes = net.tensor(), net.tensor(1, C, 1, 1)
        size = Handle(ctypes.c_size_t)
        net.GetReductionWorkspaceSize(kind, *shapes, size)
        room = ctypes.c_void_p(device.allocate(size.value))
        net.ReduceTensor(kind, None, ctypes.c_size_t(0), room, ctypes.c_size_t(size.value),
                         net.one, shapes[0], a, net.zero, shapes[1], c)
        compare("C", c.get(), function(values, axis=(0, 2, 3)), t, 16)


@calls("cuDNN", "TransformTensor", LETTERS)
def transform(device, t):
    net = Network(device, t)
    x, values = net.random()
    y = net.put(np.zeros(values.size))
    other = net.make("Tensor", "SetTensor4dDescriptor", 1, KINDS[t], N, C, H, W)
    net.TransformTensor(net.one, net.tensor(), x, net.zero, other, y)
    compare("y", y.get().reshape(N, H, W, C), values.transpose(0, 2, 3, 1), t, 0)


@calls("cuDNN", "BatchNormalizationForwardInference", "s d h b")
def batch_normalization(device, t):
    net = Network(device, t)
    x, values = net.random()
    y = net.put(np.zeros(values.size))
    real = "d" if t == "d" else "s"
    parts = [device.array(np.linspace(0.5, 1.5, C), real) for _ in range(4)]
    factors = net.make("Tensor", "SetTensor4dDescriptor", NCHW, KINDS[real], 1, C, 1, 1)
    net.BatchNormalizationForwardInference(1, net.one, net.zero, net.tensor(), x,
                                           net.tensor(), y, factors, *parts, 1e-5)
    scale, bias, mean, variance = (p.values[None, :, None, None] for p in parts)
    expected = scale * (values - mean) / np.sqrt(variance + 1e-5) + bias
    compare("y", y.get().reshape(values.shape), expected, t, 16)


def correlate(image, filters, padding):
    padded = np.pad(image, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    return np.array([[sum(scipy.signal.correlate2d(padded[n, c], f[c], "valid")
                          for c in range(f.shape[0])) for f in filters]
                     for n in range(len(image))])


def convolution(device, t, algorithm):
    net = Network(device, t)
    count, size, padding = 4, 3, 1
    x, values = net.random()
    w, filters = net.random(count, C, size, size)
    y = net.put(np.zeros(N * count * H * W))
    compute = KINDS["d" if t == "d" else "s"]
    kind = net.make("Convolution", "SetConvolution2dDescriptor", padding, padding, 1, 1, 1, 1,
                    1, compute)
    shape = net.make("Filter", "SetFilter4dDescriptor", KINDS[t], NCHW, count, C, size, size)
    head = (net.tensor(), shape, kind, net.tensor(N, count, H, W), algorithm)
    room = Handle(ctypes.c_size_t)
    net.GetConvolutionForwardWorkspaceSize(*head, room)
    net.ConvolutionForward(net.one, head[0], x, shape, w, kind, algorithm,
                           ctypes.c_void_p(device.allocate(room.value)),
                           ctypes.c_size_t(room.value), net.zero, head[3], y)
    expected = correlate(values, filters, padding)
    # Winograd's and Fourier's ways round more than sums do.
    compare("y", y.get().reshape(expected.shape), expected, t, 64)


for algorithm, name in ((0, "implicit gemm"), (1, "precomputed gemm"), (2, "gemm"), (4, "fft"),
                        (6, "winograd")):

    @calls("cuDNN", "ConvolutionForward, " + name, "s d h")
    def convolve(device, t, algorithm=algorithm):
        convolution(device, t, algorithm)
