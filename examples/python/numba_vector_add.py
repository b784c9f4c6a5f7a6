"""Vector addition with Numba, whose calls of the driver our libcuda answers.

Needs `pip install numba-cuda 'nvidia-nvvm==13.0.*'`; NVVM makes PTX of what Numba
compiles. Where NVIDIA's nvJitLink is installed too, ptx-env puts ours before it:

    build/bin/ptx-env python numba_vector_add.py
"""
import numpy
from numba import cuda


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


def main():
    x = numpy.arange(1000, dtype=numpy.float32)
    y = 2 * x
    out = numpy.zeros_like(x)
    add[4, 256](x, y, out)
    is_right = bool((out == 3 * x).all())
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    raise SystemExit(main())
