//===- boxes.cu - Rays and boxes --------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rays against a list of boxes, nearly all of which they miss; a hit is
// shaded.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void boxes(const float4 *__restrict__ Low,
                                 const float4 *__restrict__ High,
                                 const float *__restrict__ Rays,
                                 float *__restrict__ Out, int Boxes,
                                 int Lights) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  float OX = Rays[3 * I], OY = Rays[3 * I + 1], OZ = Rays[3 * I + 2];
  float DX = 1.0f / (0.25f + OY * OY), DY = 1.0f / (0.5f + OX * OX);
  float DZ = 1.0f / (0.125f + OZ * OZ);
  float Nearest = 1e30f, Shade = 0;
  for (int B = 0; B < Boxes; ++B) {
    float4 L = Low[B], H = High[B];
    float X0 = (L.x - OX) * DX, X1 = (H.x - OX) * DX;
    float Y0 = (L.y - OY) * DY, Y1 = (H.y - OY) * DY;
    float Z0 = (L.z - OZ) * DZ, Z1 = (H.z - OZ) * DZ;
    float Enter = fmaxf(fmaxf(fminf(X0, X1), fminf(Y0, Y1)), fminf(Z0, Z1));
    float Leave = fminf(fminf(fmaxf(X0, X1), fmaxf(Y0, Y1)), fmaxf(Z0, Z1));
    if (Enter <= Leave && Leave > 0 && Enter < Nearest) {
      Nearest = Enter;
      Shade = 0;
      for (int J = 0; J < Lights; ++J) {
        float PX = OX + Enter / DX - J, PY = OY + Enter / DY + J;
        float PZ = OZ + Enter / DZ - 2 * J;
        float Square = PX * PX + PY * PY + PZ * PZ;
        Shade += L.w * H.w / (1.0f + sqrtf(Square) * Square);
      }
    }
  }
  Out[I] = Nearest + Shade;
}
