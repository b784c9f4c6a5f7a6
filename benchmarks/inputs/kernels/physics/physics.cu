//===- physics.cu - Simulations ---------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lattice Boltzmann step, particles with cells, waves and heat in double precision.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void lattice(const float *In, float *Out, unsigned Width,
                                   unsigned Height, float Rate) {
  unsigned X = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X >= Width || Y >= Height)
    return;
  constexpr int CX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  constexpr int CY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  constexpr float Weight[9] = {4.f / 9,  1.f / 9,  1.f / 9,
                               1.f / 9,  1.f / 9,  1.f / 36,
                               1.f / 36, 1.f / 36, 1.f / 36};
  float F[9], Density = 0, UX = 0, UY = 0;
  unsigned Plane = Width * Height;
#pragma unroll
  for (int I = 0; I < 9; ++I) {
    unsigned FromX = (X + Width - CX[I]) % Width;
    unsigned FromY = (Y + Height - CY[I]) % Height;
    F[I] = In[I * Plane + FromY * Width + FromX];
    Density += F[I];
    UX += CX[I] * F[I];
    UY += CY[I] * F[I];
  }
  UX /= Density;
  UY /= Density;
  float Square = 1.5f * (UX * UX + UY * UY);
#pragma unroll
  for (int I = 0; I < 9; ++I) {
    float Along = 3 * (CX[I] * UX + CY[I] * UY);
    float Rest = Weight[I] * Density * (1 + Along + Along * Along / 2 - Square);
    Out[I * Plane + Y * Width + X] = F[I] + Rate * (Rest - F[I]);
  }
}

extern "C" __global__ void lennard_jones(const float4 *Places,
                                         const int *Starts, const int *Near,
                                         float4 *Forces, unsigned Count,
                                         float Cutoff) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  float4 P = Places[I];
  float FX = 0, FY = 0, FZ = 0, Energy = 0;
  for (int J = Starts[I]; J < Starts[I + 1]; ++J) {
    float4 O = Places[Near[J]];
    float DX = P.x - O.x, DY = P.y - O.y, DZ = P.z - O.z;
    float Square = DX * DX + DY * DY + DZ * DZ;
    if (Square >= Cutoff || Square == 0)
      continue;
    float Inverse = 1 / Square, Six = Inverse * Inverse * Inverse;
    float Force = 48 * Inverse * Six * (Six - 0.5f);
    FX += Force * DX;
    FY += Force * DY;
    FZ += Force * DZ;
    Energy += 4 * Six * (Six - 1);
  }
  Forces[I] = make_float4(FX, FY, FZ, Energy);
}

extern "C" __global__ void wave3d(const double *Now, const double *Before,
                                  double *Next, int NX, int NY, int NZ,
                                  double Factor) {
  int X = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int Y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (X >= NX - 1 || Y >= NY - 1)
    return;
  for (int Z = 1; Z < NZ - 1; ++Z) {
    int I = (Z * NY + Y) * NX + X;
    double Sum = Now[I - 1] + Now[I + 1] + Now[I - NX] + Now[I + NX] +
                 Now[I - NX * NY] + Now[I + NX * NY] - 6 * Now[I];
    Next[I] = 2 * Now[I] - Before[I] + Factor * Sum;
  }
}

extern "C" __global__ void integrate(double2 *Place, double2 *Speed,
                                     const double2 *Force, unsigned Count,
                                     double Step) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  double2 P = Place[I], V = Speed[I], F = Force[I];
  V.x += Step * F.x;
  V.y += Step * F.y;
  P.x += Step * V.x;
  P.y += Step * V.y;
  double Length = sqrt(P.x * P.x + P.y * P.y);
  if (Length > 1) {
    P.x /= Length;
    P.y /= Length;
  }
  Place[I] = P;
  Speed[I] = V;
}
