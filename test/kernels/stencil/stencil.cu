//===- stencil.cu - Five-point stencil in two dimensions --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile with a halo in shared memory, the weights in constant memory, and what
// cells beyond the border count as in a variable that the host sets.
//
//===----------------------------------------------------------------------===//

constexpr unsigned Tile = 16;

__constant__ float Weights[5] = {0.5f, 0.1f, 0.15f, 0.2f, 0.05f};

__device__ float Beyond = 0.0f;

extern "C" __global__ void stencil(int Width, int Height, const float *In,
                                   float *Out) {
  __shared__ float Cells[Tile + 2][Tile + 2];

  int X0 = int(blockIdx.x * Tile) - 1, Y0 = int(blockIdx.y * Tile) - 1;
  for (int Y = threadIdx.y; Y < int(Tile + 2); Y += Tile)
    for (int X = threadIdx.x; X < int(Tile + 2); X += Tile) {
      int GX = X0 + X, GY = Y0 + Y;
      bool Inside = GX >= 0 && GX < Width && GY >= 0 && GY < Height;
      Cells[Y][X] = Inside ? In[GY * Width + GX] : Beyond;
    }
  __syncthreads();

  int X = threadIdx.x + 1, Y = threadIdx.y + 1;
  float Sum = Weights[0] * Cells[Y][X];
  Sum = fmaf(Weights[1], Cells[Y - 1][X], Sum);
  Sum = fmaf(Weights[2], Cells[Y + 1][X], Sum);
  Sum = fmaf(Weights[3], Cells[Y][X - 1], Sum);
  Sum = fmaf(Weights[4], Cells[Y][X + 1], Sum);
  if (X0 + X < Width && Y0 + Y < Height)
    Out[(Y0 + Y) * Width + X0 + X] = Sum;
}
