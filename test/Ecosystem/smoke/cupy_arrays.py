"""Arithmetic, a reduction, a sort and a kernel of CuPy, compared with NumPy."""
import sys

import cupy
import numpy


def main():
    numbers = numpy.random.default_rng(1).normal(size=10000).astype(numpy.float32)
    x = cupy.asarray(numbers)
    double = cupy.ElementwiseKernel("float32 x", "float32 y", "y = x + x", "twice")
    is_right = (numpy.allclose(cupy.asnumpy(cupy.exp(x) * 2), numpy.exp(numbers) * 2, rtol=1e-5)
                and numpy.allclose(float(x.sum()), numbers.sum(), rtol=1e-3)
                and numpy.array_equal(cupy.asnumpy(cupy.sort(x)), numpy.sort(numbers))
                and numpy.array_equal(cupy.asnumpy(double(x)), 2 * numbers))
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
