//===- gemm.cu - Products of matrices ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of 64 by 64 with 4 by 4 results a thread, and a product of bytes.
//
//===----------------------------------------------------------------------===//

constexpr unsigned Tile = 64, Depth = 16, PerThread = 4;

extern "C" __global__ __launch_bounds__(256) void gemm_tile(
    const float *__restrict__ A, const float *__restrict__ B,
    float *__restrict__ C, unsigned M, unsigned N, unsigned K) {
  __shared__ float TileA[Depth][Tile], TileB[Depth][Tile];
  unsigned TX = threadIdx.x % 16, TY = threadIdx.x / 16;
  unsigned Row = blockIdx.y * Tile, Column = blockIdx.x * Tile;
  float Sum[PerThread][PerThread] = {};
  for (unsigned K0 = 0; K0 < K; K0 += Depth) {
    for (unsigned I = threadIdx.x; I < Depth * Tile; I += 256) {
      unsigned KA = I % Depth, MA = I / Depth;
      TileA[KA][MA] = A[(Row + MA) * K + K0 + KA];
      TileB[I / Tile][I % Tile] = B[(K0 + I / Tile) * N + Column + I % Tile];
    }
    __syncthreads();
#pragma unroll
    for (unsigned P = 0; P < Depth; ++P) {
      float FromA[PerThread], FromB[PerThread];
      for (unsigned I = 0; I < PerThread; ++I) {
        FromA[I] = TileA[P][TY * PerThread + I];
        FromB[I] = TileB[P][TX * PerThread + I];
      }
      for (unsigned I = 0; I < PerThread; ++I)
        for (unsigned J = 0; J < PerThread; ++J)
          Sum[I][J] += FromA[I] * FromB[J];
    }
    __syncthreads();
  }
  for (unsigned I = 0; I < PerThread; ++I)
    for (unsigned J = 0; J < PerThread; ++J)
      C[(Row + TY * PerThread + I) * N + Column + TX * PerThread + J] =
          Sum[I][J];
}

extern "C" __global__ void gemm_bytes(const int *A, const int *B, int *C,
                                      unsigned N, unsigned Words) {
  unsigned Column = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Row = blockIdx.y * blockDim.y + threadIdx.y;
  if (Row >= N || Column >= N)
    return;
  int Sum = 0;
  for (unsigned K = 0; K < Words; ++K)
    Sum = __dp4a(A[Row * Words + K], B[Column * Words + K], Sum);
  C[Row * N + Column] = Sum;
}
