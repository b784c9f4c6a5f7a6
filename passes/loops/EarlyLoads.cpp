//===- EarlyLoads.cpp - Loads early, and what they leave --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hoists and pipelines loads as the plan of a function says, and cleans up
// where any load moved.
//
//===----------------------------------------------------------------------===//

#include "passes/loops/Passes.h"
#include "passes/scalar/Passes.h"

#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace heddle::passes {

PreservedAnalyses EarlyLoadsPass::run(Function &F,
                                      FunctionAnalysisManager &AM) {
  PreservedAnalyses All = PreservedAnalyses::all();
  auto Changes = [&](auto Pass) {
    PreservedAnalyses PA = Pass.run(F, AM);
    AM.invalidate(F, PA);
    All.intersect(PA);
    return !PA.areAllPreserved();
  };
  Changes(MakeSwitchDefaultReachablePass());
  bool Moved = Changes(HoistLoadsPass());
  Changes(LoopSimplifyPass());
  Moved |= Changes(PipelineLoadsPass());
  if (Moved) {
    Changes(EarlyCSEPass(/*UseMemorySSA=*/true));
    Changes(CombineInstructionsPass());
  }
  return All;
}

} // namespace heddle::passes
