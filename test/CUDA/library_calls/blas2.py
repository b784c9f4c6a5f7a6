"""Calls of cuBLAS's functions of a matrix and vectors, level 2."""
import numpy as np

from .blas import (LETTERS, LOWER, NON_UNIT, OPERATIONS, UPPER, applied, banded, blas,
                   in_band, packed, symmetric, transposes, triangle)
from .cases import calls
from .device import compare, scalar

N, M = 45, 37
ALPHA, BETA = 0.5, -0.25


def both(t):
    return scalar(ALPHA, t), scalar(BETA, t)


@calls("cuBLAS", "<t>gemv", LETTERS)
def gemv(device, t):
    call, handle = blas(device)
    a = device.uniform(t, M, N)
    for operation in transposes(t):
        matrix = applied(operation, a.values)
        x, y = device.uniform(t, matrix.shape[1]), device.uniform(t, matrix.shape[0])
        alpha, beta = both(t)
        call("cublas%sgemv_v2" % t.upper(), handle, OPERATIONS[operation], M, N, alpha, a,
             M, x, 1, beta, y, 1)
        compare(operation, y.get(), ALPHA * matrix @ x.values + BETA * y.values, t)


@calls("cuBLAS", "<t>gbmv", LETTERS)
def gbmv(device, t):
    call, handle = blas(device)
    below, above = 3, 5
    full = in_band(device.uniform(t, M, N).values, below, above)
    a = device.array(banded(full, below, above), t)
    for operation in transposes(t):
        matrix = applied(operation, full)
        x, y = device.uniform(t, matrix.shape[1]), device.uniform(t, matrix.shape[0])
        alpha, beta = both(t)
        call("cublas%sgbmv_v2" % t.upper(), handle, OPERATIONS[operation], M, N, below,
             above, alpha, a, below + above + 1, x, 1, beta, y, 1)
        compare(operation, y.get(), ALPHA * matrix @ x.values + BETA * y.values, t)


def check_rank_one(device, t, name, conjugates):
    call, handle = blas(device)
    a, x, y = device.uniform(t, M, N), device.uniform(t, M), device.uniform(t, N)
    call("cublas%s_v2" % name, handle, M, N, scalar(ALPHA, t), x, 1, y, 1, a, M)
    right = y.values.conj() if conjugates else y.values
    compare("A", a.get(), a.values + ALPHA * np.outer(x.values, right), t)


@calls("cuBLAS", "<t>ger", "s d")
def ger(device, t):
    check_rank_one(device, t, t.upper() + "ger", False)


@calls("cuBLAS", "<t>geru", "c z")
def geru(device, t):
    check_rank_one(device, t, t.upper() + "geru", False)


@calls("cuBLAS", "<t>gerc", "c z")
def gerc(device, t):
    check_rank_one(device, t, t.upper() + "gerc", True)


def check_symmetric(device, t, name, conjugates, store):
    """y = alpha A x + beta y for a symmetric A, by how its half is stored."""
    call, handle = blas(device)
    for fill in (LOWER, UPPER):
        values = device.uniform(t, N, N).values
        full, arguments = store(device, t, symmetric(values, fill, conjugates), fill)
        x, y = device.uniform(t, N), device.uniform(t, N)
        alpha, beta = both(t)
        call("cublas%s_v2" % name, handle, fill, N, *arguments(alpha), x, 1, beta, y, 1)
        compare("y", y.get(), ALPHA * full @ x.values + BETA * y.values, t)


def store_dense(device, t, matrix, fill):
    a = device.array(matrix, t)
    return a.values, lambda alpha: (alpha, a, N)


def store_packed(device, t, matrix, fill):
    a = device.array(packed(matrix, fill), t)
    return device.array(matrix, t).values, lambda alpha: (alpha, a)


def store_banded(device, t, matrix, fill):
    bands = 4
    matrix = in_band(matrix, bands, bands)
    a = device.array(banded(triangle(matrix, fill), *((bands, 0) if fill == LOWER else
                                                      (0, bands))), t)
    return device.array(matrix, t).values, lambda alpha: (bands, alpha, a, bands + 1)


for stored, letters in ((store_dense, "y"), (store_packed, "p"), (store_banded, "b")):
    for kind, variants in (("s", "s d c z" if letters == "y" else "s d"), ("h", "c z")):
        tail = {"y": "ymv" if kind == "s" else "emv", "p": "pmv", "b": "bmv"}[letters]

        @calls("cuBLAS", "<t>" + kind + tail, variants)
        def symmetric_product(device, t, kind=kind, tail=tail, stored=stored):
            check_symmetric(device, t, t.upper() + kind + tail, kind == "h", stored)


def check_update(device, t, name, conjugates, is_packed, vectors):
    """A += alpha x x^T, or with two vectors, of one half of A."""
    call, handle = blas(device)
    real = {"c": "s", "z": "d"}.get(t, t) if conjugates and vectors == 1 else t
    for fill in (LOWER, UPPER):
        a = device.uniform(t, N, N)
        start = symmetric(a.values, fill, conjugates)
        x, y = device.uniform(t, N), device.uniform(t, N)
        stored = device.array(packed(start, fill) if is_packed else start, t)
        arguments = [x, 1] + ([y, 1] if vectors == 2 else [])
        call("cublas%s_v2" % name, handle, fill, N, scalar(ALPHA, real), *arguments,
             stored, *([] if is_packed else [N]))
        turned = (lambda v: v.conj()) if conjugates else (lambda v: v)
        if vectors == 1:
            change = np.outer(x.values, turned(x.values))
        else:
            change = np.outer(x.values, turned(y.values))
            change = change + np.outer(y.values, turned(x.values))
        expected = start + ALPHA * change
        got = stored.get()
        if is_packed:
            compare("A", got, packed(expected, fill), t)
        else:
            compare("A", triangle(got, fill), triangle(expected, fill), t)


for kind, variants, conjugated in (("sy", "s d c z", False), ("he", "c z", True),
                                   ("sp", "s d", False), ("hp", "c z", True)):
    for count, tail in ((1, "r"), (2, "r2")):

        @calls("cuBLAS", "<t>" + kind + tail, variants)
        def update(device, t, name=kind + tail, c=conjugated, count=count):
            check_update(device, t, t.upper() + name, c, name[1] == "p", count)


def check_triangular(device, t, name, solves, store):
    call, handle = blas(device)
    for fill in (LOWER, UPPER):
        matrix = triangle(device.uniform(t, N, N).values, fill) + 4 * np.eye(N)
        full, arguments = store(device, t, matrix, fill)
        for operation in transposes(t):
            x = device.uniform(t, N)
            call("cublas%s_v2" % name, handle, fill, OPERATIONS[operation], NON_UNIT, N,
                 *[a for a in arguments(None) if a is not None], x, 1)
            turned = applied(operation, full)
            expected = np.linalg.solve(turned, x.values) if solves else turned @ x.values
            compare(operation, x.get(), expected, t, 128)


for stored, letter in ((store_dense, "r"), (store_packed, "p"), (store_banded, "b")):
    for tail, solved in (("mv", False), ("sv", True)):

        @calls("cuBLAS", "<t>t" + letter + tail, LETTERS)
        def triangular(device, t, name="t" + letter + tail, solved=solved, stored=stored):
            check_triangular(device, t, t.upper() + name, solved, stored)
