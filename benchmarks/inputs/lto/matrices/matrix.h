//===- matrix.h - Small matrices --------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small matrices, passed by address.
//
//===----------------------------------------------------------------------===//

struct Matrix {
  float M[3][3];
};
__device__ void identity(Matrix *R);
__device__ void multiply(const Matrix *A, const Matrix *B, Matrix *R);
__device__ void transpose(const Matrix *A, Matrix *R);
__device__ float trace(const Matrix *A);
