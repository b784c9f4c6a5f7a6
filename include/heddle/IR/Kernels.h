//===- Kernels.h - Which functions are kernels ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels have a calling convention of their own in LLVM IR.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IR_KERNELS_H
#define HEDDLE_IR_KERNELS_H

#include "llvm/IR/Function.h"

namespace heddle::ir {

/// Whether \p G is a kernel, with a body or without.
inline bool isKernel(const llvm::GlobalValue &G) {
  const auto *F = llvm::dyn_cast<llvm::Function>(&G);
  return F && F->getCallingConv() == llvm::CallingConv::PTX_Kernel;
}

/// Whether \p G is a kernel with a body.
inline bool isDefinedKernel(const llvm::GlobalValue &G) {
  return isKernel(G) && !G.isDeclaration();
}

} // namespace heddle::ir

#endif // HEDDLE_IR_KERNELS_H
