//===- filters.cu - A pipeline of functions from a table --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each pixel goes through functions whose numbers are arguments of the
// launch, called through a table of pointers.
//
//===----------------------------------------------------------------------===//

typedef float (*Filter)(float, float);

static __device__ __noinline__ float gain(float V, float P) { return V * P; }
static __device__ __noinline__ float offset(float V, float P) { return V + P; }
static __device__ __noinline__ float clampTo(float V, float P) {
  return fminf(fmaxf(V, -P), P);
}
static __device__ __noinline__ float gamma(float V, float P) {
  float R = fabsf(V);
  for (int I = 0; I < 4; ++I)
    R = R - (R * R - P) / (2 * R + 1.0f);
  return R;
}

__device__ Filter Table[4] = {gain, offset, clampTo, gamma};

extern "C" __global__ void filters(const float *__restrict__ In,
                                   float *__restrict__ Out,
                                   const unsigned *__restrict__ Steps,
                                   unsigned StepCount, unsigned Count) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  float V = In[I];
  for (unsigned S = 0; S < StepCount; ++S)
    V = Table[Steps[S] & 3](V, 0.75f + 0.125f * S);
  Out[I] = V;
}
