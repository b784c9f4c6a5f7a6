"""Calls of cuDNN for training: convolutions of several layouts and their slopes, of pooling, and normalisation."""
import ctypes

import numpy as np

from .cases import calls
from .device import Handle, compare
from .dnn import ACTIVATIONS, KINDS, LETTERS, NCHW, C, H, N, Network, W

NHWC = 1
LAYOUTS = {"NCHW": NCHW, "NHWC": NHWC}
# What a call has beside a border of one: filters, steps, distances of a filter's elements, groups of channels.
SHAPES = {"plain": (4, 1, 1, 1), "steps": (4, 2, 1, 1), "spread": (4, 1, 2, 1), "groups": (6, 1, 1, 3)}
SIZE, BORDER = 3, 1


def taps(sizes, step, distance):
    """Each element of a filter, and the places of a bordered image that it is multiplied with."""
    for row in range(SIZE):
        for column in range(SIZE):
            yield row, column, tuple(slice(first * distance, first * distance + step * (size - 1) + 1, step)
                                     for first, size in zip((row, column), sizes))


class Products:
    """A convolution in double precision, and its slopes, group by group."""

    def __init__(self, x, w, shape):
        _, self.step, self.distance, self.groups = SHAPES[shape]
        self.x, self.w = x, w
        self.bordered = np.pad(x, ((0, 0), (0, 0), (BORDER, BORDER), (BORDER, BORDER)))
        reach = self.distance * (SIZE - 1) + 1
        self.sizes = tuple((size - reach) // self.step + 1 for size in self.bordered.shape[2:])

    def of_groups(self):
        """The channels of images and the filters that belong together."""
        channels, filters = self.x.shape[1] // self.groups, self.w.shape[0] // self.groups
        for group in range(self.groups):
            yield slice(group * channels, (group + 1) * channels), slice(group * filters, (group + 1) * filters)

    def forward(self):
        y = np.zeros((self.x.shape[0], self.w.shape[0], *self.sizes))
        for channels, filters in self.of_groups():
            for row, column, places in taps(self.sizes, self.step, self.distance):
                part = self.bordered[:, channels, places[0], places[1]]
                y[:, filters] += np.einsum("nchw,kc->nkhw", part, self.w[filters, :, row, column])
        return y

    def slope_of_images(self, dy):
        dx = np.zeros(self.bordered.shape)
        for channels, filters in self.of_groups():
            for row, column, places in taps(self.sizes, self.step, self.distance):
                part = np.einsum("nkhw,kc->nchw", dy[:, filters], self.w[filters, :, row, column])
                dx[:, channels, places[0], places[1]] += part
        return dx[:, :, BORDER:-BORDER, BORDER:-BORDER]

    def slope_of_filters(self, dy):
        dw = np.zeros(self.w.shape)
        for channels, filters in self.of_groups():
            for row, column, places in taps(self.sizes, self.step, self.distance):
                part = self.bordered[:, channels, places[0], places[1]]
                dw[filters, :, row, column] = np.einsum("nkhw,nchw->kc", dy[:, filters], part)
        return dw


class Convolution:
    """The arrays and descriptors of a convolution, its result's slope among them."""

    def __init__(self, device, t, layout, shape):
        self.net, self.device, self.t, self.layout = Network(device, t), device, t, LAYOUTS[layout]
        count, step, distance, groups = SHAPES[shape]
        x, w = self.random(N, C, H, W), self.random(count, C // groups, SIZE, SIZE)
        self.products = Products(x, w, shape)
        dy = self.random(N, count, *self.products.sizes)
        self.arrays = {"x": x, "w": w, "y": dy}
        real = KINDS["d" if t == "d" else "s"]
        self.kind = self.net.make("Convolution", "SetConvolution2dDescriptor", BORDER, BORDER, step, step, distance,
                                  distance, 1, real)
        self.net.call("cudnnSetConvolutionGroupCount", self.kind, groups)
        self.shapes = {"x": self.tensor(x), "y": self.tensor(dy),
                       "w": self.net.make("Filter", "SetFilter4dDescriptor", KINDS[t], self.layout, *w.shape)}

    def random(self, *shape):
        return self.device.uniform(self.t, *shape).values

    def tensor(self, values):
        return self.net.make("Tensor", "SetTensor4dDescriptor", self.layout, KINDS[self.t], *values.shape)

    def put(self, values):
        return self.net.put(values if self.layout == NCHW else values.transpose(0, 2, 3, 1))

    def run(self, name, given, made, algorithm):
        """What a function makes of two arrays that are given."""
        shapes = [self.shapes[letter] for letter in given] + [self.kind, self.shapes[made]]
        room = Handle(ctypes.c_size_t)
        getattr(self.net, f"GetConvolution{name}WorkspaceSize")(*shapes, algorithm, room)
        result = self.put(np.zeros(self.arrays[made].shape))
        operands = [part for letter in given for part in (self.shapes[letter], self.put(self.arrays[letter]))]
        getattr(self.net, "Convolution" + name)(
            self.net.one, *operands, self.kind, algorithm, ctypes.c_void_p(self.device.allocate(room.value)),
            ctypes.c_size_t(room.value), self.net.zero, self.shapes[made], result)
        found, shape = result.get(), self.arrays[made].shape
        if self.layout == NCHW:
            return found.reshape(shape)
        return found.reshape(shape[0], *shape[2:], shape[1]).transpose(0, 3, 1, 2)


# The functions of each direction: what it takes and makes, its reference, and the first of its algorithms.
DIRECTIONS = {"Forward": ("xw", "y", lambda products, _: products.forward()),
              "BackwardData": ("wy", "x", Products.slope_of_images),
              "BackwardFilter": ("xy", "w", Products.slope_of_filters)}


def check_convolution(device, t, direction, layout, shape, algorithm):
    given, made, reference = DIRECTIONS[direction]
    convolution = Convolution(device, t, layout, shape)
    found = convolution.run(direction, given, made, algorithm)
    compare(made, found, reference(convolution.products, convolution.arrays["y"]), t, 64)


for direction in DIRECTIONS:
    for layout in LAYOUTS:
        for shape in SHAPES:

            @calls("cuDNN", f"Convolution{direction}, {layout}, {shape}", "s d h")
            def convolve(device, t, direction=direction, layout=layout, shape=shape):
                check_convolution(device, t, direction, layout, shape, 1 if direction != "Forward" else 0)


for direction in ("BackwardData", "BackwardFilter"):

    @calls("cuDNN", f"Convolution{direction}, adding as it comes", "s d h")
    def add_slopes(device, t, direction=direction):
        check_convolution(device, t, direction, "NCHW", "plain", 0)


@calls("cuDNN", "ConvolutionBackwardBias", LETTERS)
def slope_of_bias(device, t):
    net = Network(device, t)
    dy, values = net.random()
    db = net.put(np.zeros(C))
    net.ConvolutionBackwardBias(net.one, net.tensor(), dy, net.zero, net.tensor(1, C, 1, 1), db)
    compare("db", db.get(), values.sum((0, 2, 3)), t, 16)


def windows(step=2):
    return [(i, j, slice(step * i, step * i + SIZE), slice(step * j, step * j + SIZE))
            for i in range((H - SIZE) // step + 1) for j in range((W - SIZE) // step + 1)]


@calls("cuDNN", "PoolingBackward", LETTERS)
def slope_of_pooling(device, t):
    net = Network(device, t)
    rows, columns = (H - SIZE) // 2 + 1, (W - SIZE) // 2 + 1
    small = net.tensor(N, C, rows, columns)
    for mode in (0, 2):
        kind = net.make("Pooling", "SetPooling2dDescriptor", mode, 1, SIZE, SIZE, 0, 0, 2, 2)
        # Elements of which no two are the same in eight bits: which of them is the largest is not open.
        places = device.random.permutation(N * C * H * W).reshape(N, C, H, W)
        values = 2.0**(places // 128 - 4) * (1 + places % 128 / 128)
        x, (dy, slopes) = net.put(values), net.random(N, C, rows, columns)
        values, y, dx = x.values.reshape(values.shape), net.put(np.zeros(slopes.size)), net.put(np.zeros(values.size))
        net.PoolingForward(kind, net.one, net.tensor(), x, net.zero, small, y)
        net.PoolingBackward(kind, net.one, small, y, small, dy, net.tensor(), x, net.zero, net.tensor(), dx)
        expected = np.zeros(values.shape)
        for i, j, *places in windows():
            part = values[:, :, places[0], places[1]]
            largest = part == part.max((2, 3), keepdims=True)
            shares = largest if mode == 0 else np.full(part.shape, 1 / SIZE**2)
            expected[:, :, places[0], places[1]] += shares * slopes[:, :, i, j, None, None]
        compare("dx", dx.get().reshape(expected.shape), expected, t, 16)


@calls("cuDNN", "SoftmaxBackward", LETTERS)
def slope_of_softmax(device, t):
    net = Network(device, t)
    shape = net.tensor()
    for logarithm, algorithm in ((False, 1), (True, 2)):
        for mode, axes in ((0, (1, 2, 3)), (1, (1,))):
            (x, values), (dy, slopes) = net.random(), net.random()
            y, dx = net.put(np.zeros(values.size)), net.put(np.zeros(values.size))
            net.SoftmaxForward(algorithm, mode, net.one, shape, x, net.zero, shape, y)
            net.SoftmaxBackward(algorithm, mode, net.one, shape, y, shape, dy, net.zero, shape, dx)
            shares = np.exp(values) / np.exp(values).sum(axes, keepdims=True)
            if logarithm:
                expected = slopes - shares * slopes.sum(axes, keepdims=True)
            else:
                expected = shares * (slopes - (shares * slopes).sum(axes, keepdims=True))
            compare("dx", dx.get().reshape(values.shape), expected, t, 32)


SLOPES = {"sigmoid": lambda x, y: y * (1 - y), "relu": lambda x, y: (x > 0) * 1.0, "tanh": lambda x, y: 1 - y * y,
          "elu": lambda x, y: np.where(x > 0, 1, y + 1)}
for name, slope in SLOPES.items():

    @calls("cuDNN", "ActivationBackward, " + name, LETTERS)
    def slope_of_activation(device, t, name=name, slope=slope):
        net = Network(device, t)
        (x, values), (dy, slopes), shape = net.random(), net.random(), net.tensor()
        mode, function = ACTIVATIONS[name]
        y, dx = net.put(function(values)), net.put(np.zeros(values.size))
        kind = net.make("Activation", "SetActivationDescriptor", mode, 1, 1.0)
        net.ActivationBackward(kind, net.one, shape, y, shape, dy, shape, x, net.zero, shape, dx)
        compare("dx", dx.get().reshape(values.shape), slopes * slope(values, function(values)), t, 16)


EPSILON = 1e-5


def check_batch_normalization(device, t, mode, axes):
    """A step of training, and its slopes. Mode 0 has factors of each place, mode 1 of each channel."""
    net = Network(device, t)
    (x, values), (dy, slopes), shape = net.random(), net.random(), net.tensor()
    sizes = [1 if axis in axes else size for axis, size in enumerate((N, C, H, W))]
    count, real = int(np.prod(sizes)), "d" if t == "d" else "s"
    factors = net.make("Tensor", "SetTensor4dDescriptor", NCHW, KINDS[real], *sizes)
    scale, bias = (device.array(np.linspace(0.5, 1.5, count), real) for _ in range(2))
    running, variance, mean, inverse, dscale, dbias = (device.zeros(real, count) for _ in range(6))
    y, dx = net.put(np.zeros(values.size)), net.put(np.zeros(values.size))
    net.BatchNormalizationForwardTraining(mode, net.one, net.zero, shape, x, shape, y, factors, scale, bias, 0.25,
                                          running, variance, EPSILON, mean, inverse)
    net.BatchNormalizationBackward(mode, net.one, net.zero, net.one, net.zero, shape, x, shape, dy, shape, dx, factors,
                                   scale, dscale, dbias, EPSILON, mean, inverse)
    wide, elements = scale.values.reshape(sizes), values.size // count
    centred = values - values.mean(axes, keepdims=True)
    deviation = np.sqrt(values.var(axes, keepdims=True) + EPSILON)
    normal = centred / deviation
    sums = [part.sum(axes, keepdims=True) for part in (slopes, slopes * normal)]
    compare("y", y.get().reshape(values.shape), normal * wide + bias.values.reshape(sizes), t, 32)
    compare("mean", mean.get(), values.mean(axes).reshape(-1), real, 32, 1)
    unbiased = values.var(axes, ddof=1).reshape(-1) if elements > 1 else 0
    compare("variance", variance.get(), 0.25 * unbiased, real, 32, 1)
    compare("dbias", dbias.get(), sums[0].reshape(-1), real, 64, elements)
    compare("dscale", dscale.get(), sums[1].reshape(-1), real, 64, elements)
    expected = wide / deviation * (slopes - (sums[0] + normal * sums[1]) / elements)
    compare("dx", dx.get().reshape(values.shape), expected, t, 64)


@calls("cuDNN", "BatchNormalizationForwardTraining and Backward, of channels", LETTERS)
def normalize_channels(device, t):
    check_batch_normalization(device, t, 1, (0, 2, 3))


@calls("cuDNN", "BatchNormalizationForwardTraining and Backward, of places", "s d h")
def normalize_places(device, t):
    check_batch_normalization(device, t, 0, (0,))


@calls("cuDNN", "LRNCrossChannelForward", "s d h")
def normalize_neighbours(device, t):
    net = Network(device, t)
    x, values = net.random()
    y, width, alpha, beta, k = net.put(np.zeros(values.size)), 3, 0.5, 0.75, 2.0
    kind = net.make("LRN", "SetLRNDescriptor", width, alpha, beta, k)
    net.LRNCrossChannelForward(kind, 0, net.one, net.tensor(), x, net.zero, net.tensor(), y)
    squares = np.pad(values**2, ((0, 0), (1, 1), (0, 0), (0, 0)))
    sums = sum(squares[:, first:first + C] for first in range(width))
    compare("y", y.get().reshape(values.shape), values / (k + alpha / width * sums)**beta, t, 32)
