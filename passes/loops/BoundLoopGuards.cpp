//===- BoundLoopGuards.cpp - What scalar evolution may see ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To count the iterations of a loop, scalar evolution collects the conditions
// of all branches that lead to it, from block to block as long as there is one
// way only, and combines what they say: the ends of all loops in front of it,
// which takes time that grows with the cube of their number. It stops at a
// block that two edges lead to. A branch with two of them to one block, behind
// each so many loops, says nothing else, and goes when the passes are done.
//
//===----------------------------------------------------------------------===//

#include "passes/loops/BoundLoopGuards.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace heddle::passes {

/// Loops behind each other that are seen together.
static constexpr size_t Together = 32;

bool hasManyLoops(ArrayRef<Loop *> Loops, size_t Limit) {
  return Loops.size() > Limit || any_of(Loops, [&](const Loop *L) {
           return hasManyLoops(L->getSubLoops(), Limit);
         });
}

/// The blocks behind each so many of the loops, of which the last is first, and
/// of those inside of them.
static void collectBorders(ArrayRef<Loop *> Loops,
                           SmallSetVector<BasicBlock *, 16> &Borders) {
  for (auto [I, L] : enumerate(reverse(Loops))) {
    if (BasicBlock *Exit = L->getUniqueExitBlock();
        Exit && I % Together == Together - 1 &&
        isa<BranchInst>(Exit->getTerminator()))
      Borders.insert(Exit);
    collectBorders(L->getSubLoops(), Borders);
  }
}

static void divide(BasicBlock &Border) {
  Instruction *End = Border.getTerminator();
  BasicBlock *Rest = SplitBlock(&Border, End->getIterator());
  BranchInst *ToRest = cast<BranchInst>(Border.getTerminator());
  BranchInst::Create(Rest, Rest, ConstantInt::getFalse(Border.getContext()),
                     ToRest->getIterator());
  ToRest->eraseFromParent();
}

/// Removes the branches with two edges to one block, with that block.
static bool joinBlocks(Function &F) {
  bool Changed = false;
  for (BasicBlock &B : make_early_inc_range(F)) {
    auto *Branch = dyn_cast<BranchInst>(B.getTerminator());
    if (!Branch || !Branch->isConditional() ||
        Branch->getSuccessor(0) != Branch->getSuccessor(1))
      continue;
    BasicBlock *Next = Branch->getSuccessor(0);
    Next->removePredecessor(&B);
    BranchInst::Create(Next, Branch->getIterator());
    Branch->eraseFromParent();
    Changed = true;
  }
  if (Changed)
    for (BasicBlock &B : make_early_inc_range(F))
      MergeBlockIntoPredecessor(&B);
  return Changed;
}

PreservedAnalyses WithBoundedLoopGuards::run(Function &F,
                                             FunctionAnalysisManager &AM) {
  if (F.size() <= Together ||
      !hasManyLoops(AM.getResult<LoopAnalysis>(F).getTopLevelLoops(), Together))
    return Passes.run(F, AM);
  // Exits in blocks of their own, which passes over loops need anyway.
  AM.invalidate(F, LoopSimplifyPass().run(F, AM));
  SmallSetVector<BasicBlock *, 16> Borders;
  collectBorders(AM.getResult<LoopAnalysis>(F).getTopLevelLoops(), Borders);
  for (BasicBlock *Border : Borders)
    divide(*Border);
  AM.invalidate(F, PreservedAnalyses::none());
  Passes.run(F, AM);
  joinBlocks(F);
  return PreservedAnalyses::none();
}

} // namespace heddle::passes
