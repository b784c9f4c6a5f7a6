//===- nbody.cu - Gravitational acceleration of every body ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All pairs, the bodies staged through shared memory as float4 (position and
// mass), with the approximate reciprocal square root.
//
//===----------------------------------------------------------------------===//

constexpr unsigned BlockSize = 64;

extern "C" __global__ void nbody(unsigned N, float Softening,
                                 const float4 *Bodies, float4 *Accelerations) {
  __shared__ float4 Tile[BlockSize];

  unsigned I = blockIdx.x * BlockSize + threadIdx.x;
  float4 Me = I < N ? Bodies[I] : make_float4(0, 0, 0, 0);
  float AX = 0.0f, AY = 0.0f, AZ = 0.0f;

  for (unsigned J0 = 0; J0 < N; J0 += BlockSize) {
    unsigned J = J0 + threadIdx.x;
    Tile[threadIdx.x] = J < N ? Bodies[J] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (unsigned K = 0; K < BlockSize; ++K) {
      float4 Other = Tile[K];
      float DX = Other.x - Me.x, DY = Other.y - Me.y, DZ = Other.z - Me.z;
      float Distance2 = DX * DX + DY * DY + DZ * DZ + Softening;
      float Inverse = rsqrtf(Distance2);
      float Scale = Other.w * Inverse * Inverse * Inverse;
      AX += Scale * DX;
      AY += Scale * DY;
      AZ += Scale * DZ;
    }
    __syncthreads();
  }

  if (I < N)
    Accelerations[I] = make_float4(AX, AY, AZ, 0.0f);
}
