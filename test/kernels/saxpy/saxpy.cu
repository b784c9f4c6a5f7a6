//===- saxpy.cu - y = a x + y -----------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least kernel that does something: one guarded element a thread.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void saxpy(unsigned N, float A, const float *X,
                                 float *Y) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Y[I] = fmaf(A, X[I], Y[I]);
}
