//===- reduce.cu - Sum and maximum of a vector ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tree reduction in shared memory, then one atomic operation a CTA on the
// results. The data are small whole numbers, so the sum is exact in any order.
//
//===----------------------------------------------------------------------===//

constexpr unsigned BlockSize = 128;

extern "C" __global__ void reduce(unsigned N, const float *In, float *Sum,
                                  int *Max, unsigned *CTAs) {
  __shared__ float Sums[BlockSize];
  __shared__ int Maxima[BlockSize];

  unsigned T = threadIdx.x;
  float MySum = 0.0f;
  int MyMax = -2147483647 - 1;
  for (unsigned I = blockIdx.x * BlockSize + T; I < N;
       I += gridDim.x * BlockSize) {
    MySum += In[I];
    MyMax = max(MyMax, int(In[I]));
  }
  Sums[T] = MySum;
  Maxima[T] = MyMax;
  __syncthreads();

  for (unsigned Half = BlockSize / 2; Half; Half /= 2) {
    if (T < Half) {
      Sums[T] += Sums[T + Half];
      Maxima[T] = max(Maxima[T], Maxima[T + Half]);
    }
    __syncthreads();
  }

  if (T == 0) {
    atomicAdd(Sum, Sums[0]);
    atomicMax(Max, Maxima[0]);
    atomicInc(CTAs, 0xffffffffu);
  }
}
