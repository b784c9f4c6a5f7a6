//===- PrepareLoopDeletion.cpp - Results without loops ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loop strength reduction replaces what a loop counts for others alone by a
// formula, mostly a division, though then it is too late to remove the loop and
// to call the device library. This does the same earlier, where nothing keeps
// the loop: for one that stays, a division is more work than counting.
//
// A loop without effect that has a way out is said to end, so that it is
// removed even where the number of iterations is not known
// (docs/decisions/0010-loops-without-effect-end.md).
//
//===----------------------------------------------------------------------===//

#include "passes/loops/Passes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace heddle::passes {

/// Whether S is known before L, without a division of 64 bits: that is a call,
/// and a hundred instructions.
static bool isFormula(const SCEV *S, const Loop &L, ScalarEvolution &SE) {
  return SE.isLoopInvariant(S, &L) &&
         !SCEVExprContains(S, [](const SCEV *Part) {
           return isa<SCEVUDivExpr>(Part) &&
                  Part->getType()->getIntegerBitWidth() > 32;
         });
}

/// Whether what V is made of in L is loaded there, for all that is seen of it
/// in a few steps: then scalar evolution need not be asked, which looks at all
/// conditions in front of L.
static bool isLoaded(Value *V, const Loop &L) {
  constexpr unsigned MaxSteps = 32;
  SmallSetVector<Instruction *, 8> Made;
  auto Add = [&](Value *Part) {
    if (auto *I = dyn_cast<Instruction>(Part); I && L.contains(I))
      Made.insert(I);
  };
  Add(V);
  for (unsigned I = 0; I != Made.size() && I != MaxSteps; ++I) {
    if (isa<LoadInst>(Made[I]))
      return true;
    for_each(Made[I]->operand_values(), Add);
  }
  return false;
}

/// Whether nothing but results is needed of L, and all of them have a formula.
static bool canGo(const Loop &L, ScalarEvolution &SE) {
  for (const BasicBlock *B : L.blocks())
    if (any_of(*B, [](const Instruction &I) { return I.mayHaveSideEffects(); }))
      return false;
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  for (BasicBlock *Exit : Exits)
    for (PHINode &Result : Exit->phis())
      for (Value *V : Result.incoming_values())
        if (!L.isLoopInvariant(V) &&
            (isLoaded(V, L) || !SE.isSCEVable(V->getType()) ||
             !isFormula(SE.getSCEVAtScope(V, L.getParentLoop()), L, SE)))
          return false;
  return true;
}

/// Says of L, which has no effect, that it ends. One without a way out may be
/// what keeps a thread, and stays.
static void assumeEnd(Loop &L) {
  if (!L.hasNoExitBlocks())
    addStringMetadataToLoop(&L, "llvm.loop.mustprogress", /*V=*/1);
}

PreservedAnalyses PrepareLoopDeletionPass::run(Loop &L, LoopAnalysisManager &,
                                               LoopStandardAnalysisResults &AR,
                                               LPMUpdater &) {
  if (!canGo(L, AR.SE))
    return PreservedAnalyses::all();
  assumeEnd(L);
  SCEVExpander Expander(AR.SE, "closed");
  SmallVector<WeakTrackingVH, 16> Dead;
  if (!rewriteLoopExitValues(&L, &AR.LI, &AR.TLI, &AR.SE, &AR.TTI, Expander,
                             &AR.DT, UnusedIndVarInLoop, Dead))
    return PreservedAnalyses::all();
  Expander.clear();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead, &AR.TLI);
  return getLoopPassPreservedAnalyses();
}

} // namespace heddle::passes
