//===- roots.cu - Roots with early ends -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Newton's method, which nearly always ends after a step or two, with another
// method for where it does not.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void roots(const float *__restrict__ In,
                                 const float *__restrict__ Guess,
                                 float *__restrict__ Out, unsigned Count,
                                 float Tolerance, int Most) {
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += gridDim.x * blockDim.x) {
    float A = In[I], X = Guess[I];
    int Steps = 0;
    float Error = X * X * X - A;
    while (fabsf(Error) > Tolerance && Steps < Most) {
      X = X - Error / (3 * X * X);
      Error = X * X * X - A;
      ++Steps;
    }
    if (Steps == Most) {
      float Low = 0, High = A + 1;
      for (int S = 0; S < 24; ++S) {
        X = 0.5f * (Low + High);
        if (X * X * X < A)
          Low = X;
        else
          High = X;
      }
    }
    Out[I] = X;
  }
}
