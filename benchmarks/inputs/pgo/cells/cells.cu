//===- cells.cu - Cells that mostly have eight corners ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mean, the spread and the sharpness of two fields in the cells of a mesh.
// How many corners a cell has is loaded; most meshes have long runs of one
// number.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void cells(const unsigned *__restrict__ First,
                                 const unsigned *__restrict__ Corners,
                                 const unsigned *__restrict__ Corner,
                                 const float *__restrict__ X,
                                 const float *__restrict__ Y,
                                 float *__restrict__ Out, unsigned Count) {
  unsigned Cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (Cell >= Count)
    return;
  const unsigned *C = Corner + First[Cell];
  unsigned N = Corners[Cell];
  float Sum = 0, Low = 1e30f, High = -1e30f, Last = 0, Sharp = 0;
  for (unsigned I = 0; I < N; ++I) {
    float V = X[C[I]] * Y[C[I]];
    Sum += V;
    Low = fminf(Low, V);
    High = fmaxf(High, V);
    Sharp += fabsf(V - Last);
    Last = V;
  }
  Out[3 * Cell] = Sum / N;
  Out[3 * Cell + 1] = High - Low;
  Out[3 * Cell + 2] = Sharp;
}
