//===- signal.cu - Signals --------------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transforms, filters and sums: FFT, FIR, Walsh-Hadamard, a dot product.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void fft_pass(const float2 *In, float2 *Out,
                                    unsigned Length, unsigned Stride) {
  unsigned T = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Quarter = Length / 4;
  if (T >= Quarter)
    return;
  unsigned K = T % Stride;
  float2 V[4];
#pragma unroll
  for (unsigned I = 0; I < 4; ++I) {
    float2 X = In[T + I * Quarter];
    float Angle = -6.283185307f * I * K / (4 * Stride);
    float C = __cosf(Angle), S = __sinf(Angle);
    V[I] = make_float2(X.x * C - X.y * S, X.x * S + X.y * C);
  }
  float2 A = make_float2(V[0].x + V[2].x, V[0].y + V[2].y),
         B = make_float2(V[0].x - V[2].x, V[0].y - V[2].y),
         C = make_float2(V[1].x + V[3].x, V[1].y + V[3].y),
         D = make_float2(V[1].y - V[3].y, V[3].x - V[1].x);
  unsigned At = (T / Stride) * Stride * 4 + K;
  Out[At] = make_float2(A.x + C.x, A.y + C.y);
  Out[At + Stride] = make_float2(B.x + D.x, B.y + D.y);
  Out[At + 2 * Stride] = make_float2(A.x - C.x, A.y - C.y);
  Out[At + 3 * Stride] = make_float2(B.x - D.x, B.y - D.y);
}

__constant__ float Taps[32];

extern "C" __global__ void fir(const float *In, float *Out, int Count) {
  __shared__ float Window[256 + 31];
  int Start = blockIdx.x * 256;
  for (int I = threadIdx.x; I < 256 + 31; I += 256) {
    int At = Start + I - 31;
    Window[I] = At >= 0 && At < Count ? In[At] : 0;
  }
  __syncthreads();
  float Sum = 0;
#pragma unroll
  for (int I = 0; I < 32; ++I)
    Sum += Taps[I] * Window[threadIdx.x + 31 - I];
  if (Start + int(threadIdx.x) < Count)
    Out[Start + threadIdx.x] = Sum;
}

extern "C" __global__ void hadamard(float *Data) {
  __shared__ float Values[512];
  unsigned T = threadIdx.x;
  float *Block = Data + blockIdx.x * 512;
  Values[T] = Block[T];
  Values[T + 256] = Block[T + 256];
  for (unsigned Step = 1; Step < 512; Step *= 2) {
    __syncthreads();
    unsigned I = (T / Step) * Step * 2 + T % Step;
    float A = Values[I], B = Values[I + Step];
    Values[I] = A + B;
    Values[I + Step] = A - B;
  }
  __syncthreads();
  Block[T] = Values[T];
  Block[T + 256] = Values[T + 256];
}

extern "C" __global__ void dot(const double *A, const double *B, double *Out,
                               unsigned Count) {
  double Sum = 0;
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += gridDim.x * blockDim.x)
    Sum += A[I] * B[I];
  for (unsigned Delta = 16; Delta; Delta /= 2)
    Sum += __shfl_down_sync(~0u, Sum, Delta);
  if (threadIdx.x % 32 == 0)
    atomicAdd(Out, Sum);
}

extern "C" __global__ void iir(const float *In, float *Out, unsigned Channels,
                               unsigned Length, float B0, float B1, float B2,
                               float A1, float A2) {
  unsigned C = blockIdx.x * blockDim.x + threadIdx.x;
  if (C >= Channels)
    return;
  float Z1 = 0, Z2 = 0;
  for (unsigned I = 0; I < Length; ++I) {
    float X = In[I * Channels + C];
    float Y = B0 * X + Z1;
    Z1 = B1 * X - A1 * Y + Z2;
    Z2 = B2 * X - A2 * Y;
    Out[I * Channels + C] = Y;
  }
}
