//===- printf.cu - Text from the device -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a CTA print one after the other, with barriers between them.
// Arguments of every size and kind, and the value that printf returns.
//
//===----------------------------------------------------------------------===//

#include <cstdio>

extern "C" __global__ void hello(const int *Values, int *Returned) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned T = 0; T < blockDim.x; ++T) {
    if (threadIdx.x == T)
      Returned[I] = printf("block %u thread %2u: %+d %s %c\n", blockIdx.x, T,
                           Values[I], T % 2 ? "odd" : "even", 'a' + int(T));
    __syncthreads();
  }
  if (I == 0)
    printf("%.3f %e %#x %lld %5.1f%% [%-6s|%6s]\n", 1.0 / 3.0, 12345.678, 255u,
           -1234567890123ll, 99.5, "left", "right");
}
