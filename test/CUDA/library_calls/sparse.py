"""Calls of cuSPARSE: products, conversions, triangular systems and sorts."""
import ctypes

import numpy as np
import scipy.sparse

from .blas import LETTERS, OPERATIONS, applied
from .cases import calls
from .device import DATA_TYPES, Handle, Long, compare, decode, encode, scalar

ROWS, COLUMNS, VECTORS = 60, 47, 9
ALPHA, BETA = 0.5, -0.25
INDEX_32, INDEX_64 = 2, 3
COLUMN_ORDER, ROW_ORDER = 1, 2
COMPUTE_OF = {"h": "s", "b": "s"}
MORE_LETTERS = LETTERS + " h b"


class Sparse:
    """The library, a handle, and descriptors of what is on the device."""

    def __init__(self, device):
        self.device = device
        self.call = device.library("libcusparse.so.*")
        self.handle = Handle()
        self.call("cusparseCreate", self.handle)

    def __getattr__(self, name):
        """A function of the library, which gets the handle."""
        return lambda *arguments: self.call("cusparse" + name, self.handle.cell, *arguments)

    def random(self, t, rows=ROWS, columns=COLUMNS, density=0.2, diagonal=0.0):
        """A random matrix in rows whose values a type has."""
        matrix = scipy.sparse.random(rows, columns, density, "csr",
                                     random_state=self.device.random)
        if diagonal:
            matrix = (matrix + diagonal * scipy.sparse.eye(rows, columns)).tocsr()
        values = self.device.random.uniform(-1, 1, matrix.nnz)
        if t in "cz":
            values = values + 1j * self.device.random.uniform(-1, 1, matrix.nnz)
        if diagonal:
            values = values + 0.5 * matrix.data
        values = decode(encode(values, t), t)
        return scipy.sparse.csr_matrix((values, matrix.indices, matrix.indptr),
                                       matrix.shape)

    def indices(self, numbers, kind=INDEX_32):
        numbers = np.asarray(numbers)
        stored = numbers.astype(np.int32 if kind == INDEX_32 else np.int64)
        return ctypes.c_void_p(self.device.put(stored)), stored

    def take(self, address, like):
        return self.device.take(address.value, like)

    def csr(self, matrix, t, kind=INDEX_32):
        place = Handle()
        arrays = (self.indices(matrix.indptr, kind)[0], self.indices(matrix.indices, kind)[0],
                  self.device.array(matrix.data, t))
        self.call("cusparseCreateCsr", place, *map(Long, (*matrix.shape, matrix.nnz)),
                  *arrays, kind, kind, 0, DATA_TYPES[t])
        return place.cell

    def csc(self, matrix, t):
        place, turned = Handle(), matrix.tocsc()
        self.call("cusparseCreateCsc", place, *map(Long, (*turned.shape, turned.nnz)),
                  self.indices(turned.indptr)[0], self.indices(turned.indices)[0],
                  self.device.array(turned.data, t), INDEX_32, INDEX_32, 0, DATA_TYPES[t])
        return place.cell

    def coo(self, matrix, t):
        place, turned = Handle(), matrix.tocoo()
        self.call("cusparseCreateCoo", place, *map(Long, (*turned.shape, turned.nnz)),
                  self.indices(turned.row)[0], self.indices(turned.col)[0],
                  self.device.array(turned.data, t), INDEX_32, 0, DATA_TYPES[t])
        return place.cell

    def vector(self, array):
        place = Handle()
        self.call("cusparseCreateDnVec", place, Long(len(array.values)), array,
                  DATA_TYPES[array.letter])
        return place.cell

    def dense(self, array):
        place = Handle()
        rows, columns = array.values.shape
        self.call("cusparseCreateDnMat", place, *map(Long, (rows, columns, rows)), array,
                  DATA_TYPES[array.letter], COLUMN_ORDER)
        return place.cell

    def sparse_vector(self, t, size, count):
        where = np.sort(self.device.random.choice(size, count, replace=False))
        values = self.device.uniform(t, count)
        place = Handle()
        self.call("cusparseCreateSpVec", place, Long(size), Long(count),
                  self.indices(where)[0], values, INDEX_32, 0, DATA_TYPES[t])
        return place.cell, where, values

    def buffer(self, size):
        return ctypes.c_void_p(self.device.allocate(size.value))

    def description(self):
        place = Handle()
        self.call("cusparseCreateMatDescr", place)
        return place.cell


def size_place():
    return Handle(ctypes.c_size_t)


FORMATS = ("csr", "csc", "coo")


def multiply_vector(device, t, form, algorithm, kind=None):
    s = Sparse(device)
    matrix = s.random(t)
    compute = COMPUTE_OF.get(t, t)
    for operation in "nt" + ("c" if t in "cz" else ""):
        turned = applied(operation, matrix.toarray())
        described = s.csr(matrix, t, kind) if kind else getattr(s, form)(matrix, t)
        x, y = device.uniform(t, turned.shape[1]), device.uniform(t, turned.shape[0])
        arguments = (OPERATIONS[operation], scalar(ALPHA, compute), described, s.vector(x),
                     scalar(BETA, compute), s.vector(y), DATA_TYPES[compute], algorithm)
        size = size_place()
        s.SpMV_bufferSize(*arguments, size)
        s.SpMV(*arguments, s.buffer(size))
        compare(operation, y.get(), ALPHA * turned @ x.values + BETA * y.values, t)


for form, algorithms in (("csr", (0, 2, 3)), ("csc", (0,)), ("coo", (0, 1, 4))):
    for algorithm in algorithms:

        @calls("cuSPARSE", "SpMV, %s, algorithm %d" % (form, algorithm), MORE_LETTERS)
        def spmv(device, t, form=form, algorithm=algorithm):
            multiply_vector(device, t, form, algorithm)


@calls("cuSPARSE", "SpMV, csr, 64-bit indices", LETTERS)
def spmv_long(device, t):
    multiply_vector(device, t, "csr", 0, INDEX_64)


def multiply_matrix(device, t, form, algorithm):
    s = Sparse(device)
    matrix = s.random(t)
    compute = COMPUTE_OF.get(t, t)
    for operation in "nt" if form != "csc" else "n":
        turned = applied(operation, matrix.toarray())
        b = device.uniform(t, turned.shape[1], VECTORS)
        c = device.uniform(t, turned.shape[0], VECTORS)
        arguments = (OPERATIONS[operation], 0, scalar(ALPHA, compute),
                     getattr(s, form)(matrix, t), s.dense(b), scalar(BETA, compute),
                     s.dense(c), DATA_TYPES[compute], algorithm)
        size = size_place()
        s.SpMM_bufferSize(*arguments, size)
        s.SpMM(*arguments, s.buffer(size))
        compare(operation, c.get(), ALPHA * turned @ b.values + BETA * c.values, t)


for form in FORMATS:

    @calls("cuSPARSE", "SpMM, " + form, MORE_LETTERS)
    def spmm(device, t, form=form):
        multiply_matrix(device, t, form, 0)


def product_of(device, t, algorithm):
    s = Sparse(device)
    a, b = s.random(t, 40, 30), s.random(t, 30, 50)
    rows, columns = 40, 50
    c = Handle()
    offsets, stored_offsets = s.indices(np.zeros(rows + 1))
    s.call("cusparseCreateCsr", c, Long(rows), Long(columns), Long(0), offsets, None, None,
           INDEX_32, INDEX_32, 0, DATA_TYPES[t])
    work = Handle()
    s.call("cusparseSpGEMM_createDescr", work)
    arguments = (0, 0, scalar(1, t), s.csr(a, t), s.csr(b, t), scalar(0, t), c.cell,
                 DATA_TYPES[t], algorithm, work.cell)
    keep = []
    for step in ("workEstimation", "compute"):
        size = size_place()
        getattr(s, "SpGEMM_" + step)(*arguments, size, None)
        keep.append(s.buffer(size))
        getattr(s, "SpGEMM_" + step)(*arguments, size, keep[-1])
    shape = [Handle(ctypes.c_int64) for _ in range(3)]
    s.call("cusparseSpMatGetSize", c.cell, *shape)
    count = shape[2].value
    indices, stored_indices = s.indices(np.zeros(count))
    values = device.zeros(t, count)
    s.call("cusparseCsrSetPointers", c.cell, offsets, indices, values)
    s.SpGEMM_copy(*arguments)
    got = scipy.sparse.csr_matrix(
        (values.get(), s.take(indices, stored_indices), s.take(offsets, stored_offsets)),
        (rows, columns))
    compare("C", got.toarray(), (a @ b).toarray(), t)


for algorithm in (0, 3):

    @calls("cuSPARSE", "SpGEMM, algorithm %d" % algorithm, LETTERS)
    def spgemm(device, t, algorithm=algorithm):
        product_of(device, t, algorithm)


@calls("cuSPARSE", "SDDMM", LETTERS)
def sddmm(device, t):
    s = Sparse(device)
    pattern = s.random(t)
    place = Handle()
    values = device.array(pattern.data, t)
    s.call("cusparseCreateCsr", place, *map(Long, (ROWS, COLUMNS, pattern.nnz)),
           s.indices(pattern.indptr)[0], s.indices(pattern.indices)[0], values, INDEX_32,
           INDEX_32, 0, DATA_TYPES[t])
    a, b = device.uniform(t, ROWS, 12), device.uniform(t, 12, COLUMNS)
    arguments = (0, 0, scalar(ALPHA, t), s.dense(a), s.dense(b), scalar(BETA, t), place.cell,
                 DATA_TYPES[t], 0)
    size = size_place()
    s.SDDMM_bufferSize(*arguments, size)
    s.SDDMM(*arguments, s.buffer(size))
    full = ALPHA * a.values @ b.values
    where = pattern.tocoo()
    compare("C", values.get(), full[where.row, where.col] + BETA * pattern.data, t)


def triangular(device, t, many):
    s = Sparse(device)
    full = s.random(t, ROWS, ROWS, 0.1, diagonal=8.0)
    matrix = scipy.sparse.tril(full).tocsr()
    described = s.csr(matrix, t)
    for attribute, value in ((0, 0), (1, 0)):  # the lower half, with its diagonal
        s.call("cusparseSpMatSetAttribute", described, attribute,
               np.array([value], np.int32), Long(4))
    shape = (ROWS, VECTORS) if many else (ROWS,)
    b, x = device.uniform(t, *shape), device.zeros(t, *shape)
    name, describe = ("SpSM", s.dense) if many else ("SpSV", s.vector)
    work = Handle()
    s.call("cusparse%s_createDescr" % name, work)
    operations = (0, 0) if many else (0,)
    arguments = (*operations, scalar(ALPHA, t), described, describe(b), describe(x),
                 DATA_TYPES[t], 0, work.cell)
    size = size_place()
    getattr(s, name + "_bufferSize")(*arguments, size)
    room = s.buffer(size)
    getattr(s, name + "_analysis")(*arguments, room)
    getattr(s, name + "_solve")(*arguments)
    compare("X", x.get(), ALPHA * np.linalg.solve(matrix.toarray(), b.values), t, 256)


@calls("cuSPARSE", "SpSV", LETTERS)
def spsv(device, t):
    triangular(device, t, False)


@calls("cuSPARSE", "SpSM", LETTERS)
def spsm(device, t):
    triangular(device, t, True)


@calls("cuSPARSE", "SparseToDense", MORE_LETTERS)
def sparse_to_dense(device, t):
    s = Sparse(device)
    matrix = s.random(t)
    for form in FORMATS:
        result = device.zeros(t, ROWS, COLUMNS)
        arguments = (getattr(s, form)(matrix, t), s.dense(result), 0)
        size = size_place()
        s.SparseToDense_bufferSize(*arguments, size)
        s.SparseToDense(*arguments, s.buffer(size))
        compare(form, result.get(), matrix.toarray(), t, 0)


@calls("cuSPARSE", "DenseToSparse", MORE_LETTERS)
def dense_to_sparse(device, t):
    s = Sparse(device)
    matrix = s.random(t)
    dense = device.array(matrix.toarray(), t)
    place = Handle()
    offsets, stored_offsets = s.indices(np.zeros(ROWS + 1))
    s.call("cusparseCreateCsr", place, Long(ROWS), Long(COLUMNS), Long(0), offsets, None,
           None, INDEX_32, INDEX_32, 0, DATA_TYPES[t])
    arguments = (s.dense(dense), place.cell, 0)
    size = size_place()
    s.DenseToSparse_bufferSize(*arguments, size)
    room = s.buffer(size)
    s.DenseToSparse_analysis(*arguments, room)
    indices, stored_indices = s.indices(np.zeros(matrix.nnz))
    values = device.zeros(t, matrix.nnz)
    s.call("cusparseCsrSetPointers", place.cell, offsets, indices, values)
    s.DenseToSparse_convert(*arguments, room)
    got = scipy.sparse.csr_matrix(
        (values.get(), s.take(indices, stored_indices), s.take(offsets, stored_offsets)),
        (ROWS, COLUMNS))
    compare("A", got.toarray(), matrix.toarray(), t, 0)


@calls("cuSPARSE", "Axpby, Gather, Scatter", LETTERS)
def vectors(device, t):
    s = Sparse(device)
    size, count = 500, 80
    x, where, values = s.sparse_vector(t, size, count)
    y = device.uniform(t, size)
    s.Axpby(scalar(ALPHA, t), x, scalar(BETA, t), s.vector(y))
    expected = BETA * y.values
    expected[where] += ALPHA * values.values
    compare("alpha x + beta y", y.get(), expected, t)
    z = device.uniform(t, size)
    s.Gather(s.vector(z), x)
    compare("gathered", values.get(), z.values[where], t, 0)
    target = device.zeros(t, size)
    s.Scatter(x, s.vector(target))
    expected = np.zeros(size, z.values.dtype)
    expected[where] = z.values[where]
    compare("scattered", target.get(), expected, t, 0)


@calls("cuSPARSE", "SpVV", LETTERS)
def spvv(device, t):
    s = Sparse(device)
    x, where, values = s.sparse_vector(t, 500, 80)
    y = device.uniform(t, 500)
    got = scalar(0, t)
    arguments = (0, x, s.vector(y), got, DATA_TYPES[t])
    size = size_place()
    s.SpVV_bufferSize(*arguments, size)
    s.SpVV(*arguments, s.buffer(size))
    compare("product", got[0], (values.values * y.values[where]).sum(), t, 128)


@calls("cuSPARSE", "Csr2cscEx2", MORE_LETTERS)
def csr_to_csc(device, t):
    s = Sparse(device)
    matrix = s.random(t)
    values = device.zeros(t, matrix.nnz)
    offsets, stored_offsets = s.indices(np.zeros(COLUMNS + 1))
    indices, stored_indices = s.indices(np.zeros(matrix.nnz))
    arguments = (ROWS, COLUMNS, matrix.nnz, device.array(matrix.data, t),
                 s.indices(matrix.indptr)[0], s.indices(matrix.indices)[0], values, offsets,
                 indices, DATA_TYPES[t], 1, 0, 1)
    size = size_place()
    s.Csr2cscEx2_bufferSize(*arguments, size)
    s.Csr2cscEx2(*arguments, s.buffer(size))
    turned = matrix.tocsc()
    compare("values", values.get(), turned.data, t, 0)
    compare("rows", s.take(indices, stored_indices), turned.indices, "i")
    compare("columns", s.take(offsets, stored_offsets), turned.indptr, "i")


@calls("cuSPARSE", "Xcoo2csr, Xcsr2coo", "-")
def rows_to_offsets(device, variant):
    s = Sparse(device)
    matrix = s.random("s").tocoo()
    order = np.argsort(matrix.row, kind="stable")
    rows, stored_rows = s.indices(matrix.row[order])
    offsets, stored_offsets = s.indices(np.zeros(ROWS + 1))
    s.Xcoo2csr(rows, matrix.nnz, ROWS, offsets, 0)
    expected = np.concatenate([[0], np.cumsum(np.bincount(matrix.row, minlength=ROWS))])
    compare("offsets", s.take(offsets, stored_offsets), expected, "i")
    back, stored_back = s.indices(np.zeros(matrix.nnz))
    s.Xcsr2coo(offsets, matrix.nnz, ROWS, back, 0)
    compare("rows", s.take(back, stored_back), stored_rows, "i")


@calls("cuSPARSE", "XcoosortByRow, XcoosortByColumn", "-")
def sort_coo(device, variant):
    s = Sparse(device)
    matrix = s.random("s", 300, 200, 0.05).tocoo()
    order = device.random.permutation(matrix.nnz)
    for name, keys in (("XcoosortByRow", ("row", "col")), ("XcoosortByColumn", ("col", "row"))):
        rows, stored_rows = s.indices(matrix.row[order])
        columns, stored_columns = s.indices(matrix.col[order])
        moved, stored_moved = s.indices(np.zeros(matrix.nnz))
        s.CreateIdentityPermutation(matrix.nnz, moved)
        size = size_place()
        s.Xcoosort_bufferSizeExt(300, 200, matrix.nnz, rows, columns, size)
        getattr(s, name)(300, 200, matrix.nnz, rows, columns, moved, s.buffer(size))
        stored = {"row": stored_rows, "col": stored_columns}
        expected = np.lexsort((stored[keys[1]], stored[keys[0]]))
        compare("rows", s.take(rows, stored_rows), stored_rows[expected], "i")
        compare("columns", s.take(columns, stored_columns), stored_columns[expected], "i")
        compare("permutation", s.take(moved, stored_moved), expected, "i")


@calls("cuSPARSE", "Xcsrsort", "-")
def sort_csr(device, variant):
    s = Sparse(device)
    matrix = s.random("s", 100, 200, 0.1)
    matrix.sort_indices()
    shuffled = matrix.indices.copy()
    for row in range(100):
        device.random.shuffle(shuffled[matrix.indptr[row] : matrix.indptr[row + 1]])
    columns, stored_columns = s.indices(shuffled)
    moved, stored_moved = s.indices(np.arange(matrix.nnz))
    size = size_place()
    offsets = s.indices(matrix.indptr)[0]
    s.Xcsrsort_bufferSizeExt(100, 200, matrix.nnz, offsets, columns, size)
    s.Xcsrsort(100, 200, matrix.nnz, s.description(), offsets, columns, moved,
               s.buffer(size))
    compare("columns", s.take(columns, stored_columns), matrix.indices, "i")
    compare("permutation", shuffled[s.take(moved, stored_moved)], matrix.indices, "i")


def tridiagonal(device, t, name):
    s = Sparse(device)
    size, count = 64, 3
    lower, upper = device.uniform(t, size), device.uniform(t, size)
    middle = device.array(device.uniform(t, size).values + 4, t)
    for array, place in ((lower, 0), (upper, -1)):
        array.values[place] = 0
        array.stored[place] = 0
        array.address = device.put(array.stored)
    full = (np.diag(middle.values) + np.diag(lower.values[1:], -1)
            + np.diag(upper.values[:-1], 1))
    b = device.uniform(t, size, count)
    place = size_place()
    arguments = (size, count, lower, middle, upper, b, size)
    getattr(s, "%s%s_bufferSizeExt" % (t.upper(), name))(*arguments, place)
    getattr(s, t.upper() + name)(*arguments, s.buffer(place))
    compare("X", b.get(), np.linalg.solve(full, b.values), t, 64)


for name in ("gtsv2", "gtsv2_nopivot"):

    @calls("cuSPARSE", "<t>" + name, LETTERS)
    def gtsv(device, t, name=name):
        tridiagonal(device, t, name)


def incomplete(device, t, name):
    """Factors of a matrix that is tridiagonal, of which nothing is left out."""
    s = Sparse(device)
    size = 40
    off = device.uniform(t, size - 1).values
    full = (np.diag(off, -1) + np.diag(off.conj(), 1) + 4 * np.eye(size)).astype(off.dtype)
    matrix = scipy.sparse.csr_matrix(full)
    values = device.array(matrix.data, t)
    offsets, indices = s.indices(matrix.indptr)[0], s.indices(matrix.indices)[0]
    info, place, kind = Handle(), Handle(ctypes.c_int), s.description()
    s.call("cusparseCreate%sInfo" % name.capitalize(), info)
    common = (size, matrix.nnz, kind, values, offsets, indices, info.cell)
    function = t.upper() + name
    getattr(s, function + "_bufferSize")(*common, place)
    room = ctypes.c_void_p(device.allocate(place.value))
    getattr(s, function + "_analysis")(*common, 1, room)
    getattr(s, function)(*common, 1, room)
    got = scipy.sparse.csr_matrix((values.get(), matrix.indices, matrix.indptr)).toarray()
    if name == "csrilu02":
        product = (np.tril(got, -1) + np.eye(size)) @ np.triu(got)
    else:
        product = np.tril(got) @ np.tril(got).conj().T
    compare("the product of the factors", product, full, t)


for name in ("csrilu02", "csric02"):

    @calls("cuSPARSE", "<t>" + name, LETTERS)
    def factor(device, t, name=name):
        incomplete(device, t, name)
