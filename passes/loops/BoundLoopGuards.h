//===- BoundLoopGuards.h - What scalar evolution may see --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop is told of loops in front of it ends after so many of them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_LOOPS_BOUNDLOOPGUARDS_H
#define HEDDLE_PASSES_LOOPS_BOUNDLOOPGUARDS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace heddle::passes {

/// Whether more than Limit loops are behind each other among Loops, or inside
/// of one of them.
bool hasManyLoops(llvm::ArrayRef<llvm::Loop *> Loops, size_t Limit);

/// Passes over loops, with loops that have very many others in front of them
/// separated from those.
class WithBoundedLoopGuards
    : public llvm::PassInfoMixin<WithBoundedLoopGuards> {
public:
  explicit WithBoundedLoopGuards(llvm::FunctionPassManager Passes)
      : Passes(std::move(Passes)) {}

  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);

  /// Prints `bounded-guards(passes)`.
  void printPipeline(
      llvm::raw_ostream &OS,
      llvm::function_ref<llvm::StringRef(llvm::StringRef)> NameOfClass) {
    OS << "bounded-guards(";
    Passes.printPipeline(OS, NameOfClass);
    OS << ')';
  }

private:
  llvm::FunctionPassManager Passes;
};

} // namespace heddle::passes

#endif // HEDDLE_PASSES_LOOPS_BOUNDLOOPGUARDS_H
