//===- bitonic.cu - Bitonic sort --------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA sorts a tile in shared memory; larger steps compare across tiles in
// global memory. The host launches the network's steps one after the other, so
// the number of keys must be a power of two and a multiple of the tile.
//
//===----------------------------------------------------------------------===//

constexpr unsigned Tile = 256; // keys; a CTA has half as many threads

static __device__ void order(unsigned &A, unsigned &B, bool Ascending) {
  if ((A > B) == Ascending) {
    unsigned Old = A;
    A = B;
    B = Old;
  }
}

/// The steps of distance \p Distance and below on the tile in shared memory.
/// \p First is the tile's first key in the whole array.
static __device__ void mergeTile(unsigned *Keys, unsigned First,
                                 unsigned Length, unsigned Distance) {
  for (; Distance; Distance /= 2) {
    __syncthreads();
    unsigned Low = 2 * threadIdx.x - (threadIdx.x & (Distance - 1));
    bool Ascending = ((First + Low) & Length) == 0;
    order(Keys[Low], Keys[Low + Distance], Ascending);
  }
}

/// Sorts every tile, upwards and downwards in turn.
extern "C" __global__ void bitonic_sort_tiles(unsigned *Data) {
  __shared__ unsigned Keys[Tile];
  unsigned First = blockIdx.x * Tile, T = threadIdx.x;
  Keys[T] = Data[First + T];
  Keys[T + Tile / 2] = Data[First + T + Tile / 2];
  for (unsigned Length = 2; Length <= Tile; Length *= 2)
    mergeTile(Keys, First, Length, Length / 2);
  __syncthreads();
  Data[First + T] = Keys[T];
  Data[First + T + Tile / 2] = Keys[T + Tile / 2];
}

/// One step of a merge of sequences of \p Length keys, in global memory.
extern "C" __global__ void bitonic_step(unsigned *Data, unsigned Length,
                                        unsigned Distance) {
  unsigned T = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Low = 2 * T - (T & (Distance - 1));
  order(Data[Low], Data[Low + Distance], (Low & Length) == 0);
}

/// The steps of a merge that stay inside a tile.
extern "C" __global__ void bitonic_merge_tiles(unsigned *Data,
                                               unsigned Length) {
  __shared__ unsigned Keys[Tile];
  unsigned First = blockIdx.x * Tile, T = threadIdx.x;
  Keys[T] = Data[First + T];
  Keys[T + Tile / 2] = Data[First + T + Tile / 2];
  mergeTile(Keys, First, Length, Tile / 2);
  __syncthreads();
  Data[First + T] = Keys[T];
  Data[First + T + Tile / 2] = Keys[T + Tile / 2];
}
