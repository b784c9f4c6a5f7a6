//===- layernorm.cu - A file of eleven kernels --------------------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input of heddle-jit-benchmark: normalisation of rows, forwards and backwards,
// for several types and elements a thread, as frameworks compile it; some 4,800
// instructions of PTX.
//
//   nvcc -O3 -arch=sm_90 -ptx benchmarks/inputs/layernorm.cu -o layernorm.ptx
//
//===----------------------------------------------------------------------===//

#include <cuda_fp16.h>

template <typename T> __device__ float load(T V) { return float(V); }

/// The sum of a value over all threads of the CTA.
__device__ float sumOverCTA(float V, float *Scratch) {
#pragma unroll
  for (int D = 16; D > 0; D /= 2)
    V += __shfl_xor_sync(~0u, V, D);
  if (threadIdx.x % 32 == 0)
    Scratch[threadIdx.x / 32] = V;
  __syncthreads();
  V = threadIdx.x % 32 < blockDim.x / 32 ? Scratch[threadIdx.x % 32] : 0;
#pragma unroll
  for (int D = 16; D > 0; D /= 2)
    V += __shfl_xor_sync(~0u, V, D);
  __syncthreads();
  return V;
}

/// A row a CTA, N elements a thread.
template <typename T, int N>
__device__ void forward(T *Y, const T *X, const T *Gamma, const T *Beta,
                        float *Mean, float *Scale, float Epsilon) {
  __shared__ float Scratch[32];
  size_t Columns = size_t(blockDim.x) * N, Row = blockIdx.x * Columns;
  float V[N], Sum = 0, Squares = 0;
#pragma unroll
  for (int I = 0; I < N; ++I) {
    V[I] = load(X[Row + threadIdx.x + I * blockDim.x]);
    Sum += V[I];
  }
  float M = sumOverCTA(Sum, Scratch) / Columns;
#pragma unroll
  for (int I = 0; I < N; ++I)
    Squares += (V[I] - M) * (V[I] - M);
  float S = rsqrtf(sumOverCTA(Squares, Scratch) / Columns + Epsilon);
#pragma unroll
  for (int I = 0; I < N; ++I) {
    size_t C = threadIdx.x + I * blockDim.x;
    Y[Row + C] = T((V[I] - M) * S * load(Gamma[C]) + load(Beta[C]));
  }
  if (threadIdx.x == 0) {
    Mean[blockIdx.x] = M;
    Scale[blockIdx.x] = S;
  }
}

template <typename T, int N>
__device__ void backward(T *DX, const T *DY, const T *X, const T *Gamma,
                         const float *Mean, const float *Scale) {
  __shared__ float Scratch[32];
  size_t Columns = size_t(blockDim.x) * N, Row = blockIdx.x * Columns;
  float M = Mean[blockIdx.x], S = Scale[blockIdx.x];
  float G[N], H[N], SumG = 0, SumGH = 0;
#pragma unroll
  for (int I = 0; I < N; ++I) {
    size_t C = threadIdx.x + I * blockDim.x;
    G[I] = load(DY[Row + C]) * load(Gamma[C]);
    H[I] = (load(X[Row + C]) - M) * S;
    SumG += G[I];
    SumGH += G[I] * H[I];
  }
  float A = sumOverCTA(SumG, Scratch) / Columns;
  float B = sumOverCTA(SumGH, Scratch) / Columns;
#pragma unroll
  for (int I = 0; I < N; ++I)
    DX[Row + threadIdx.x + I * blockDim.x] = T(S * (G[I] - A - H[I] * B));
}

#define FORWARD(Name, T, N)                                                    \
  extern "C" __global__ void Name(T *Y, const T *X, const T *Gamma,            \
                                  const T *Beta, float *Mean, float *Scale,    \
                                  float Epsilon) {                             \
    forward<T, N>(Y, X, Gamma, Beta, Mean, Scale, Epsilon);                    \
  }
#define BACKWARD(Name, T, N)                                                   \
  extern "C" __global__ void Name(T *DX, const T *DY, const T *X,              \
                                  const T *Gamma, const float *Mean,           \
                                  const float *Scale) {                        \
    backward<T, N>(DX, DY, X, Gamma, Mean, Scale);                             \
  }

FORWARD(forward_f32_4, float, 4)
FORWARD(forward_f32_8, float, 8)
FORWARD(forward_f32_16, float, 16)
FORWARD(forward_f16_4, __half, 4)
FORWARD(forward_f16_8, __half, 8)
FORWARD(forward_f16_16, __half, 16)
BACKWARD(backward_f32_8, float, 8)
BACKWARD(backward_f32_16, float, 16)
BACKWARD(backward_f32_24, float, 24)
BACKWARD(backward_f16_8, __half, 8)
BACKWARD(backward_f16_16, __half, 16)
