"""Calls of cuBLAS's functions of several types, and of those that solve batches."""
import numpy as np

from .blas import LETTERS, OPERATIONS, applied, blas
from .blas3 import BATCH, batches, each, operand, strided
from .cases import calls
from .device import DATA_TYPES, Handle, Long, compare, scalar

M, N, K = 96, 64, 80
# cublasComputeType_t: its number, and the type of alpha and beta.
COMPUTE = {
    "16F": (64, "h"), "16F_PEDANTIC": (65, "h"), "32F": (68, "s"), "32F_PEDANTIC": (69, "s"),
    "32F_FAST_16F": (74, "s"), "32F_FAST_16BF": (75, "s"), "32F_FAST_TF32": (77, "s"),
    "64F": (70, "d"), "64F_PEDANTIC": (71, "d"), "32I": (72, "i"), "32I_PEDANTIC": (73, "i"),
}
# The types of A and B, and of C, for each way to compute.
COMBINATIONS = {
    "16F": "hh", "16F_PEDANTIC": "hh", "32F": "ss hh hs bb bs ks kk cc",
    "32F_PEDANTIC": "ss hh bb cc", "32F_FAST_16F": "ss cc", "32F_FAST_16BF": "ss cc",
    "32F_FAST_TF32": "ss cc", "64F": "dd zz", "64F_PEDANTIC": "dd zz", "32I": "ki",
    "32I_PEDANTIC": "ki",
}
VARIANTS = " ".join("%s:%s" % (compute, pair) for compute, pairs in COMBINATIONS.items()
                    for pair in pairs.split() if pair != "kk")
# What a way to compute may round its inputs to.
ROUNDS_TO = {"32F_FAST_16F": "h", "32F_FAST_16BF": "b", "32F_FAST_TF32": "h"}


def parse(variant):
    """(compute type, type of alpha, type of A and B, type of C, type to compare in)"""
    compute, (inputs, output) = variant.split(":")
    number, scale = COMPUTE[compute]
    if output in "cz":
        scale = output
    return number, scale, inputs, output, ROUNDS_TO.get(compute, output)


@calls("cuBLAS", "GemmEx", VARIANTS)
def gemm_ex(device, variant):
    call, handle = blas(device)
    number, scale, inputs, output, compared = parse(variant)
    for left in "nt":
        for right in "nt":
            a = operand(device, inputs, left, M, K)
            b = operand(device, inputs, right, K, N)
            c = device.uniform(output, M, N)
            call("cublasGemmEx", handle, OPERATIONS[left], OPERATIONS[right], M, N, K,
                 scalar(2, scale), a, DATA_TYPES[inputs], len(a.values), b,
                 DATA_TYPES[inputs], len(b.values), scalar(1, scale), c,
                 DATA_TYPES[output], M, number, -1)
            product = applied(left, a.values) @ applied(right, b.values)
            compare(left + right, c.get(), 2 * product + c.values, compared)


@calls("cuBLAS", "GemmStridedBatchedEx", VARIANTS)
def gemm_strided_batched_ex(device, variant):
    call, handle = blas(device)
    number, scale, inputs, output, compared = parse(variant)
    a, b = strided(device, inputs, M, K), strided(device, inputs, K, N)
    c = strided(device, output, M, N)
    call("cublasGemmStridedBatchedEx", handle, 0, 0, M, N, K, scalar(2, scale), a,
         DATA_TYPES[inputs], M, Long(M * K), b, DATA_TYPES[inputs], K, Long(K * N),
         scalar(1, scale), c, DATA_TYPES[output], M, Long(M * N), BATCH, number, -1)
    products = [2 * x @ y + z for x, y, z in
                zip(each(a.values), each(b.values), each(c.values))]
    compare("C", c.get(), np.stack(products, axis=-1), compared)


@calls("cuBLAS", "GemmBatchedEx", VARIANTS)
def gemm_batched_ex(device, variant):
    call, handle = blas(device)
    number, scale, inputs, output, compared = parse(variant)
    a, b = batches(device, inputs, M, K), batches(device, inputs, K, N)
    c = batches(device, output, M, N)
    call("cublasGemmBatchedEx", handle, 0, 0, M, N, K, scalar(2, scale),
         device.pointers(a), DATA_TYPES[inputs], M, device.pointers(b), DATA_TYPES[inputs],
         K, scalar(1, scale), device.pointers(c), DATA_TYPES[output], M, BATCH, number, -1)
    for x, y, z in zip(a, b, c):
        compare("C", z.get(), 2 * x.values @ y.values + z.values, compared)


SIZE = 20


def well_conditioned(device, t):
    return device.array(device.uniform(t, SIZE, SIZE).values + 5 * np.eye(SIZE), t)


def factors(lu, pivots):
    """The matrix whose factors and row exchanges these are."""
    lower = np.tril(lu, -1) + np.eye(SIZE)
    product = lower @ np.triu(lu)
    for row in reversed(range(SIZE)):
        other = int(pivots[row]) - 1
        product[[row, other]] = product[[other, row]]
    return product


def factorize(device, t, call, handle):
    a = [well_conditioned(device, t) for _ in range(BATCH)]
    pivots = device.zeros("i", SIZE, BATCH)
    info = device.zeros("i", BATCH)
    call("cublas%sgetrfBatched" % t.upper(), handle, SIZE, device.pointers(a), SIZE, pivots,
         info, BATCH)
    compare("info", info.get(), np.zeros(BATCH), "i")
    return a, pivots, info


@calls("cuBLAS", "<t>getrfBatched", LETTERS)
def getrf_batched(device, t):
    call, handle = blas(device)
    a, pivots, _ = factorize(device, t, call, handle)
    for i, matrix in enumerate(a):
        compare("P L U", factors(matrix.get(), pivots.get()[:, i]), matrix.values, t)


@calls("cuBLAS", "<t>getrsBatched", LETTERS)
def getrs_batched(device, t):
    call, handle = blas(device)
    a, pivots, _ = factorize(device, t, call, handle)
    b = batches(device, t, SIZE, 4)
    status = np.zeros(1, np.int32)
    call("cublas%sgetrsBatched" % t.upper(), handle, 0, SIZE, 4, device.pointers(a), SIZE,
         pivots, device.pointers(b), SIZE, status, BATCH)
    for matrix, right in zip(a, b):
        compare("X", right.get(), np.linalg.solve(matrix.values, right.values), t, 64)


@calls("cuBLAS", "<t>getriBatched", LETTERS)
def getri_batched(device, t):
    call, handle = blas(device)
    a, pivots, info = factorize(device, t, call, handle)
    c = [device.zeros(t, SIZE, SIZE) for _ in range(BATCH)]
    call("cublas%sgetriBatched" % t.upper(), handle, SIZE, device.pointers(a), SIZE, pivots,
         device.pointers(c), SIZE, info, BATCH)
    for matrix, inverse in zip(a, c):
        compare("inverse", inverse.get(), np.linalg.inv(matrix.values), t, 64)


@calls("cuBLAS", "<t>matinvBatched", LETTERS)
def matinv_batched(device, t):
    call, handle = blas(device)
    a = [well_conditioned(device, t) for _ in range(BATCH)]
    c = [device.zeros(t, SIZE, SIZE) for _ in range(BATCH)]
    info = device.zeros("i", BATCH)
    call("cublas%smatinvBatched" % t.upper(), handle, SIZE, device.pointers(a), SIZE,
         device.pointers(c), SIZE, info, BATCH)
    for matrix, inverse in zip(a, c):
        compare("inverse", inverse.get(), np.linalg.inv(matrix.values), t, 64)


@calls("cuBLAS", "<t>geqrfBatched", LETTERS)
def geqrf_batched(device, t):
    call, handle = blas(device)
    rows, columns = 24, 16
    a = batches(device, t, rows, columns)
    taus = batches(device, t, columns)
    status = np.zeros(1, np.int32)
    call("cublas%sgeqrfBatched" % t.upper(), handle, rows, columns, device.pointers(a), rows,
         device.pointers(taus), status, BATCH)
    for matrix in a:
        r = np.triu(matrix.get()[:columns])
        # Of Q R only R's product with itself does not depend on signs.
        compare("R^H R", r.conj().T @ r, matrix.values.conj().T @ matrix.values, t, 64)


@calls("cuBLAS", "<t>gelsBatched", LETTERS)
def gels_batched(device, t):
    call, handle = blas(device)
    rows, columns = 24, 16
    a, c = batches(device, t, rows, columns), batches(device, t, rows, 3)
    status = np.zeros(1, np.int32)
    info = device.zeros("i", BATCH)
    call("cublas%sgelsBatched" % t.upper(), handle, 0, rows, columns, 3, device.pointers(a),
         rows, device.pointers(c), rows, status, info, BATCH)
    for matrix, right in zip(a, c):
        expected = np.linalg.lstsq(matrix.values, right.values, rcond=None)[0]
        compare("X", right.get()[:columns], expected, t, 256)


@calls("cuBLAS", "GetVersion", "-")
def get_version(device, variant):
    call, handle = blas(device)
    version = np.zeros(1, np.int32)
    call("cublasGetVersion_v2", handle, version)
    place = Handle()
    call("cublasGetStream_v2", handle, place)
    compare("whether the version is known", int(version[0] >= 110000), 1, "i")
