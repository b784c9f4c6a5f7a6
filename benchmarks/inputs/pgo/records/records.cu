//===- records.cu - Records with rare errors --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks and sums up fields of records; what is wrong with one, which is
// rare, is worked out at length.
//
//===----------------------------------------------------------------------===//

static __device__ double severity(const unsigned *Fields, unsigned Count) {
  double Mean = 0, Spread = 0;
  for (unsigned I = 0; I < Count; ++I)
    Mean += Fields[I];
  Mean /= Count;
  for (unsigned I = 0; I < Count; ++I) {
    double D = Fields[I] - Mean;
    Spread += D * D / (1.0 + fabs(D));
  }
  return sqrt(Spread / Count);
}

extern "C" __global__ void records(const unsigned *__restrict__ In,
                                   unsigned *__restrict__ Sums,
                                   double *__restrict__ Errors,
                                   unsigned Fields, unsigned Count,
                                   unsigned Limit) {
  for (unsigned R = blockIdx.x * blockDim.x + threadIdx.x; R < Count;
       R += gridDim.x * blockDim.x) {
    const unsigned *At = In + R * Fields;
    unsigned Sum = 0;
    for (unsigned I = 0; I < Fields; ++I) {
      unsigned V = At[I];
      if (V > Limit) {
        Errors[R] = severity(At, Fields) + V % Fields;
        V = Limit;
      }
      Sum = Sum * 5 + V;
    }
    Sums[R] = Sum;
  }
}
