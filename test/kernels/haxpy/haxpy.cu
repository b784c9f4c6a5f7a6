//===- haxpy.cu - y = a x + y in half precision -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs through __half2, the odd last element through __half; and the dot
// product of one pair in single precision, which converts.
//
//===----------------------------------------------------------------------===//

#include <cuda_fp16.h>

extern "C" __global__ void haxpy(unsigned N, __half A, const __half *X,
                                 __half *Y) {
  unsigned I = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (I + 1 < N) {
    __half2 X2 = *reinterpret_cast<const __half2 *>(X + I);
    __half2 Y2 = *reinterpret_cast<const __half2 *>(Y + I);
    *reinterpret_cast<__half2 *>(Y + I) = __hfma2(__half2half2(A), X2, Y2);
  } else if (I < N) {
    Y[I] = __hfma(A, X[I], Y[I]);
  }
}

/// Out[i] = (x[2i] y[2i] + x[2i+1] y[2i+1]), computed in single precision and
/// rounded to half at the end.
extern "C" __global__ void hdot2(unsigned Pairs, const __half2 *X,
                                 const __half2 *Y, __half *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Pairs)
    return;
  float2 A = __half22float2(X[I]), B = __half22float2(Y[I]);
  Out[I] = __float2half_rn(fmaf(A.x, B.x, __fmul_rn(A.y, B.y)));
}
