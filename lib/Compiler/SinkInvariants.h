//===- SinkInvariants.h - Computing again in loops --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass over LLVM IR; private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_SINKINVARIANTS_H
#define HEDDLE_LIB_COMPILER_SINKINVARIANTS_H

#include "llvm/IR/PassManager.h"

namespace heddle::compiler {

/// Computes values in the loops that need them, in front of their uses, where a
/// few instructions do that from fewer registers than the values take.
struct SinkInvariantsPass : llvm::PassInfoMixin<SinkInvariantsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_SINKINVARIANTS_H
