//===- CombineInstructions.h - InstCombine in linear time -------*- C++ -*-===//
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

#ifndef HEDDLE_LIB_COMPILER_COMBINEINSTRUCTIONS_H
#define HEDDLE_LIB_COMPILER_COMBINEINSTRUCTIONS_H

#include "llvm/IR/PassManager.h"

namespace heddle::compiler {

/// LLVM's InstCombine, in a time that does not grow with the square of the
/// branches that test one value.
struct CombineInstructionsPass : llvm::PassInfoMixin<CombineInstructionsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_COMBINEINSTRUCTIONS_H
