//===- scan.cu - Inclusive prefix sum with warp shuffles --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three kernels: each CTA scans its part and leaves its total, one CTA scans
// the totals, and a last pass adds what stands before each part.
//
//===----------------------------------------------------------------------===//

constexpr unsigned WarpSize = 32;
constexpr unsigned BlockSize = 128;
constexpr unsigned FullMask = 0xffffffffu;

static __device__ unsigned scanWarp(unsigned Value) {
  unsigned Lane = threadIdx.x % WarpSize;
  for (unsigned Distance = 1; Distance < WarpSize; Distance *= 2) {
    unsigned Other = __shfl_up_sync(FullMask, Value, Distance);
    if (Lane >= Distance)
      Value += Other;
  }
  return Value;
}

/// The inclusive scan of \p Value over the CTA, in the order of threads.
static __device__ unsigned scanBlock(unsigned Value) {
  __shared__ unsigned WarpTotals[BlockSize / WarpSize];
  unsigned Warp = threadIdx.x / WarpSize, Lane = threadIdx.x % WarpSize;

  Value = scanWarp(Value);
  if (Lane == WarpSize - 1)
    WarpTotals[Warp] = Value;
  __syncthreads();
  for (unsigned W = 0; W < Warp; ++W)
    Value += WarpTotals[W];
  return Value;
}

extern "C" __global__ void scan_parts(unsigned N, const unsigned *In,
                                      unsigned *Out, unsigned *Totals) {
  unsigned I = blockIdx.x * BlockSize + threadIdx.x;
  unsigned Value = scanBlock(I < N ? In[I] : 0);
  if (I < N)
    Out[I] = Value;
  if (threadIdx.x == BlockSize - 1)
    Totals[blockIdx.x] = Value;
}

extern "C" __global__ void scan_totals(unsigned N, unsigned *Totals) {
  unsigned T = threadIdx.x;
  unsigned Value = scanBlock(T < N ? Totals[T] : 0);
  if (T < N)
    Totals[T] = Value;
}

extern "C" __global__ void scan_add(unsigned N, const unsigned *Totals,
                                    unsigned *Out) {
  unsigned I = blockIdx.x * BlockSize + threadIdx.x;
  if (blockIdx.x && I < N)
    Out[I] += Totals[blockIdx.x - 1];
}
