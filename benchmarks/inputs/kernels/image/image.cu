//===- image.cu - Images ----------------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Colours, a median, a Sobel filter, scaling by two axes and rays on spheres.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void to_gray(const uchar4 *In, unsigned char *Out,
                                   unsigned Count) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  uchar4 C = In[I];
  Out[I] = (C.x * 77 + C.y * 151 + C.z * 28 + 128) >> 8;
}

extern "C" __global__ void sobel(const unsigned char *In, unsigned char *Out,
                                 int Width, int Height) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < 1 || Y < 1 || X >= Width - 1 || Y >= Height - 1)
    return;
  const unsigned char *P = In + Y * Width + X;
  int GX = P[1 - Width] + 2 * P[1] + P[1 + Width] - P[-1 - Width] -
           2 * P[-1] - P[-1 + Width];
  int GY = P[Width - 1] + 2 * P[Width] + P[Width + 1] - P[-Width - 1] -
           2 * P[-Width] - P[-Width + 1];
  Out[Y * Width + X] = min(255, abs(GX) + abs(GY));
}

static __device__ void order(int &A, int &B) {
  int Low = min(A, B);
  B = max(A, B);
  A = Low;
}

extern "C" __global__ void median3(const int *In, int *Out, int Width,
                                   int Height) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < 1 || Y < 1 || X >= Width - 1 || Y >= Height - 1)
    return;
  int V[9];
#pragma unroll
  for (int I = 0; I < 9; ++I)
    V[I] = In[(Y + I / 3 - 1) * Width + X + I % 3 - 1];
#pragma unroll
  for (int I = 0; I < 5; ++I)
#pragma unroll
    for (int J = 8; J > I; --J)
      order(V[J - 1], V[J]);
  Out[Y * Width + X] = V[4];
}

extern "C" __global__ void bilinear(const float *In, float *Out, int Width,
                                    int Height, int OutWidth, int OutHeight) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X >= OutWidth || Y >= OutHeight)
    return;
  float FX = (X + 0.5f) * Width / OutWidth - 0.5f;
  float FY = (Y + 0.5f) * Height / OutHeight - 0.5f;
  int X0 = max(0, (int)floorf(FX)), Y0 = max(0, (int)floorf(FY));
  int X1 = min(Width - 1, X0 + 1), Y1 = min(Height - 1, Y0 + 1);
  float AX = FX - X0, AY = FY - Y0;
  float Top = In[Y0 * Width + X0] * (1 - AX) + In[Y0 * Width + X1] * AX;
  float Bottom = In[Y1 * Width + X0] * (1 - AX) + In[Y1 * Width + X1] * AX;
  Out[Y * OutWidth + X] = Top * (1 - AY) + Bottom * AY;
}

extern "C" __global__ void rays(const float4 *Spheres, int Count,
                                float4 *Pixels, int Width, int Height) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X >= Width || Y >= Height)
    return;
  float DX = (X - Width * 0.5f) / Height, DY = (Y - Height * 0.5f) / Height;
  float Norm = rsqrtf(DX * DX + DY * DY + 1);
  DX *= Norm;
  DY *= Norm;
  float DZ = Norm, Nearest = INFINITY;
  int Hit = -1;
  for (int I = 0; I < Count; ++I) {
    float4 S = Spheres[I];
    float B = S.x * DX + S.y * DY + S.z * DZ;
    float C = S.x * S.x + S.y * S.y + S.z * S.z - S.w * S.w;
    float D = B * B - C;
    if (D < 0)
      continue;
    float T = B - sqrtf(D);
    if (T > 0 && T < Nearest) {
      Nearest = T;
      Hit = I;
    }
  }
  float4 Color = make_float4(0, 0, 0, 0);
  if (Hit >= 0) {
    float4 S = Spheres[Hit];
    float NX = (DX * Nearest - S.x) / S.w, NY = (DY * Nearest - S.y) / S.w,
          NZ = (DZ * Nearest - S.z) / S.w;
    Color = make_float4(NX, NY, NZ, Nearest);
  }
  Pixels[Y * Width + X] = Color;
}
