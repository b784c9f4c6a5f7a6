//===- mandelbrot.cu - Escape times of the Mandelbrot set -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops whose trip counts differ from lane to lane, left early. The intrinsics
// fix every rounding, so the counts are exact.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void mandelbrot(unsigned Width, unsigned Height,
                                      unsigned MaxIterations, float Left,
                                      float Top, float Step,
                                      unsigned short *Counts) {
  unsigned PX = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned PY = blockIdx.y * blockDim.y + threadIdx.y;
  if (PX >= Width || PY >= Height)
    return;

  float CR = __fmaf_rn(float(PX), Step, Left);
  float CI = __fmaf_rn(float(PY), -Step, Top);
  float R = 0.0f, I = 0.0f;
  unsigned N = 0;
  for (; N < MaxIterations; ++N) {
    float R2 = __fmul_rn(R, R), I2 = __fmul_rn(I, I);
    if (__fadd_rn(R2, I2) > 4.0f)
      break;
    float Product = __fmul_rn(R, I);
    R = __fadd_rn(__fsub_rn(R2, I2), CR);
    I = __fmaf_rn(2.0f, Product, CI);
  }
  Counts[PY * Width + PX] = N;
}
