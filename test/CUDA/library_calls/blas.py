"""What calls of cuBLAS have in common: a handle, and matrices as it takes them."""
import numpy as np

from .device import Handle

LETTERS = "s d c z"
# cublasOperation_t, cublasFillMode_t, cublasSideMode_t and cublasDiagType_t.
OPERATIONS = {"n": 0, "t": 1, "c": 2}
LOWER, UPPER = 0, 1
LEFT, RIGHT = 0, 1
NON_UNIT = 0


def blas(device):
    """The library and a handle."""
    call = device.library("libcublas.so.*")
    handle = Handle()
    call("cublasCreate_v2", handle)
    return call, handle.cell


def applied(operation, matrix):
    """What an operation makes of a matrix."""
    if operation == "n":
        return matrix
    return matrix.T if operation == "t" else matrix.conj().T


def transposes(t):
    """The operations that differ for a type."""
    return "ntc" if t in "cz" else "nt"


def triangle(matrix, fill):
    return np.tril(matrix) if fill == LOWER else np.triu(matrix)


def symmetric(matrix, fill, conjugate=False):
    """The symmetric, or Hermitian, matrix whose one half stands in a matrix."""
    half = triangle(matrix, fill)
    rest = half - np.diag(np.diag(half))
    other = rest.conj().T if conjugate else rest.T
    result = half + other
    if conjugate:
        np.fill_diagonal(result, np.diag(half).real)
    return result


def packed(matrix, fill):
    """One half of a matrix, column by column."""
    n = len(matrix)
    columns = [matrix[j:, j] if fill == LOWER else matrix[: j + 1, j] for j in range(n)]
    return np.concatenate(columns)


def banded(matrix, below, above):
    """The bands of a matrix as LAPACK stores them."""
    rows, columns = matrix.shape
    result = np.zeros((below + above + 1, columns), matrix.dtype)
    for j in range(columns):
        for i in range(max(0, j - above), min(rows, j + below + 1)):
            result[above + i - j, j] = matrix[i, j]
    return result


def in_band(matrix, below, above):
    """A matrix with zeros outside its bands."""
    return np.triu(np.tril(matrix, above), -below)
