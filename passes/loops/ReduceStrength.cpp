//===- ReduceStrength.cpp - Values of loops in steps ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's loop strength reduction makes steps of what is multiplied in a loop. A
// step takes a register. Where threads share the iterations of an inner loop,
// each thread has few of them, and the steps would be computed anew for each
// iteration of the outer loop.
//
//===----------------------------------------------------------------------===//

#include "passes/loops/Passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Transforms/Scalar/LoopStrengthReduce.h"

using namespace llvm;

namespace heddle::passes {

/// Whether every induction variable of \p L steps by a value of the program.
static bool isShared(const Loop &L, ScalarEvolution &SE) {
  bool Any = false;
  for (PHINode &Phi : L.getHeader()->phis()) {
    if (!SE.isSCEVable(Phi.getType()))
      continue;
    const auto *Steps = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
    if (!Steps || Steps->getLoop() != &L)
      continue;
    if (isa<SCEVConstant>(Steps->getStepRecurrence(SE)))
      return false;
    Any = true;
  }
  return Any;
}

PreservedAnalyses ReduceStrengthPass::run(Loop &L, LoopAnalysisManager &AM,
                                          LoopStandardAnalysisResults &AR,
                                          LPMUpdater &Updater) {
  if (L.getParentLoop() && isShared(L, AR.SE))
    return PreservedAnalyses::all();
  return LoopStrengthReducePass().run(L, AM, AR, Updater);
}

} // namespace heddle::passes
