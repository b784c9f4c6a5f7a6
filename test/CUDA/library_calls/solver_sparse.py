"""Calls of cuSOLVER for systems of sparse matrices, and for many small matrices at once."""
import numpy as np
import scipy.sparse

from .blas import LETTERS
from .cases import calls
from .device import Float, Handle, compare
from .solver import REAL_OF, VECTORS, Solver, check_singular, named
from .sparse import Sparse

SIZE, BATCH = 40, 3


def system(device, t, positive):
    """A sparse matrix that is far from singular, Hermitian and positive if asked for."""
    sparse = Sparse(device)
    matrix = sparse.random(t, SIZE, SIZE, 0.1)
    if positive:
        matrix = matrix @ matrix.conj().T
    matrix = scipy.sparse.csr_matrix(matrix + (4 + 0j if t in "cz" else 4) * scipy.sparse.eye(SIZE))
    matrix.sort_indices()
    return sparse, matrix


def solve(device, t, function, positive):
    """The solution of a system; 1e-12 is what counts as zero on the diagonal."""
    sparse, matrix = system(device, t, positive)
    handle, shape, singular = Handle(), Handle(), np.zeros(1, np.int32)
    sparse.call("cusparseCreateMatDescr", shape)
    call = device.library("libcusolver.so.*")
    call("cusolverSpCreate", handle)
    values, b, x = device.array(matrix.data, t), device.uniform(t, SIZE), device.zeros(t, SIZE)
    rows, columns = (sparse.indices(part)[0] for part in (matrix.indptr, matrix.indices))
    zero = (Float if t in "sc" else float)(1e-12)
    call(f"cusolverSp{t.upper()}{function}", handle.cell, SIZE, matrix.nnz, shape.cell, values, rows, columns, b, zero,
         0, x, singular)
    device.runtime("cudaDeviceSynchronize")
    compare("where it is singular", singular, np.array([-1]), "i")
    matrix = scipy.sparse.csr_matrix((values.values, matrix.indices, matrix.indptr), matrix.shape)
    compare("x", x.get(), np.linalg.solve(matrix.toarray(), b.values), t, 256)


@calls("cuSOLVER", "Sp<t>csrlsvqr", LETTERS)
def by_reflections(device, t):
    solve(device, t, "csrlsvqr", False)


@calls("cuSOLVER", "Sp<t>csrlsvchol", LETTERS)
def by_roots(device, t):
    solve(device, t, "csrlsvchol", True)


def small(device, t, rows, columns):
    """As many matrices as a batch has, one behind the other, and each of them."""
    given = device.uniform(t, rows, columns * BATCH)
    return given, np.split(given.values, BATCH, axis=1)


@calls("cuSOLVER", "<t>gesvdjBatched", LETTERS)
def singular_values(device, t):
    s, rows, columns, parameters = Solver(device, t), 9, 7, Handle()
    (a, parts), values = small(device, t, rows, columns), device.zeros(REAL_OF[t], columns, BATCH)
    u, v = device.zeros(t, rows, rows * BATCH), device.zeros(t, columns, columns * BATCH)
    s.call("cusolverDnCreateGesvdjInfo", parameters)
    head, size = (VECTORS, rows, columns, a, rows, values, u, rows, v, columns), np.zeros(1, np.int32)
    s.gesvdjBatched_bufferSize(*head, size, parameters.cell, BATCH)
    s.gesvdjBatched(*head, device.zeros(t, max(int(size[0]), 1)), int(size[0]), s.info, parameters.cell, BATCH)
    s.check_info(BATCH)
    lefts, rights = np.split(u.get(), BATCH, axis=1), np.split(v.get(), BATCH, axis=1)
    for part, found, left, right in zip(parts, values.get().T, lefts, rights):
        check_singular(device.array(part, t), found, left, right.conj().T, t)


@calls("cuSOLVER", "<t>syevjBatched", LETTERS)
def eigenvalues(device, t):
    s, size, parameters = Solver(device, t), 8, Handle()
    halves = [device.uniform(t, size, size).values for _ in range(BATCH)]
    parts = [half + half.conj().T for half in halves]
    a, values = device.array(np.concatenate(parts, axis=1), t), device.zeros(REAL_OF[t], size, BATCH)
    parts = np.split(a.values, BATCH, axis=1)
    s.call("cusolverDnCreateSyevjInfo", parameters)
    name, room = named(t, "syevjBatched", "heevjBatched"), np.zeros(1, np.int32)
    head = (VECTORS, 0, size, a, size, values)
    getattr(s, name + "_bufferSize")(*head, room, parameters.cell, BATCH)
    getattr(s, name)(*head, device.zeros(t, max(int(room[0]), 1)), int(room[0]), s.info, parameters.cell, BATCH)
    s.check_info(BATCH)
    for part, found, vectors in zip(parts, values.get().T, np.split(a.get(), BATCH, axis=1)):
        compare("eigenvalues", found, np.linalg.eigvalsh(np.tril(part) + np.tril(part, -1).conj().T), t, 64)
        compare("A V", part @ vectors, vectors * found, t, 256, np.abs(part).max())
