//===- fptable.cu - Calls through a table of function pointers --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table is a module-level variable with the functions' addresses as
// initialiser; lanes of one warp call different functions, and a second table
// holds functions with a structure as argument.
//
//===----------------------------------------------------------------------===//

static __device__ __noinline__ float square(float X) { return X * X; }
static __device__ __noinline__ float negate(float X) { return -X; }
static __device__ __noinline__ float root(float X) { return __fsqrt_rn(X); }
static __device__ __noinline__ float half(float X) { return 0.5f * X; }

using UnaryFn = float (*)(float);
__device__ UnaryFn Unary[4] = {square, negate, root, half};

struct Pair {
  float A;
  int B;
};
static __device__ __noinline__ float scale(Pair P) { return P.A * P.B; }
static __device__ __noinline__ float shift(Pair P) { return P.A + P.B; }

using PairFn = float (*)(Pair);
__device__ PairFn Binary[2] = {scale, shift};

extern "C" __global__ void fptable(unsigned N, const float *In, float *Out) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float Value = Unary[I % 4](In[I]);
  Out[I] = Binary[(I / 2) % 2](Pair{Value, int(I)});
}
