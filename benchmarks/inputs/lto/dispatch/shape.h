//===- shape.h - Virtual functions ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Classes with virtual functions, each in a file of its own.
//
//===----------------------------------------------------------------------===//

struct Shape {
  float Size;
  __device__ Shape(float Size) : Size(Size) {}
  __device__ virtual float area(float Scale) const = 0;
  __device__ virtual float grow(float By) const = 0;
};
struct Square : Shape {
  __device__ Square(float Size);
  __device__ float area(float Scale) const override;
  __device__ float grow(float By) const override;
};
struct Circle : Shape {
  __device__ Circle(float Size);
  __device__ float area(float Scale) const override;
  __device__ float grow(float By) const override;
};
