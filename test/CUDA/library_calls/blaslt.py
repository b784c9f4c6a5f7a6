"""Calls of cuBLASLt: products of matrices with what is done to their results."""
import ctypes

import numpy as np

from .blas import applied
from .blas3 import operand
from .blas_ex import VARIANTS, parse
from .cases import calls
from .device import DATA_TYPES, Handle, Long, compare, scalar

M, N, K = 96, 64, 80
# cublasLtMatmulDescAttributes_t, and what it says of the end of a product.
TRANSA, TRANSB, EPILOGUE, BIAS, AUXILIARY, AUXILIARY_STEP = 3, 4, 7, 8, 11, 12
BIAS_TYPE = 26
EPILOGUES = {"RELU": 2, "BIAS": 4, "RELU_BIAS": 6, "GELU": 32, "GELU_BIAS": 36,
             "RELU_AUX": 130, "GELU_AUX": 160, "DGELU": 192, "DRELU": 136,
             "BGRADA": 256, "BGRADB": 512}
WORKSPACE = 4 << 20


# The root of 2 / pi, and it times 3 * 0.044715, to so many digits as cuBLASLt has
# them for doubles, too.
ROOT = 0.79788456
SLOPE = 0.1070322243


def gelu(x):
    """As cuBLASLt approximates it, by tanh."""
    return 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x**3)))


def gelu_derivative(x):
    tangent = np.tanh(ROOT * (x + 0.044715 * x**3))
    inner = ROOT + SLOPE * x**2
    return 0.5 * (1 + tangent) + 0.5 * x * (1 - tangent**2) * inner


class Product:
    """D = alpha op(A) op(B) + beta C by cublasLtMatmul."""

    def __init__(self, device, variant, left="n", right="n"):
        self.device = device
        self.call = device.library("libcublasLt.so.*")
        self.handle = Handle()
        self.call("cublasLtCreate", self.handle)
        number, self.scale, self.inputs, self.output, self.compared = parse(variant)
        self.left, self.right = left, right
        self.a = operand(device, self.inputs, left, M, K)
        self.b = operand(device, self.inputs, right, K, N)
        self.c = device.uniform(self.output, M, N)
        self.d = device.zeros(self.output, M, N)
        self.description = Handle()
        self.call("cublasLtMatmulDescCreate", self.description, number,
                  DATA_TYPES[self.scale])
        for attribute, operation in ((TRANSA, left), (TRANSB, right)):
            self.set(attribute, np.array(["ntc".index(operation)], np.int32))

    def set(self, attribute, value):
        self.call("cublasLtMatmulDescSetAttribute", self.description.cell, attribute, value,
                  Long(value.nbytes))

    def set_address(self, attribute, array):
        self.set(attribute, np.array([array.address], np.uint64))

    def layout(self, array):
        place = Handle()
        rows, columns = array.values.shape
        self.call("cublasLtMatrixLayoutCreate", place, DATA_TYPES[array.letter], Long(rows),
                  Long(columns), Long(rows))
        return place.cell

    def run(self):
        layouts = [self.layout(m) for m in (self.a, self.b, self.c, self.d)]
        preference = Handle()
        self.call("cublasLtMatmulPreferenceCreate", preference)
        limit = np.array([WORKSPACE], np.uint64)
        self.call("cublasLtMatmulPreferenceSetAttribute", preference.cell, 1, limit, Long(8))
        found = np.zeros(16, np.uint64)  # cublasLtMatmulHeuristicResult_t
        count = np.zeros(1, np.int32)
        self.call("cublasLtMatmulAlgoGetHeuristic", self.handle.cell, self.description.cell,
                  *layouts, preference.cell, 1, found, count)
        workspace = ctypes.c_void_p(self.device.allocate(WORKSPACE))
        self.call("cublasLtMatmul", self.handle.cell, self.description.cell,
                  scalar(2, self.scale), self.a, layouts[0], self.b, layouts[1],
                  scalar(1, self.scale), self.c, layouts[2], self.d, layouts[3], found,
                  workspace, Long(WORKSPACE), None)
        return self.d.get()

    def expected(self):
        product = applied(self.left, self.a.values) @ applied(self.right, self.b.values)
        return 2 * product + self.c.values


@calls("cuBLASLt", "Matmul", VARIANTS)
def matmul(device, variant):
    for left in "nt":
        for right in "nt":
            product = Product(device, variant, left, right)
            compare(left + right, product.run(), product.expected(), product.compared)


def finish(name, values, bias, auxiliary):
    """What an epilogue makes of values."""
    if "BIAS" in name:
        values = values + bias[:, None]
    if "DGELU" in name:
        return values * gelu_derivative(auxiliary)
    if "GELU" in name:
        return gelu(values)
    return np.maximum(values, 0) if "RELU" in name else values


def with_epilogue(device, variant, name):
    product = Product(device, variant, "t", "n")
    bias = device.uniform(product.output, M if name != "BGRADB" else N)
    auxiliary = device.uniform(product.output, M, N)
    product.set(EPILOGUE, np.array([EPILOGUES[name]], np.int32))
    if "BIAS" in name or "BGRAD" in name:
        product.set_address(BIAS, bias)
    if "AUX" in name or name == "DGELU":
        product.set_address(AUXILIARY, auxiliary)
        product.set(AUXILIARY_STEP, np.array([128 if "RELU" in name else M], np.int64))
    values = product.run()
    expected = product.expected()
    compare("D", values, finish(name, expected, bias.values, auxiliary.values),
            product.compared, scale=np.abs(expected).max())
    if name == "GELU_AUX":
        compare("the values before", auxiliary.get(), expected, product.compared)
    if name == "BGRADB":
        compare("sums", bias.get(), product.b.values.sum(axis=0), product.compared)
    if name == "BGRADA":
        compare("sums", bias.get(), applied("t", product.a.values).sum(axis=1),
                product.compared)


for epilogue in EPILOGUES:
    if epilogue == "DRELU":
        continue  # takes a mask of bits

    @calls("cuBLASLt", "Matmul with %s" % epilogue, "32F:ss 32F:hh 32F:bb 64F:dd")
    def matmul_with(device, variant, epilogue=epilogue):
        with_epilogue(device, variant, epilogue)


@calls("cuBLASLt", "Matmul of 8-bit floats", "ee ef fe")
def matmul_of_bytes(device, variant):
    product = Product(device, "32F:hb", "t", "n")
    product.a = operand(device, variant[0], "t", M, K)
    product.b = operand(device, variant[1], "n", K, N)
    product.compared = "b"
    compare("D", product.run(), product.expected(), "b")


def transform(device, t, order_from, order_to):
    call = device.library("libcublasLt.so.*")
    handle, description = Handle(), Handle()
    call("cublasLtCreate", handle)
    call("cublasLtMatrixTransformDescCreate", description, DATA_TYPES["s"])
    a, c = device.uniform(t, M, N), device.zeros(t, M, N)
    layouts = []
    for order in (order_from, order_to):
        place = Handle()
        step = M if order == 0 else N
        call("cublasLtMatrixLayoutCreate", place, DATA_TYPES[t], Long(M), Long(N),
             Long(step))
        call("cublasLtMatrixLayoutSetAttribute", place.cell, 1,
             np.array([order], np.int32), Long(4))
        layouts.append(place.cell)
    call("cublasLtMatrixTransform", handle.cell, description.cell, scalar(2, "s"), a,
         layouts[0], scalar(0, "s"), None, None, c, layouts[1], None)
    got = c.get()
    if order_from != order_to:  # the same bytes, read row by row
        got = got.reshape(-1, order="F").reshape(M, N)
    compare("C", got, 2 * a.values, t)


@calls("cuBLASLt", "MatrixTransform, columns", "s h b")
def transform_columns(device, t):
    transform(device, t, 0, 0)


@calls("cuBLASLt", "MatrixTransform, columns to rows", "s h b")
def transform_rows(device, t):
    transform(device, t, 0, 1)
