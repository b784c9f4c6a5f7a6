//===- polynomial.h - Templates in every file -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Templates that every file instantiates for itself.
//
//===----------------------------------------------------------------------===//

template <int Degree> struct Polynomial {
  static __device__ __noinline__ float term(float C, float X, float Rest) {
    return C + X * Rest;
  }
  static __device__ __noinline__ float value(const float *C, float X) {
    return term(C[0], X, Polynomial<Degree - 1>::value(C + 1, X));
  }
};
template <> struct Polynomial<0> {
  static __device__ __noinline__ float value(const float *C, float) {
    return C[0];
  }
};
