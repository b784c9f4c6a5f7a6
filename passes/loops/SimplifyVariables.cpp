//===- SimplifyVariables.cpp - Induction variables --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's simplification of induction variables, for loops with one exit or a
// known trip count. Of other loops it would compute the values that leave by
// the last exit from the bound. The bound is then kept in a register, and that
// exit needs a block.
//
//===----------------------------------------------------------------------===//

#include "passes/loops/Passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"

using namespace llvm;

namespace heddle::passes {

PreservedAnalyses SimplifyVariablesPass::run(Loop &L, LoopAnalysisManager &AM,
                                             LoopStandardAnalysisResults &AR,
                                             LPMUpdater &Updater) {
  if (!L.getExitingBlock() && !AR.SE.getSmallConstantTripCount(&L))
    return PreservedAnalyses::all();
  return IndVarSimplifyPass().run(L, AM, AR, Updater);
}

} // namespace heddle::passes
