//===- faces.cu - Polygons that mostly have four corners --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The area and the middle of each face of a mesh. How many corners a face has
// is loaded; most meshes have long runs of one number.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void faces(const unsigned *__restrict__ First,
                                 const unsigned *__restrict__ Corners,
                                 const unsigned *__restrict__ Corner,
                                 const float *__restrict__ X,
                                 const float *__restrict__ Y,
                                 float *__restrict__ Out, unsigned Count) {
  unsigned Face = blockIdx.x * blockDim.x + threadIdx.x;
  if (Face >= Count)
    return;
  const unsigned *C = Corner + First[Face];
  unsigned N = Corners[Face];
  unsigned Last = C[N - 1];
  float X0 = X[Last], Y0 = Y[Last], Area = 0, MX = 0, MY = 0;
#pragma unroll 1
  for (unsigned I = 0; I < N; ++I) {
    float X1 = X[C[I]], Y1 = Y[C[I]];
    Area += X0 * Y1 - X1 * Y0;
    MX += X1;
    MY += Y1;
    X0 = X1;
    Y0 = Y1;
  }
  Out[3 * Face] = 0.5f * Area;
  Out[3 * Face + 1] = MX / N;
  Out[3 * Face + 2] = MY / N;
}
