//===- DeepNests.h - Loops inside of many others ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM does with loops one by one takes more than the square of the depth
// of a nest. These say which loops are in a nest that is too deep for it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_LOOPS_DEEPNESTS_H
#define HEDDLE_PASSES_LOOPS_DEEPNESTS_H

#include "llvm/Transforms/Scalar/LoopPassManager.h"

namespace heddle::passes {

/// Whether \p L is one of very many loops inside of each other.
bool isInDeepNest(const llvm::Loop &L);

/// A pass over those loops that are not among very many inside of each other.
template <typename PassT>
struct FlatLoopPass : llvm::PassInfoMixin<FlatLoopPass<PassT>> {
  explicit FlatLoopPass(PassT Pass) : Pass(std::move(Pass)) {}

  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &AM,
                              llvm::LoopStandardAnalysisResults &AR,
                              llvm::LPMUpdater &U) {
    return isInDeepNest(L) ? llvm::PreservedAnalyses::all()
                           : Pass.run(L, AM, AR, U);
  }

  /// Prints `flat(pass)`.
  void printPipeline(
      llvm::raw_ostream &OS,
      llvm::function_ref<llvm::StringRef(llvm::StringRef)> NameOfClass) {
    OS << "flat(";
    Pass.printPipeline(OS, NameOfClass);
    OS << ')';
  }

  PassT Pass;
};

} // namespace heddle::passes

#endif // HEDDLE_PASSES_LOOPS_DEEPNESTS_H
