//===- VectorizeAccesses.h - Neighbouring accesses joined -------*- C++ -*-===//
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

#ifndef HEDDLE_LIB_COMPILER_VECTORIZEACCESSES_H
#define HEDDLE_LIB_COMPILER_VECTORIZEACCESSES_H

#include "llvm/IR/PassManager.h"

namespace heddle::compiler {

/// Joins loads and stores of neighbouring places to wider ones, and makes a
/// remark of each.
struct VectorizeAccessesPass : llvm::PassInfoMixin<VectorizeAccessesPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_VECTORIZEACCESSES_H
