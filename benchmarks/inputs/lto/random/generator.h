//===- generator.h - A random generator -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A random generator with its state behind a pointer.
//
//===----------------------------------------------------------------------===//

struct Generator {
  unsigned A, B, C, D, Counter;
};
__device__ void seed(Generator *G, unsigned Value);
__device__ unsigned next(Generator *G);
__device__ float uniform(Generator *G);
