//===- spmv.cu - Sparse matrix times vector in CSR form ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One warp a row: lanes stride over the row's entries and add up with shuffles.
// Rows are of very different length, some are empty.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void spmv(unsigned Rows, const unsigned *RowStart,
                                const unsigned *Column, const float *Value,
                                const float *X, float *Y) {
  unsigned Row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned Lane = threadIdx.x % 32;
  if (Row >= Rows)
    return;
  float Sum = 0.0f;
  for (unsigned I = RowStart[Row] + Lane; I < RowStart[Row + 1]; I += 32)
    Sum = fmaf(Value[I], X[Column[I]], Sum);
  for (unsigned Distance = 16; Distance; Distance /= 2)
    Sum += __shfl_down_sync(0xffffffffu, Sum, Distance);
  if (Lane == 0)
    Y[Row] = Sum;
}
