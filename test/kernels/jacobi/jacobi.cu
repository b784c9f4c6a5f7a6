//===- jacobi.cu - Jacobi iteration in double precision ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One sweep over a banded system: x' = (b - (off-diagonal) x) / diagonal, and
// the largest change so far through a 64-bit atomic maximum (the bits of
// positive doubles are ordered as the doubles are).
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void jacobi(unsigned N, double Coupling,
                                  const double *Diagonal, const double *B,
                                  const double *X, double *XNew,
                                  unsigned long long *Change) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  double Sum = B[I];
  if (I >= 1)
    Sum = fma(-Coupling, X[I - 1], Sum);
  if (I + 1 < N)
    Sum = fma(-Coupling, X[I + 1], Sum);
  double New = Sum / Diagonal[I];
  XNew[I] = New;
  atomicMax(Change, (unsigned long long)__double_as_longlong(fabs(New - X[I])));
}
