//===- Graphs.cpp - What kernels tell graphs --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of CUDA's device runtime that kernels in graphs call.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

using GlobalWord = __attribute__((address_space(1))) unsigned;

/// The handle of a condition is the address of its value.
HEDDLE_DEVICE_INLINE void cudaGraphSetConditional(unsigned long long Handle,
                                                  unsigned Value) {
  *reinterpret_cast<GlobalWord *>(Handle) = Value;
}
