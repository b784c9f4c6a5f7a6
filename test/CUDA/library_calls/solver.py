"""Calls of cuSOLVER: factors, systems, eigenvalues and singular values."""
import ctypes

import numpy as np

from .blas import LEFT, LETTERS, LOWER, OPERATIONS, UPPER, triangle
from .cases import calls
from .device import DATA_TYPES, Handle, Long, compare

N, RIGHT_SIDES, BATCH = 40, 3, 4
REAL_OF = {"s": "s", "d": "d", "c": "s", "z": "d"}
VECTORS = 1  # CUSOLVER_EIG_MODE_VECTOR


class Solver:
    """The library and a handle; functions of LAPACK's names for one type."""

    def __init__(self, device, t):
        self.device, self.t = device, t
        self.call = device.library("libcusolver.so.*")
        self.handle = Handle()
        self.call("cusolverDnCreate", self.handle)
        self.info = device.zeros("i", BATCH)

    def __getattr__(self, name):
        full = "cusolverDn" + (name if name.startswith("X") else self.t.upper() + name)
        return lambda *arguments: self.call(full, self.handle.cell, *arguments)

    def room(self, name, *arguments):
        """Memory for a function to work in, and its size in values."""
        size = np.zeros(1, np.int32)
        getattr(self, name + "_bufferSize")(*arguments, size)
        return self.device.zeros(self.t, max(int(size[0]), 1)), int(size[0])

    def check_info(self, count=1):
        compare("info", self.info.get()[:count], np.zeros(count), "i")


def named(t, real, other):
    """LAPACK's name of a function for real types, or for complex ones."""
    return real if t in "sd" else other


def positive(device, t, size=N):
    a = device.uniform(t, size, size).values
    matrix = a @ a.conj().T / size + np.eye(size)
    return device.array((matrix + matrix.conj().T) / 2, t)


def hermitian(device, t, size=N):
    a = device.uniform(t, size, size).values
    return device.array((a + a.conj().T) / 2, t)


@calls("cuSOLVER", "<t>potrf, <t>potrs", LETTERS)
def potrf(device, t):
    for fill in (LOWER, UPPER):
        s, a, b = Solver(device, t), positive(device, t), device.uniform(t, N, RIGHT_SIDES)
        room, size = s.room("potrf", fill, N, a, N)
        s.potrf(fill, N, a, N, room, size, s.info)
        s.check_info()
        half = triangle(a.get(), fill)
        product = half @ half.conj().T if fill == LOWER else half.conj().T @ half
        compare("the product of the factors", product, a.values, t)
        s.potrs(fill, N, RIGHT_SIDES, a, N, b, N, s.info)
        compare("X", b.get(), np.linalg.solve(a.values, b.values), t, 256)


@calls("cuSOLVER", "<t>potri", LETTERS)
def potri(device, t):
    s, a = Solver(device, t), positive(device, t)
    room, size = s.room("potrf", LOWER, N, a, N)
    s.potrf(LOWER, N, a, N, room, size, s.info)
    room, size = s.room("potri", LOWER, N, a, N)
    s.potri(LOWER, N, a, N, room, size, s.info)
    s.check_info()
    compare("the inverse", np.tril(a.get()), np.tril(np.linalg.inv(a.values)), t, 256)


@calls("cuSOLVER", "<t>potrfBatched", LETTERS)
def potrf_batched(device, t):
    s = Solver(device, t)
    a = [positive(device, t, 20) for _ in range(BATCH)]
    s.potrfBatched(LOWER, 20, device.pointers(a), 20, s.info, BATCH)
    s.check_info(BATCH)
    for matrix in a:
        half = np.tril(matrix.get())
        compare("the product of the factors", half @ half.conj().T, matrix.values, t)


@calls("cuSOLVER", "<t>getrf, <t>getrs", LETTERS)
def getrf(device, t):
    s, a, b = Solver(device, t), device.uniform(t, N, N), device.uniform(t, N, RIGHT_SIDES)
    pivots = device.zeros("i", N)
    room, _ = s.room("getrf", N, N, a, N)
    s.getrf(N, N, a, N, room, pivots, s.info)
    s.check_info()
    got = a.get()
    product = (np.tril(got, -1) + np.eye(N)) @ np.triu(got)
    for row in reversed(range(N)):
        other = int(pivots.get()[row]) - 1
        product[[row, other]] = product[[other, row]]
    compare("the product of the factors", product, a.values, t)
    s.getrs(OPERATIONS["n"], N, RIGHT_SIDES, a, N, pivots, b, N, s.info)
    compare("A X", a.values @ b.get(), b.values, t, 1024)


@calls("cuSOLVER", "<t>geqrf, <t>orgqr, <t>ormqr", LETTERS)
def geqrf(device, t):
    s, rows = Solver(device, t), 55
    a, taus = device.uniform(t, rows, N), device.zeros(t, N)
    room, size = s.room("geqrf", rows, N, a, rows)
    s.geqrf(rows, N, a, rows, taus, room, size, s.info)
    s.check_info()
    r = np.triu(a.get()[:N])
    c = device.uniform(t, rows, RIGHT_SIDES)
    apply, form = named(t, "ormqr", "unmqr"), named(t, "orgqr", "ungqr")
    turned = OPERATIONS[named(t, "t", "c")]
    head = (LEFT, turned, rows, RIGHT_SIDES, N, a, rows, taus, c, rows)
    room, size = s.room(apply, *head)
    getattr(s, apply)(*head, room, size, s.info)
    room, size = s.room(form, rows, N, N, a, rows, taus)
    getattr(s, form)(rows, N, N, a, rows, taus, room, size, s.info)
    s.check_info()
    q = a.get()
    compare("Q R", q @ r, a.values, t)
    compare("Q^H Q", q.conj().T @ q, np.eye(N), t)
    compare("Q^H C", c.get()[:N], q.conj().T @ c.values, t, 64)


@calls("cuSOLVER", "<t>sytrf", LETTERS)
def sytrf(device, t):
    s = Solver(device, t)
    matrix = device.uniform(t, N, N).values
    a = device.array((matrix + matrix.T) / 2 + 4 * np.eye(N), t)
    pivots = device.zeros("i", N)
    room, size = s.room("sytrf", N, a, N)
    s.sytrf(LOWER, N, a, N, pivots, room, size, s.info)
    s.check_info()
    import scipy.linalg.lapack as host

    expected = getattr(host, t + "sytrf")(a.values, lower=1)[0]
    compare("the determinant", abs(np.prod(np.diag(a.get()).astype(complex))),
            abs(np.prod(np.diag(expected).astype(complex))), t, 1024)


def check_eigen(a, values, vectors, t):
    expected = np.linalg.eigvalsh(a.values)
    compare("eigenvalues", values, expected, t, 64)
    size = np.abs(expected).max()
    compare("A V", a.values @ vectors, vectors * values, t, 64, scale=size)
    compare("V^H V", vectors.conj().T @ vectors, np.eye(len(values)), t, 64)


@calls("cuSOLVER", "<t>syevd", LETTERS)
def syevd(device, t):
    s, a, name = Solver(device, t), hermitian(device, t), named(t, "syevd", "heevd")
    values = device.zeros(REAL_OF[t], N)
    head = (VECTORS, LOWER, N, a, N, values)
    room, size = s.room(name, *head)
    getattr(s, name)(*head, room, size, s.info)
    s.check_info()
    check_eigen(a, values.get(), a.get(), t)


@calls("cuSOLVER", "<t>syevj", LETTERS)
def syevj(device, t):
    s, a, name = Solver(device, t), hermitian(device, t, 24), named(t, "syevj", "heevj")
    values, parameters = device.zeros(REAL_OF[t], 24), Handle()
    s.call("cusolverDnCreateSyevjInfo", parameters)
    size = np.zeros(1, np.int32)
    head = (VECTORS, LOWER, 24, a, 24, values)
    getattr(s, name + "_bufferSize")(*head, size, parameters.cell)
    room = device.zeros(t, max(int(size[0]), 1))
    getattr(s, name)(*head, room, int(size[0]), s.info, parameters.cell)
    s.check_info()
    check_eigen(a, values.get(), a.get(), t)


@calls("cuSOLVER", "<t>sygvd", LETTERS)
def sygvd(device, t):
    s, name = Solver(device, t), named(t, "sygvd", "hegvd")
    a, b = hermitian(device, t), positive(device, t)
    values = device.zeros(REAL_OF[t], N)
    head = (1, VECTORS, LOWER, N, a, N, b, N, values)
    room, size = s.room(name, *head)
    getattr(s, name)(*head, room, size, s.info)
    s.check_info()
    vectors = a.get()
    compare("A V", a.values @ vectors, b.values @ vectors * values.get(), t, 256)


def check_singular(a, values, left, right, t):
    expected = np.linalg.svd(a.values, compute_uv=False)
    compare("singular values", values, expected, t, 64)
    compare("U S V^H", left[:, : len(values)] * values @ right, a.values, t, 256)


@calls("cuSOLVER", "<t>gesvd", LETTERS)
def gesvd(device, t):
    s, rows = Solver(device, t), 50
    a, values = device.uniform(t, rows, N), device.zeros(REAL_OF[t], N)
    u, v = device.zeros(t, rows, rows), device.zeros(t, N, N)
    room, size = s.room("gesvd", rows, N)
    letter = ctypes.c_byte(ord("A"))
    s.gesvd(letter, letter, rows, N, a, rows, values, u, rows, v, N, room, size, None,
            s.info)
    s.check_info()
    check_singular(a, values.get(), u.get(), v.get(), t)


@calls("cuSOLVER", "<t>gesvdj", LETTERS)
def gesvdj(device, t):
    s, rows, columns = Solver(device, t), 24, 16
    a, values = device.uniform(t, rows, columns), device.zeros(REAL_OF[t], columns)
    u, v, parameters = device.zeros(t, rows, rows), device.zeros(t, columns, columns), Handle()
    s.call("cusolverDnCreateGesvdjInfo", parameters)
    size = np.zeros(1, np.int32)
    head = (VECTORS, 0, rows, columns, a, rows, values, u, rows, v, columns)
    s.gesvdj_bufferSize(*head, size, parameters.cell)
    room = device.zeros(t, max(int(size[0]), 1))
    s.gesvdj(*head, room, int(size[0]), s.info, parameters.cell)
    s.check_info()
    check_singular(a, values.get(), u.get(), v.get().conj().T, t)


class General(Solver):
    """The functions of 64 bits, which take types as numbers."""

    def __init__(self, device, t):
        super().__init__(device, t)
        parameters = Handle()
        self.call("cusolverDnCreateParams", parameters)
        self.parameters = parameters.cell

    def run(self, name, *arguments):
        compute = DATA_TYPES[self.t]
        sizes = [Handle(ctypes.c_size_t) for _ in range(2)]
        getattr(self, name + "_bufferSize")(self.parameters, *arguments, compute, *sizes)
        rooms = [ctypes.c_void_p(self.device.allocate(sizes[0].value)),
                 ctypes.create_string_buffer(max(sizes[1].value, 1))]
        getattr(self, name)(self.parameters, *arguments, compute, rooms[0],
                            ctypes.c_size_t(sizes[0].value), rooms[1],
                            ctypes.c_size_t(sizes[1].value), self.info)
        self.check_info()


@calls("cuSOLVER", "Xpotrf", LETTERS)
def xpotrf(device, t):
    s, a = General(device, t), positive(device, t)
    s.run("Xpotrf", LOWER, Long(N), DATA_TYPES[t], a, Long(N))
    half = np.tril(a.get())
    compare("the product of the factors", half @ half.conj().T, a.values, t)


@calls("cuSOLVER", "Xgeqrf", LETTERS)
def xgeqrf(device, t):
    s, rows = General(device, t), 55
    a, taus = device.uniform(t, rows, N), device.zeros(t, N)
    s.run("Xgeqrf", Long(rows), Long(N), DATA_TYPES[t], a, Long(rows), DATA_TYPES[t], taus)
    r = np.triu(a.get()[:N])
    compare("R^H R", r.conj().T @ r, a.values.conj().T @ a.values, t, 64)


@calls("cuSOLVER", "Xsyevd", LETTERS)
def xsyevd(device, t):
    s, a, values = General(device, t), hermitian(device, t), device.zeros(REAL_OF[t], N)
    s.run("Xsyevd", VECTORS, LOWER, Long(N), DATA_TYPES[t], a, Long(N),
          DATA_TYPES[REAL_OF[t]], values)
    check_eigen(a, values.get(), a.get(), t)


@calls("cuSOLVER", "XsyevBatched", LETTERS)
def xsyev_batched(device, t):
    s, size = General(device, t), 16
    parts = [hermitian(device, t, size) for _ in range(BATCH)]
    a = device.array(np.stack([p.values for p in parts], axis=-1), t)
    values = device.zeros(REAL_OF[t], size, BATCH)
    compute = DATA_TYPES[t]
    head = (VECTORS, LOWER, Long(size), compute, a, Long(size), DATA_TYPES[REAL_OF[t]],
            values, compute)
    sizes = [Handle(ctypes.c_size_t) for _ in range(2)]
    s.XsyevBatched_bufferSize(s.parameters, *head, *sizes, Long(BATCH))
    s.XsyevBatched(s.parameters, *head,
                   ctypes.c_void_p(device.allocate(sizes[0].value)),
                   ctypes.c_size_t(sizes[0].value),
                   ctypes.create_string_buffer(max(sizes[1].value, 1)),
                   ctypes.c_size_t(sizes[1].value), s.info, Long(BATCH))
    s.check_info(BATCH)
    for i, part in enumerate(parts):
        check_eigen(part, values.get()[:, i], a.get()[..., i], t)


@calls("cuSOLVER", "Xgesvd", LETTERS)
def xgesvd(device, t):
    s, rows = General(device, t), 50
    a, values = device.uniform(t, rows, N), device.zeros(REAL_OF[t], N)
    u, v = device.zeros(t, rows, rows), device.zeros(t, N, N)
    letter = ctypes.c_byte(ord("A"))
    kind = DATA_TYPES[t]
    s.run("Xgesvd", letter, letter, Long(rows), Long(N), kind, a, Long(rows),
          DATA_TYPES[REAL_OF[t]], values, kind, u, Long(rows), kind, v, Long(N))
    check_singular(a, values.get(), u.get(), v.get(), t)


@calls("cuSOLVER", "Xgeev", LETTERS)
def xgeev(device, t):
    s, size = General(device, t), 24
    a = device.uniform(t, size, size)
    other = {"s": "c", "d": "z"}.get(t, t)
    values = device.zeros(other, size)
    left, right = device.zeros(t, size, size), device.zeros(t, size, size)
    kind = DATA_TYPES[t]
    # Vectors of real matrices stand in pairs of columns; values are enough.
    s.run("Xgeev", 0, 0, Long(size), kind, a, Long(size), DATA_TYPES[other], values, kind,
          left, Long(size), kind, right, Long(size))
    got, expected = values.get(), np.linalg.eigvals(a.values)
    distances = np.abs(got[:, None] - expected)
    compare("eigenvalues", np.maximum(distances.min(0), distances.min(1)), np.zeros(size), t,
            512, scale=np.abs(expected).max())
