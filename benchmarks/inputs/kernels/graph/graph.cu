//===- graph.cu - Graphs and strings ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A level of a breadth-first search, PageRank, edit distance and k-means.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void bfs_level(const int *Starts, const int *Edges,
                                     int *Levels, int *Changed, int Level,
                                     int Count) {
  int V = blockIdx.x * blockDim.x + threadIdx.x;
  if (V >= Count || Levels[V] != Level)
    return;
  for (int E = Starts[V]; E < Starts[V + 1]; ++E)
    if (atomicCAS(&Levels[Edges[E]], -1, Level + 1) == -1)
      *Changed = 1;
}

extern "C" __global__ void page_rank(const int *Starts, const int *Edges,
                                     const float *Ranks, const int *Degrees,
                                     float *Next, int Count, float Damping) {
  int V = blockIdx.x * blockDim.x + threadIdx.x;
  if (V >= Count)
    return;
  float Sum = 0;
  for (int E = Starts[V]; E < Starts[V + 1]; ++E) {
    int From = Edges[E];
    Sum += Ranks[From] / Degrees[From];
  }
  Next[V] = (1 - Damping) / Count + Damping * Sum;
}

extern "C" __global__ void edit_distance(const char *A, const char *B,
                                         unsigned LengthA, unsigned LengthB,
                                         unsigned *Result) {
  extern __shared__ unsigned Rows[];
  unsigned *Two = Rows, *One = Rows + LengthA + 1,
           *Now = Rows + 2 * (LengthA + 1);
  for (unsigned D = 0; D <= LengthA + LengthB; ++D) {
    for (unsigned I = threadIdx.x; I <= LengthA && I <= D; I += blockDim.x) {
      unsigned J = D - I;
      if (J > LengthB)
        continue;
      if (I == 0 || J == 0)
        Now[I] = D;
      else
        Now[I] = min(min(One[I], One[I - 1]) + 1,
                     Two[I - 1] + (A[I - 1] != B[J - 1]));
    }
    __syncthreads();
    unsigned *Old = Two;
    Two = One;
    One = Now;
    Now = Old;
  }
  if (threadIdx.x == 0)
    *Result = One[LengthA];
}

extern "C" __global__ void kmeans(const float *Points, const float *Centers,
                                  int *Nearest, int Count, int K,
                                  int Dimensions) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  float Best = 3.4e38f;
  int Chosen = 0;
  for (int C = 0; C < K; ++C) {
    float Distance = 0;
    for (int D = 0; D < Dimensions; ++D) {
      float Delta = Points[D * Count + I] - Centers[C * Dimensions + D];
      Distance += Delta * Delta;
    }
    if (Distance < Best) {
      Best = Distance;
      Chosen = C;
    }
  }
  Nearest[I] = Chosen;
}
