//===- recursion.cu - Recursive device functions ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that the compiler cannot turn into loops: the n-queens count by
// backtracking and the Ackermann function, to a different depth in each lane.
//
//===----------------------------------------------------------------------===//

/// The number of ways to put a queen into each of the rows that are left.
/// \p Columns, \p Left and \p Right are the attacked squares of this row.
static __device__ __noinline__ unsigned queens(unsigned Full, unsigned Columns,
                                               unsigned Left, unsigned Right) {
  if (Columns == Full)
    return 1;
  unsigned Count = 0;
  for (unsigned Free = Full & ~(Columns | Left | Right); Free;
       Free &= Free - 1) {
    unsigned Bit = Free & -Free;
    Count += queens(Full, Columns | Bit, (Left | Bit) << 1, (Right | Bit) >> 1);
  }
  return Count;
}

static __device__ __noinline__ unsigned ackermann(unsigned M, unsigned N) {
  if (M == 0)
    return N + 1;
  if (N == 0)
    return ackermann(M - 1, 1);
  return ackermann(M - 1, ackermann(M, N - 1));
}

extern "C" __global__ void recursion(unsigned N, unsigned *Queens,
                                     unsigned *Ackermann) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  Queens[I] = queens((1u << (1 + I % 6)) - 1, 0, 0, 0);
  Ackermann[I] = ackermann(I % 3, I % 5);
}
