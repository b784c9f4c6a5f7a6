//===- pooling.cu - Maxima over windows -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two loops whose trip counts are arguments, small and nearly always the
// same.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void pooling(const float *__restrict__ In,
                                   float *__restrict__ Out, int Width,
                                   int OutWidth, int OutHeight, int Window,
                                   int Stride) {
  int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y;
  if (X >= OutWidth || Y >= OutHeight)
    return;
  float Most = -1e30f, Sum = 0;
  for (int J = 0; J < Window; ++J)
    for (int I = 0; I < Window; ++I) {
      float V = In[(Y * Stride + J) * Width + X * Stride + I];
      Most = fmaxf(Most, V);
      Sum += V;
    }
  Out[Y * OutWidth + X] = Most + 0.5f * Sum / (Window * Window);
}
