"""A kernel that Numba compiles with its variables."""
import numpy
from numba import cuda


@cuda.jit(debug=True, opt=False)
def scale(x, out):
    i = cuda.grid(1)
    if i < out.size:
        factor = numpy.float32(3) + i
        out[i] = factor * x[i]


def main():
    x = numpy.arange(64, dtype=numpy.float32)
    out = numpy.zeros_like(x)
    scale[2, 32](x, out)
    print("PASS" if (out == (3 + numpy.arange(64)) * x).all() else "FAIL", flush=True)


main()
