//===- transpose.cu - Transposing a matrix ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile through shared memory, and four elements a thread as a vector.
//
//===----------------------------------------------------------------------===//

constexpr unsigned Tile = 32, Rows = 8;

extern "C" __global__ void transpose_tile(const float *In, float *Out,
                                          unsigned Width, unsigned Height) {
  __shared__ float Cells[Tile][Tile + 1];
  unsigned X = blockIdx.x * Tile + threadIdx.x;
  unsigned Y = blockIdx.y * Tile + threadIdx.y;
  for (unsigned J = 0; J < Tile; J += Rows)
    if (X < Width && Y + J < Height)
      Cells[threadIdx.y + J][threadIdx.x] = In[(Y + J) * Width + X];
  __syncthreads();
  X = blockIdx.y * Tile + threadIdx.x;
  Y = blockIdx.x * Tile + threadIdx.y;
  for (unsigned J = 0; J < Tile; J += Rows)
    if (X < Height && Y + J < Width)
      Out[(Y + J) * Height + X] = Cells[threadIdx.x][threadIdx.y + J];
}

extern "C" __global__ void copy_vector(const float4 *In, float4 *Out,
                                       unsigned long long Count) {
  unsigned long long Step = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long I =
           (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
       I < Count; I += Step)
    Out[I] = In[I];
}
