"""A kernel that Numba compiles with line information."""
import numpy
from numba import cuda


@cuda.jit(lineinfo=True)
def scale(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 3 * x[i]


def main():
    x = numpy.arange(64, dtype=numpy.float32)
    out = numpy.zeros_like(x)
    scale[2, 32](x, out)
    print("PASS" if (out == 3 * x).all() else "FAIL", flush=True)


main()
