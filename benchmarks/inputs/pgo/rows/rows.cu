//===- rows.cu - Sparse rows with a long tail -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread a row: nearly all rows have one or two elements, a few have many.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void rows(const unsigned *__restrict__ Start,
                                const unsigned *__restrict__ Column,
                                const float *__restrict__ Value,
                                const float *__restrict__ X,
                                float *__restrict__ Y, unsigned Rows) {
  unsigned Row = blockIdx.x * blockDim.x + threadIdx.x;
  if (Row >= Rows)
    return;
  float Sum = 0;
  unsigned End = Start[Row + 1];
  for (unsigned I = Start[Row]; I < End; ++I)
    Sum += Value[I] * X[Column[I]];
  Y[Row] = Sum;
}
