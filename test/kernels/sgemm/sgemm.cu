//===- sgemm.cu - Tiled matrix product in single precision ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C = A B with A of M x K, B of K x N, row by row, staged through 16 x 16 tiles
// in shared memory. No extent needs to be a multiple of the tile. Each element
// is a chain of fused multiply-adds in the order of k.
//
//===----------------------------------------------------------------------===//

constexpr unsigned Tile = 16;

extern "C" __global__ void sgemm(unsigned M, unsigned N, unsigned K,
                                 const float *A, const float *B, float *C) {
  __shared__ float TileA[Tile][Tile];
  __shared__ float TileB[Tile][Tile];

  unsigned TX = threadIdx.x, TY = threadIdx.y;
  unsigned Row = blockIdx.y * Tile + TY;
  unsigned Column = blockIdx.x * Tile + TX;
  float Sum = 0.0f;

  for (unsigned K0 = 0; K0 < K; K0 += Tile) {
    TileA[TY][TX] = Row < M && K0 + TX < K ? A[Row * K + K0 + TX] : 0.0f;
    TileB[TY][TX] =
        Column < N && K0 + TY < K ? B[(K0 + TY) * N + Column] : 0.0f;
    __syncthreads();
    for (unsigned I = 0; I < Tile; ++I)
      Sum = fmaf(TileA[TY][I], TileB[I][TX], Sum);
    __syncthreads();
  }

  if (Row < M && Column < N)
    C[Row * N + Column] = Sum;
}
