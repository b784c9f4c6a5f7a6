"""Transforms of CuPy, which calls cuFFT, against those of NumPy in double precision."""
import sys

import cupy
import numpy

LENGTHS = [1, 2, 3, 16, 17, 60, 97, 210, 1001, 1024, 4099, 8193, 10007]
SHAPES = [(4, 6), (5, 7), (17, 19), (3, 4, 5), (8, 2, 9), (16, 31, 4)]
TOLERANCES = {numpy.float32: 1e-6, numpy.float64: 4e-15}
RANDOM = numpy.random.default_rng(1)


def is_wrong(name, source, tolerance, **arguments):
    wide = source.astype(numpy.complex128 if source.dtype.kind == "c" else numpy.float64)
    expected = getattr(numpy.fft, name)(wide, **arguments)
    found = cupy.asnumpy(getattr(cupy.fft, name)(cupy.asarray(source), **arguments))
    worst = numpy.abs(found - expected).max()
    if found.shape == expected.shape and worst <= tolerance * max(numpy.abs(expected).max(), 1e-3):
        return 0
    print(f"{name} of {source.dtype} {source.shape} {arguments}: off by {worst}")
    return 1


def check(real, shape, dtype):
    tolerance = TOLERANCES[dtype]
    complex_numbers = (real + 1j * RANDOM.standard_normal(real.shape)).astype(
        numpy.complex64 if dtype is numpy.float32 else numpy.complex128)
    half = complex_numbers[..., :shape[-1] // 2 + 1].copy()
    if len(shape) == 1:
        wrong = sum(is_wrong(name, complex_numbers, tolerance, axis=axis)
                    for name in ("fft", "ifft") for axis in (0, 1))
        return (wrong + is_wrong("rfft", real, tolerance)
                + is_wrong("irfft", half, tolerance, n=shape[-1]))
    axes = tuple(range(len(shape)))
    return (is_wrong("fftn", complex_numbers, tolerance) + is_wrong("ifftn", complex_numbers, tolerance)
            + is_wrong("rfftn", real, tolerance) + is_wrong("irfftn", half, tolerance, s=shape, axes=axes))


def main():
    wrong = 0
    for dtype in TOLERANCES:
        for length in LENGTHS:
            wrong += check(RANDOM.standard_normal((3, length)).astype(dtype), (length,), dtype)
        for shape in SHAPES:
            wrong += check(RANDOM.standard_normal(shape).astype(dtype), shape, dtype)
    print("FAIL" if wrong else "PASS")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
