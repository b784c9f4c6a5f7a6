//===- histogram.cu - Counts of byte values ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each CTA counts with atomics in shared memory and adds its counts to the
// result.
//
//===----------------------------------------------------------------------===//

constexpr unsigned Bins = 64;

extern "C" __global__ void histogram(unsigned N, const unsigned char *In,
                                     unsigned *Counts) {
  __shared__ unsigned Local[Bins];
  for (unsigned B = threadIdx.x; B < Bins; B += blockDim.x)
    Local[B] = 0;
  __syncthreads();

  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += gridDim.x * blockDim.x)
    atomicAdd(&Local[In[I] % Bins], 1u);
  __syncthreads();

  for (unsigned B = threadIdx.x; B < Bins; B += blockDim.x)
    if (unsigned Count = Local[B])
      atomicAdd(&Counts[B], Count);
}
