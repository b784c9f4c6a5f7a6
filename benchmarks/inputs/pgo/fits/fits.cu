//===- fits.cu - A walk with a rare system of equations ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads follow links through a table and sum what they find there. A sum that
// is out of range, which is rare, is fitted: a system of equations whose
// matrix is in registers.
//
//===----------------------------------------------------------------------===//

constexpr int Size = 8;

/// The sum of the solution of a system that Seed makes.
static __device__ float solve(float Seed) {
  float M[Size][Size + 1];
#pragma unroll
  for (int I = 0; I < Size; ++I)
#pragma unroll
    for (int J = 0; J <= Size; ++J)
      M[I][J] = I == J ? 9.0f + Seed : 1.0f / (I + J + 1.0f + Seed);
#pragma unroll
  for (int K = 0; K < Size; ++K)
#pragma unroll
    for (int I = 0; I < Size; ++I) {
      if (I == K)
        continue;
      float F = __fdividef(M[I][K], M[K][K]);
#pragma unroll
      for (int J = 0; J <= Size; ++J)
        if (J > K)
          M[I][J] -= F * M[K][J];
    }
  float Sum = 0;
#pragma unroll
  for (int I = 0; I < Size; ++I)
    Sum += __fdividef(M[I][Size], M[I][I]);
  return Sum;
}

extern "C" __global__ void fits(const unsigned *__restrict__ Next,
                                const float *__restrict__ Value,
                                float *__restrict__ Out, float Limit,
                                unsigned Steps, unsigned Mask) {
  unsigned T = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned At = T & Mask;
  float Sum = 0;
  for (unsigned S = 0; S < Steps; ++S) {
    Sum += Value[At];
    At = Next[At];
  }
  if (Sum > Limit)
    Sum = solve(Sum);
  Out[T] = Sum;
}
