//===- DivideSwitches.h - Large jumps in two steps --------------*- C++ -*-===//
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

#ifndef HEDDLE_LIB_COMPILER_DIVIDESWITCHES_H
#define HEDDLE_LIB_COMPILER_DIVIDESWITCHES_H

#include "llvm/IR/PassManager.h"

namespace heddle::compiler {

/// Makes two jumps of one to very many places that are numbered without gaps:
/// one by the upper bits of the number, behind it one by the number.
struct DivideSwitchesPass : llvm::PassInfoMixin<DivideSwitchesPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_DIVIDESWITCHES_H
