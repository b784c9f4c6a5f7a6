//===- activation.h - Functions in a table ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that are chosen from a table in another file.
//
//===----------------------------------------------------------------------===//

typedef float (*Activation)(float);
extern __device__ Activation Activations[4];
