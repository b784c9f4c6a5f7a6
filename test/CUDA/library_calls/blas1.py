"""Calls of cuBLAS's functions of vectors, level 1."""
import numpy as np

from .blas import LETTERS, blas
from .cases import calls
from .device import DATA_TYPES, compare, scalar

N = 1000
REAL_OF = {"s": "s", "d": "d", "c": "s", "z": "d"}


def result_of(name, letter):
    """amax, asum and nrm2 of complex vectors are named after both types."""
    return {"c": "Sc", "z": "Dz"}.get(letter, letter.upper()) + name


@calls("cuBLAS", "I<t>amax", LETTERS)
def amax(device, t):
    call, handle = blas(device)
    x = device.uniform(t, N)
    place = np.zeros(1, np.int32)
    call("cublasI%samax_v2" % t, handle, N, x, 1, place)
    size = np.abs(x.values.real) + np.abs(x.values.imag)
    compare("index", place[0], 1 + size.argmax(), "i")


@calls("cuBLAS", "I<t>amin", LETTERS)
def amin(device, t):
    call, handle = blas(device)
    x = device.uniform(t, N)
    place = np.zeros(1, np.int32)
    call("cublasI%samin_v2" % t, handle, N, x, 1, place)
    size = np.abs(x.values.real) + np.abs(x.values.imag)
    compare("index", place[0], 1 + size.argmin(), "i")


@calls("cuBLAS", "<t>asum", LETTERS)
def asum(device, t):
    call, handle = blas(device)
    x = device.uniform(t, N)
    got = scalar(0, REAL_OF[t])
    call("cublas%s_v2" % result_of("asum", t), handle, N, x, 1, got)
    size = np.abs(x.values.real) + np.abs(x.values.imag)
    compare("sum", got[0], size.sum(), t)


@calls("cuBLAS", "<t>nrm2", LETTERS)
def nrm2(device, t):
    call, handle = blas(device)
    x = device.uniform(t, N)
    got = scalar(0, REAL_OF[t])
    call("cublas%s_v2" % result_of("nrm2", t), handle, N, x, 1, got)
    compare("norm", got[0], np.linalg.norm(x.values), t)


@calls("cuBLAS", "<t>axpy", LETTERS)
def axpy(device, t):
    call, handle = blas(device)
    x, y = device.uniform(t, 2 * N), device.uniform(t, N)
    call("cublas%saxpy_v2" % t.upper(), handle, N, scalar(0.5, t), x, 2, y, 1)
    compare("y", y.get(), y.values + 0.5 * x.values[::2], t)


@calls("cuBLAS", "<t>copy", LETTERS)
def copy(device, t):
    call, handle = blas(device)
    x, y = device.uniform(t, N), device.zeros(t, 3 * N)
    call("cublas%scopy_v2" % t.upper(), handle, N, x, 1, y, 3)
    expected = y.values.copy()
    expected[::3] = x.values
    compare("y", y.get(), expected, t, 0)


@calls("cuBLAS", "<t>swap", LETTERS)
def swap(device, t):
    call, handle = blas(device)
    x, y = device.uniform(t, N), device.uniform(t, N)
    call("cublas%sswap_v2" % t.upper(), handle, N, x, 1, y, 1)
    compare("x", x.get(), y.values, t, 0)
    compare("y", y.get(), x.values, t, 0)


def check_dot(device, t, name, conjugates):
    call, handle = blas(device)
    x, y = device.uniform(t, N), device.uniform(t, N)
    got = scalar(0, t)
    call("cublas%s_v2" % name, handle, N, x, 1, y, 1, got)
    left = x.values.conj() if conjugates else x.values
    compare("product", got[0], (left * y.values).sum(), t, 512)


@calls("cuBLAS", "<t>dot", "s d")
def dot(device, t):
    check_dot(device, t, t.upper() + "dot", False)


@calls("cuBLAS", "<t>dotu", "c z")
def dotu(device, t):
    check_dot(device, t, t.upper() + "dotu", False)


@calls("cuBLAS", "<t>dotc", "c z")
def dotc(device, t):
    check_dot(device, t, t.upper() + "dotc", True)


@calls("cuBLAS", "<t>scal", LETTERS)
def scal(device, t):
    call, handle = blas(device)
    x = device.uniform(t, N)
    factor = 0.75 - 0.5j if t in "cz" else 0.75
    call("cublas%sscal_v2" % t.upper(), handle, N, scalar(factor, t), x, 1)
    compare("x", x.get(), factor * x.values, t)


@calls("cuBLAS", "<t>rot", LETTERS)
def rot(device, t):
    call, handle = blas(device)
    x, y = device.uniform(t, N), device.uniform(t, N)
    c, s = 0.8, 0.36 + 0.48j if t in "cz" else 0.6
    call("cublas%srot_v2" % t.upper(), handle, N, x, 1, y, 1, scalar(c, REAL_OF[t]),
         scalar(s, t))
    compare("x", x.get(), c * x.values + s * y.values, t)
    compare("y", y.get(), c * y.values - np.conj(s) * x.values, t)


@calls("cuBLAS", "<t>rotg", LETTERS)
def rotg(device, t):
    call, handle = blas(device)
    a, b = scalar(3, t), scalar(4, t)
    c, s = scalar(0, REAL_OF[t]), scalar(0, t)
    call("cublas%srotg_v2" % t.upper(), handle, a, b, c, s)
    compare("c, s and r", np.array([c[0], s[0], a[0]]), np.array([0.6, 0.8, 5]), t)


@calls("cuBLAS", "<t>rotm", "s d")
def rotm(device, t):
    call, handle = blas(device)
    x, y = device.uniform(t, N), device.uniform(t, N)
    parameters = np.array([-1, 0.5, -0.25, 0.75, 2], scalar(0, t).dtype)
    call("cublas%srotm_v2" % t.upper(), handle, N, x, 1, y, 1, parameters)
    compare("x", x.get(), 0.5 * x.values + 0.75 * y.values, t)
    compare("y", y.get(), -0.25 * x.values + 2 * y.values, t)


@calls("cuBLAS", "<t>rotmg", "s d")
def rotmg(device, t):
    call, handle = blas(device)
    numbers = [scalar(v, t) for v in (1.5, 0.5, 2.0, 0.75)]
    parameters = np.zeros(5, numbers[0].dtype)
    call("cublas%srotmg_v2" % t.upper(), handle, *numbers, parameters)
    import scipy.linalg.blas as host

    expected = getattr(host, t + "rotmg")(1.5, 0.5, 2.0, 0.75)
    compare("parameters", parameters, expected, t)


EX_TYPES = "s d c z h b"


@calls("cuBLAS", "AxpyEx", EX_TYPES)
def axpy_ex(device, t):
    call, handle = blas(device)
    x, y = device.uniform(t, N), device.uniform(t, N)
    compute = t if t in LETTERS else "s"
    kinds = [DATA_TYPES[compute], DATA_TYPES[t]]
    call("cublasAxpyEx", handle, N, scalar(0.5, compute), kinds[0], x, kinds[1], 1, y,
         kinds[1], 1, kinds[0])
    compare("y", y.get(), y.values + 0.5 * x.values, t)


@calls("cuBLAS", "DotEx", EX_TYPES)
def dot_ex(device, t):
    call, handle = blas(device)
    x, y = device.uniform(t, N), device.uniform(t, N)
    got = device.zeros(t, 1)
    call("cublasSetPointerMode_v2", handle, 1)
    kind = DATA_TYPES[t]
    call("cublasDotEx", handle, N, x, kind, 1, y, kind, 1, got, kind,
         DATA_TYPES[t if t in LETTERS else "s"])
    compare("product", got.get(), [(x.values * y.values).sum()], t,
            512 if t in LETTERS else 4)


@calls("cuBLAS", "Nrm2Ex", EX_TYPES)
def nrm2_ex(device, t):
    call, handle = blas(device)
    x = device.uniform(t, N)
    result = REAL_OF.get(t, t)
    got = device.zeros(result, 1)
    call("cublasSetPointerMode_v2", handle, 1)
    call("cublasNrm2Ex", handle, N, x, DATA_TYPES[t], 1, got, DATA_TYPES[result],
         DATA_TYPES[REAL_OF.get(t, "s")])
    compare("norm", got.get(), [np.linalg.norm(x.values)], t)


@calls("cuBLAS", "ScalEx", EX_TYPES)
def scal_ex(device, t):
    call, handle = blas(device)
    x = device.uniform(t, N)
    compute = t if t in LETTERS else "s"
    call("cublasScalEx", handle, N, scalar(0.75, compute), DATA_TYPES[compute], x,
         DATA_TYPES[t], 1, DATA_TYPES[compute])
    compare("x", x.get(), 0.75 * x.values, t)
