//===- HoistInvariants.h - LICM in linear time ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over LLVM IR; private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_HOISTINVARIANTS_H
#define HEDDLE_LIB_COMPILER_HOISTINVARIANTS_H

#include "llvm/Transforms/Scalar/LoopPassManager.h"

namespace heddle::compiler {

/// Whether very many loops are inside of each other inside of L.
bool holdsDeepLoops(const llvm::Loop &L);

/// A pass over those loops that have not very many inside of each other: each
/// is searched with all that are inside of it.
template <typename PassT>
struct FlatLoopPass : llvm::PassInfoMixin<FlatLoopPass<PassT>> {
  explicit FlatLoopPass(PassT Pass) : Pass(std::move(Pass)) {}

  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &AM,
                              llvm::LoopStandardAnalysisResults &AR,
                              llvm::LPMUpdater &U) {
    return holdsDeepLoops(L) ? llvm::PreservedAnalyses::all()
                             : Pass.run(L, AM, AR, U);
  }

  PassT Pass;
};

/// Moves what does not change out of loops, with LLVM's LICM.
llvm::FunctionPassManager hoistInvariants();

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_HOISTINVARIANTS_H
