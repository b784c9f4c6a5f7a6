//===- vec.h - Functions on vectors -----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library of small functions on vectors, as device code in another file.
//
//===----------------------------------------------------------------------===//

struct Vec {
  float X, Y, Z;
};
__device__ Vec add(Vec A, Vec B);
__device__ Vec subtract(Vec A, Vec B);
__device__ Vec scale(Vec A, float S);
__device__ float dot(Vec A, Vec B);
__device__ Vec cross(Vec A, Vec B);
__device__ float lengthOf(Vec A);
__device__ Vec reflect(Vec A, Vec Normal);
