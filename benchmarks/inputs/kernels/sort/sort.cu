//===- sort.cu - Sorting and searching --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass of a radix sort, binary search and a merge by ranks.
//
//===----------------------------------------------------------------------===//

constexpr unsigned Digits = 16;

extern "C" __global__ void radix_count(const unsigned *Keys, unsigned *Counts,
                                       unsigned Count, unsigned Shift) {
  __shared__ unsigned Local[Digits];
  if (threadIdx.x < Digits)
    Local[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += gridDim.x * blockDim.x)
    atomicAdd(&Local[(Keys[I] >> Shift) & (Digits - 1)], 1);
  __syncthreads();
  if (threadIdx.x < Digits)
    Counts[threadIdx.x * gridDim.x + blockIdx.x] = Local[threadIdx.x];
}

extern "C" __global__ void radix_scatter(const unsigned *Keys, unsigned *Out,
                                         unsigned *Places, unsigned Count,
                                         unsigned Shift) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  unsigned Key = Keys[I], Digit = (Key >> Shift) & (Digits - 1);
  unsigned Same = __match_any_sync(__activemask(), Digit);
  unsigned Lane = threadIdx.x % 32, Rank = __popc(Same & ((1u << Lane) - 1));
  int Leader = __ffs(Same) - 1;
  unsigned Start = 0;
  if (int(Lane) == Leader)
    Start = atomicAdd(&Places[Digit], __popc(Same));
  Start = __shfl_sync(Same, Start, Leader);
  Out[Start + Rank] = Key;
}

extern "C" __global__ void lower_bound(const double *Sorted, unsigned Size,
                                       const double *Wanted, unsigned *Found,
                                       unsigned Count) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  double Key = Wanted[I];
  unsigned Low = 0, High = Size;
  while (Low < High) {
    unsigned Middle = (Low + High) / 2;
    if (Sorted[Middle] < Key)
      Low = Middle + 1;
    else
      High = Middle;
  }
  Found[I] = Low;
}

extern "C" __global__ void odd_even(int *Data, unsigned Count, unsigned Phase) {
  unsigned I = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + Phase;
  if (I + 1 >= Count)
    return;
  int A = Data[I], B = Data[I + 1];
  Data[I] = min(A, B);
  Data[I + 1] = max(A, B);
}
