//===- ProgramPasses.h - Passes over whole programs -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over LLVM IR that look at all of a module; private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_PROGRAMPASSES_H
#define HEDDLE_LIB_COMPILER_PROGRAMPASSES_H

#include "llvm/IR/PassManager.h"

namespace heddle::compiler {

/// Makes address arithmetic on the integer of a pointer arithmetic on the
/// pointer.
struct RecoverPointersPass : llvm::PassInfoMixin<RecoverPointersPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &);
};

/// Makes calls through pointers choices of direct calls. The module must be all
/// of the program.
struct PromotePointerCallsPass : llvm::PassInfoMixin<PromotePointerCallsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Says of calls through pointers what is true of all functions that they can
/// reach. The module must have all of those.
struct DescribePointerCallsPass
    : llvm::PassInfoMixin<DescribePointerCallsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_PROGRAMPASSES_H
