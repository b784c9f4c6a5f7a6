"""Kernel Tuner tries sizes of blocks by its CuPy back end and checks each result."""
import os
import sys
import tempfile

import kernel_tuner
import numpy

COUNT = 10000
SOURCE = """
extern "C" __global__ void add(float *c, const float *a, const float *b, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}
"""


def main():
    random = numpy.random.default_rng(0)
    a, b = random.random(COUNT, numpy.float32), random.random(COUNT, numpy.float32)
    os.chdir(tempfile.gettempdir())  # Sources stay in the current folder when a check fails.
    results, _ = kernel_tuner.tune_kernel(
        "add", SOURCE, COUNT, [numpy.zeros_like(a), a, b, numpy.int32(COUNT)], {"block_size_x": [64, 128, 256]},
        answer=[a + b, None, None, None], lang="cupy")
    is_right = len(results) == 3 and all(isinstance(result["time"], float) for result in results)
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
