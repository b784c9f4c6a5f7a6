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

/// Whether L is one of very many loops inside of each other.
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

  PassT Pass;
};

/// Moves what does not change out of loops, with LLVM's LICM.
llvm::FunctionPassManager hoistInvariants();

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_HOISTINVARIANTS_H
