//===- shapes.cu - Virtual functions ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distances to shapes, most of which are spheres, through virtual functions.
//
//===----------------------------------------------------------------------===//

struct Shape {
  float X, Y, Z, Size;
  __device__ virtual float distance(float PX, float PY, float PZ) const = 0;
};
struct Sphere : Shape {
  __device__ float distance(float PX, float PY, float PZ) const override {
    float DX = PX - X, DY = PY - Y, DZ = PZ - Z;
    return sqrtf(DX * DX + DY * DY + DZ * DZ) - Size;
  }
};
struct Box : Shape {
  __device__ float distance(float PX, float PY, float PZ) const override {
    float DX = fabsf(PX - X) - Size, DY = fabsf(PY - Y) - Size;
    float DZ = fabsf(PZ - Z) - Size;
    return fmaxf(DX, fmaxf(DY, DZ));
  }
};
struct Torus : Shape {
  __device__ float distance(float PX, float PY, float PZ) const override {
    float DX = PX - X, DY = PY - Y, DZ = PZ - Z;
    float Q = sqrtf(DX * DX + DZ * DZ) - Size;
    return sqrtf(Q * Q + DY * DY) - 0.25f * Size;
  }
};

extern "C" __global__ void shapes(const float4 *__restrict__ Places,
                                  const unsigned *__restrict__ Kinds,
                                  const float *__restrict__ Points,
                                  float *__restrict__ Out, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Sphere S;
  Box B;
  Torus T;
  float Least = 1e30f;
  float PX = Points[I], PY = 0.5f * PX, PZ = PX * PX;
  for (int N = 0; N < Count; ++N) {
    unsigned Kind = Kinds[N];
    Shape *Each = Kind == 0   ? static_cast<Shape *>(&S)
                  : Kind == 1 ? static_cast<Shape *>(&B)
                              : &T;
    float4 Place = Places[N];
    Each->X = Place.x;
    Each->Y = Place.y;
    Each->Z = Place.z;
    Each->Size = Place.w;
    Least = fminf(Least, Each->distance(PX, PY, PZ));
  }
  Out[I] = Least;
}
