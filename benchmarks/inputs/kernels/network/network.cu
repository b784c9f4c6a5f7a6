//===- network.cu - Layers of neural networks -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Normalization, activation, quantization, an optimizer and one row of attention.
//
//===----------------------------------------------------------------------===//

static __device__ float sumOfWarp(float V) {
  for (unsigned Mask = 16; Mask; Mask /= 2)
    V += __shfl_xor_sync(~0u, V, Mask);
  return V;
}

extern "C" __global__ void layer_norm(const float *In, const float *Gain,
                                      const float *Bias, float *Out,
                                      unsigned Columns, float Epsilon) {
  const float *Row = In + blockIdx.x * Columns;
  float Sum = 0, Squares = 0;
  for (unsigned I = threadIdx.x; I < Columns; I += 32) {
    Sum += Row[I];
    Squares += Row[I] * Row[I];
  }
  float Mean = sumOfWarp(Sum) / Columns;
  float Scale =
      rsqrtf(sumOfWarp(Squares) / Columns - Mean * Mean + Epsilon);
  for (unsigned I = threadIdx.x; I < Columns; I += 32)
    Out[blockIdx.x * Columns + I] =
        (Row[I] - Mean) * Scale * Gain[I] + Bias[I];
}

extern "C" __global__ void gelu(const float *In, float *Out, unsigned Count) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  float X = In[I];
  Out[I] = 0.5f * X *
           (1 + tanhf(0.7978845608f * (X + 0.044715f * X * X * X)));
}

extern "C" __global__ void quantize(const float *In, char4 *Out,
                                    const float *Scales, unsigned Count) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  float Scale = Scales[I / 32];
  auto Round = [&](float V) {
    return (char)max(-127, min(127, __float2int_rn(V * Scale)));
  };
  Out[I] = make_char4(Round(In[4 * I]), Round(In[4 * I + 1]),
                      Round(In[4 * I + 2]), Round(In[4 * I + 3]));
}

extern "C" __global__ void adamw(float *Weights, const float *Gradients,
                                 float *First, float *Second, unsigned Count,
                                 float Rate, float Beta1, float Beta2,
                                 float Epsilon, float Decay, float Correction1,
                                 float Correction2) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  float G = Gradients[I], W = Weights[I] * (1 - Rate * Decay);
  float M = Beta1 * First[I] + (1 - Beta1) * G;
  float V = Beta2 * Second[I] + (1 - Beta2) * G * G;
  First[I] = M;
  Second[I] = V;
  Weights[I] =
      W - Rate * (M / Correction1) / (sqrtf(V / Correction2) + Epsilon);
}

extern "C" __global__ void attention(const float *Query, const float *Keys,
                                     const float *Values, float *Out,
                                     unsigned Length, float Scale) {
  constexpr unsigned Size = 64;
  __shared__ float Q[Size];
  unsigned T = threadIdx.x;
  Q[T] = Query[blockIdx.x * Size + T];
  __syncthreads();
  float Largest = -INFINITY, Sum = 0, Result = 0;
  for (unsigned K = 0; K < Length; ++K) {
    float Score = 0;
    for (unsigned I = 0; I < Size; ++I)
      Score += Q[I] * Keys[K * Size + I];
    Score *= Scale;
    float Next = fmaxf(Largest, Score);
    float Old = __expf(Largest - Next), New = __expf(Score - Next);
    Result = Result * Old + New * Values[K * Size + T];
    Sum = Sum * Old + New;
    Largest = Next;
  }
  Out[blockIdx.x * Size + T] = Result / Sum;
}

extern "C" __global__ void embedding(const int *Tokens, const uint4 *Table,
                                     uint4 *Out, unsigned Words) {
  long long Row = Tokens[blockIdx.x];
  for (unsigned I = threadIdx.x; I < Words; I += blockDim.x)
    Out[(size_t)blockIdx.x * Words + I] = Table[Row * Words + I];
}
