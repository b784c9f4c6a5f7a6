//===- CloseLoops.cpp - Results of loops without the loops ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loop strength reduction replaces what a loop counts for others alone by a
// formula, mostly a division, though then it is too late to remove the loop and
// to call the device library. This does the same earlier.
//
//===----------------------------------------------------------------------===//

#include "ProgramPasses.h"

#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace heddle::compiler {

PreservedAnalyses CloseLoopsPass::run(Loop &L, LoopAnalysisManager &,
                                      LoopStandardAnalysisResults &AR,
                                      LPMUpdater &) {
  SCEVExpander Expander(AR.SE, "closed");
  SmallVector<WeakTrackingVH, 16> Dead;
  if (!rewriteLoopExitValues(&L, &AR.LI, &AR.TLI, &AR.SE, &AR.TTI, Expander,
                             &AR.DT, UnusedIndVarInLoop, Dead))
    return PreservedAnalyses::all();
  Expander.clear();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead, &AR.TLI);
  return getLoopPassPreservedAnalyses();
}

} // namespace heddle::compiler
