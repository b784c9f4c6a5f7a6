"""Calls of cuBLAS's functions of matrices, level 3."""
import numpy as np

from .blas import (LEFT, LETTERS, LOWER, NON_UNIT, OPERATIONS, RIGHT, UPPER, applied,
                   blas, symmetric, transposes, triangle)
from .cases import calls
from .device import Long, compare, scalar

M, N, K = 70, 45, 33
ALPHA, BETA = 0.5, -0.25
BATCH = 3


def both(t):
    return scalar(ALPHA, t), scalar(BETA, t)


def operand(device, t, operation, rows, columns):
    """A matrix that has a shape once an operation has been applied to it."""
    return device.uniform(t, *((rows, columns) if operation == "n" else (columns, rows)))


def check_gemm(device, t, name, m, n, k):
    call, handle = blas(device)
    for left in transposes(t):
        for right in transposes(t):
            a, b = operand(device, t, left, m, k), operand(device, t, right, k, n)
            c = device.uniform(t, m, n)
            alpha, beta = both(t)
            call(name, handle, OPERATIONS[left], OPERATIONS[right], m, n, k, alpha, a,
                 len(a.values), b, len(b.values), beta, c, m)
            product = applied(left, a.values) @ applied(right, b.values)
            compare(left + right, c.get(), ALPHA * product + BETA * c.values, t)


@calls("cuBLAS", "<t>gemm", LETTERS)
def gemm(device, t):
    check_gemm(device, t, "cublas%sgemm_v2" % t.upper(), M, N, K)


@calls("cuBLAS", "<t>gemm, 160 x 130 x 200", LETTERS)
def large_gemm(device, t):
    check_gemm(device, t, "cublas%sgemm_v2" % t.upper(), 160, 130, 200)


@calls("cuBLAS", "<t>gemm, 8 x 4 x 600", LETTERS)
def long_gemm(device, t):
    check_gemm(device, t, "cublas%sgemm_v2" % t.upper(), 8, 4, 600)


@calls("cuBLAS", "<t>gemm3m", "c z")
def gemm3m(device, t):
    check_gemm(device, t, "cublas%sgemm3m" % t.upper(), M, N, K)


def batches(device, t, *shape):
    return [device.uniform(t, *shape) for _ in range(BATCH)]


@calls("cuBLAS", "<t>gemmBatched", LETTERS)
def gemm_batched(device, t):
    call, handle = blas(device)
    a, b, c = batches(device, t, M, K), batches(device, t, K, N), batches(device, t, M, N)
    alpha, beta = both(t)
    call("cublas%sgemmBatched" % t.upper(), handle, 0, 0, M, N, K, alpha,
         device.pointers(a), M, device.pointers(b), K, beta, device.pointers(c), M, BATCH)
    for left, right, result in zip(a, b, c):
        compare("C", result.get(),
                ALPHA * left.values @ right.values + BETA * result.values, t)


def strided(device, t, *shape):
    """A batch in one piece of memory: the last index is that of the matrix."""
    return device.uniform(t, *shape, BATCH)


def each(values):
    return [values[..., i] for i in range(BATCH)]


def check_strided(device, t, call, *arguments):
    a, b, c = strided(device, t, M, K), strided(device, t, K, N), strided(device, t, M, N)
    call(a, b, c)
    products = [ALPHA * x @ y + BETA * z for x, y, z in
                zip(each(a.values), each(b.values), each(c.values))]
    compare("C", c.get(), np.stack(products, axis=-1), t)


@calls("cuBLAS", "<t>gemmStridedBatched", LETTERS)
def gemm_strided_batched(device, t):
    call, handle = blas(device)
    alpha, beta = both(t)
    check_strided(device, t, lambda a, b, c: call(
        "cublas%sgemmStridedBatched" % t.upper(), handle, 0, 0, M, N, K, alpha, a, M,
        Long(M * K), b, K, Long(K * N), beta, c, M, Long(M * N), BATCH))


@calls("cuBLAS", "Hgemm", "h")
def hgemm(device, t):
    check_gemm(device, t, "cublasHgemm", M, N, K)


@calls("cuBLAS", "<t>gemvStridedBatched", LETTERS)
def gemv_strided_batched(device, t):
    call, handle = blas(device)
    a, x, y = strided(device, t, M, N), strided(device, t, N), strided(device, t, M)
    alpha, beta = both(t)
    call("cublas%sgemvStridedBatched" % t.upper(), handle, 0, M, N, alpha, a, M,
         Long(M * N), x, 1, Long(N), beta, y, 1, Long(M), BATCH)
    products = [ALPHA * p @ q + BETA * r for p, q, r in
                zip(each(a.values), each(x.values), each(y.values))]
    compare("y", y.get(), np.stack(products, axis=-1), t)


def check_symm(device, t, name, conjugates):
    call, handle = blas(device)
    for side in (LEFT, RIGHT):
        for fill in (LOWER, UPPER):
            size = M if side == LEFT else N
            a = device.array(symmetric(device.uniform(t, size, size).values, fill,
                                       conjugates), t)
            b, c = device.uniform(t, M, N), device.uniform(t, M, N)
            alpha, beta = both(t)
            call(name, handle, side, fill, M, N, alpha, a, size, b, M, beta, c, M)
            product = a.values @ b.values if side == LEFT else b.values @ a.values
            compare("C", c.get(), ALPHA * product + BETA * c.values, t)


@calls("cuBLAS", "<t>symm", LETTERS)
def symm(device, t):
    check_symm(device, t, "cublas%ssymm_v2" % t.upper(), False)


@calls("cuBLAS", "<t>hemm", "c z")
def hemm(device, t):
    check_symm(device, t, "cublas%shemm_v2" % t.upper(), True)


def check_rank_k(device, t, name, conjugates, matrices):
    """C = alpha A op(A) + beta C of one half of C; with B in the ways of syr2k and
    of syrkx."""
    call, handle = blas(device)
    real = {"c": "s", "z": "d"}[t] if conjugates else t
    turned = "c" if conjugates else "t"
    for fill in (LOWER, UPPER):
        for operation in ("n", turned):
            a, b = operand(device, t, operation, N, K), operand(device, t, operation, N, K)
            if matrices == "x":
                b = a  # any other gives a matrix that is not symmetric
            start = symmetric(device.uniform(t, N, N).values, fill, conjugates)
            c = device.array(start, t)
            alpha = scalar(ALPHA, t if matrices else real)
            second = [b, len(b.values)] if matrices else []
            call(name, handle, fill, OPERATIONS[operation], N, K, alpha, a, len(a.values),
                 *second, scalar(BETA, real), c, N)
            left, right = applied(operation, a.values), applied(operation, b.values)
            change = left @ applied(turned, right if matrices else left)
            if matrices == "2":
                change = change + right @ applied(turned, left)
            expected = ALPHA * change + BETA * c.values
            compare(operation, triangle(c.get(), fill), triangle(expected, fill), t)


for kind, variants, conjugated in (("sy", "s d c z", False), ("he", "c z", True)):
    for tail, extra in (("rk", ""), ("r2k", "2"), ("rkx", "x")):

        @calls("cuBLAS", "<t>" + kind + tail, variants)
        def rank_k(device, t, name=kind + tail, c=conjugated, extra=extra):
            suffix = "" if extra == "x" else "_v2"
            check_rank_k(device, t, "cublas" + t.upper() + name + suffix, c, extra)


def triangular_cases(t):
    for side in (LEFT, RIGHT):
        for fill in (LOWER, UPPER):
            for operation in transposes(t):
                yield side, fill, operation


def diagonal_heavy(device, t, size, fill):
    values = triangle(device.uniform(t, size, size).values, fill)
    return device.array(values + 8 * np.eye(size), t)


@calls("cuBLAS", "<t>trmm", LETTERS)
def trmm(device, t):
    call, handle = blas(device)
    for side, fill, operation in triangular_cases(t):
        a = diagonal_heavy(device, t, M if side == LEFT else N, fill)
        b, c = device.uniform(t, M, N), device.zeros(t, M, N)
        call("cublas%strmm_v2" % t.upper(), handle, side, fill, OPERATIONS[operation],
             NON_UNIT, M, N, scalar(ALPHA, t), a, len(a.values), b, M, c, M)
        turned = applied(operation, a.values)
        product = turned @ b.values if side == LEFT else b.values @ turned
        compare(operation, c.get(), ALPHA * product, t)


@calls("cuBLAS", "<t>trsm", LETTERS)
def trsm(device, t):
    call, handle = blas(device)
    for side, fill, operation in triangular_cases(t):
        a = diagonal_heavy(device, t, M if side == LEFT else N, fill)
        b = device.uniform(t, M, N)
        call("cublas%strsm_v2" % t.upper(), handle, side, fill, OPERATIONS[operation],
             NON_UNIT, M, N, scalar(ALPHA, t), a, len(a.values), b, M)
        turned = applied(operation, a.values)
        expected = (np.linalg.solve(turned, b.values) if side == LEFT
                    else np.linalg.solve(turned.T, b.values.T).T)
        compare(operation, b.get(), ALPHA * expected, t, 64)


@calls("cuBLAS", "<t>trsmBatched", LETTERS)
def trsm_batched(device, t):
    call, handle = blas(device)
    size = 24
    a = [diagonal_heavy(device, t, size, LOWER) for _ in range(BATCH)]
    b = batches(device, t, size, 10)
    call("cublas%strsmBatched" % t.upper(), handle, LEFT, LOWER, 0, NON_UNIT, size, 10,
         scalar(ALPHA, t), device.pointers(a), size, device.pointers(b), size, BATCH)
    for matrix, right in zip(a, b):
        compare("X", right.get(), ALPHA * np.linalg.solve(matrix.values, right.values), t,
                64)


@calls("cuBLAS", "<t>geam", LETTERS)
def geam(device, t):
    call, handle = blas(device)
    for left in transposes(t):
        for right in transposes(t):
            a, b = operand(device, t, left, M, N), operand(device, t, right, M, N)
            c = device.zeros(t, M, N)
            alpha, beta = both(t)
            call("cublas%sgeam" % t.upper(), handle, OPERATIONS[left], OPERATIONS[right],
                 M, N, alpha, a, len(a.values), beta, b, len(b.values), c, M)
            compare(left + right, c.get(), ALPHA * applied(left, a.values) +
                    BETA * applied(right, b.values), t)


@calls("cuBLAS", "<t>dgmm", LETTERS)
def dgmm(device, t):
    call, handle = blas(device)
    for side in (LEFT, RIGHT):
        a, c = device.uniform(t, M, N), device.zeros(t, M, N)
        x = device.uniform(t, M if side == LEFT else N)
        call("cublas%sdgmm" % t.upper(), handle, side, M, N, a, M, x, 1, c, M)
        factors = x.values[:, None] if side == LEFT else x.values
        compare("C", c.get(), factors * a.values, t)


@calls("cuBLAS", "<t>tpttr", LETTERS)
def tpttr(device, t):
    from .blas import packed

    call, handle = blas(device)
    for fill in (LOWER, UPPER):
        values = triangle(device.uniform(t, N, N).values, fill)
        a, b = device.array(packed(values, fill), t), device.zeros(t, N, N)
        call("cublas%stpttr" % t.upper(), handle, fill, N, a, b, N)
        compare("A", triangle(b.get(), fill), values, t)
        back = device.zeros(t, N * (N + 1) // 2)
        call("cublas%strttp" % t.upper(), handle, fill, N, b, N, back)
        compare("AP", back.get(), a.values, t)
