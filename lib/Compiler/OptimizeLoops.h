//===- OptimizeLoops.h - Passes over loops of some functions ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes over all of LLVM IR share with those for profiles; private to
// lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_OPTIMIZELOOPS_H
#define HEDDLE_LIB_COMPILER_OPTIMIZELOOPS_H

#include "llvm/IR/PassManager.h"

namespace heddle::compiler {

/// Runs passes on the functions of which a condition holds.
struct PassesWhere : llvm::PassInfoMixin<PassesWhere> {
  using Condition = bool (*)(const llvm::Function &);
  PassesWhere(Condition Holds, llvm::FunctionPassManager Passes)
      : Holds(Holds), Passes(std::move(Passes)) {}
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM) {
    return Holds(F) ? Passes.run(F, AM) : llvm::PreservedAnalyses::all();
  }
  Condition Holds;
  llvm::FunctionPassManager Passes;
};

/// Starts loads as early as the functions' plans say.
llvm::FunctionPassManager earlyLoads();

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_OPTIMIZELOOPS_H
