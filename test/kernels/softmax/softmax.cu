//===- softmax.cu - Softmax of the rows of a matrix -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA a row: maximum, exponentials and their sum by warp shuffles and dynamic
// shared memory, then the division.
//
//===----------------------------------------------------------------------===//

extern __shared__ float Scratch[];

/// \p Op folded over the CTA; every thread gets the result.
template <typename OpT>
static __device__ float reduceBlock(float Value, float Neutral, OpT Op) {
  unsigned Warp = threadIdx.x / 32, Lane = threadIdx.x % 32;
  for (unsigned Mask = 16; Mask; Mask /= 2)
    Value = Op(Value, __shfl_xor_sync(0xffffffffu, Value, Mask));
  if (Lane == 0)
    Scratch[Warp] = Value;
  __syncthreads();
  Value = Lane < blockDim.x / 32 ? Scratch[Lane] : Neutral;
  for (unsigned Mask = 16; Mask; Mask /= 2)
    Value = Op(Value, __shfl_xor_sync(0xffffffffu, Value, Mask));
  __syncthreads();
  return Value;
}

struct Maximum {
  __device__ float operator()(float A, float B) const { return fmaxf(A, B); }
};
struct Sum {
  __device__ float operator()(float A, float B) const { return A + B; }
};

extern "C" __global__ void softmax(unsigned Columns, const float *In,
                                   float *Out) {
  const float *Row = In + blockIdx.x * Columns;
  float *Result = Out + blockIdx.x * Columns;

  float Largest = -__int_as_float(0x7f800000);
  for (unsigned C = threadIdx.x; C < Columns; C += blockDim.x)
    Largest = fmaxf(Largest, Row[C]);
  Largest = reduceBlock(Largest, -__int_as_float(0x7f800000), Maximum());

  float Total = 0.0f;
  for (unsigned C = threadIdx.x; C < Columns; C += blockDim.x)
    Total += expf(Row[C] - Largest);
  Total = reduceBlock(Total, 0.0f, Sum());

  for (unsigned C = threadIdx.x; C < Columns; C += blockDim.x)
    Result[C] = expf(Row[C] - Largest) / Total;
}
