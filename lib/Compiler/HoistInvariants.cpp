//===- HoistInvariants.cpp - LICM in linear time ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM does with loops one by one takes the square of how many follow each
// other, since dominators are updated, or are inside of each other, since each
// is searched with those inside of it: the one is done for all at once, the
// other for the inner loops only.
//
//===----------------------------------------------------------------------===//

#include "HoistInvariants.h"

#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle::compiler {

/// Loops of a function that LLVM may see to one by one.
static constexpr size_t MinLoops = 64;

PreservedAnalyses AddPreheadersPass::run(Function &F,
                                         FunctionAnalysisManager &AM) {
  const LoopInfo &LI = AM.getResult<LoopAnalysis>(F);
  SmallVector<std::pair<BasicBlock *, SmallVector<BasicBlock *, 2>>, 0> Headers;
  for (const Loop *L : LI.getLoopsInPreorder()) {
    if (L->getLoopPreheader())
      continue;
    SmallVector<BasicBlock *, 2> Outside;
    for (BasicBlock *Pred : predecessors(L->getHeader()))
      if (!L->contains(Pred) && !is_contained(Outside, Pred))
        Outside.push_back(Pred);
    Headers.push_back({L->getHeader(), std::move(Outside)});
  }
  if (Headers.size() < MinLoops)
    return PreservedAnalyses::all();
  for (const auto &[Header, Outside] : Headers)
    SplitBlockPredecessors(Header, Outside, ".preheader");
  return PreservedAnalyses::none();
}

bool holdsDeepLoops(const Loop &L) {
  constexpr unsigned MaxDepth = 64;
  SmallVector<const Loop *, 16> Level(L.begin(), L.end());
  for (unsigned Depth = 0; Depth != MaxDepth; ++Depth) {
    SmallVector<const Loop *, 16> Inner;
    for (const Loop *Sub : Level)
      Inner.append(Sub->begin(), Sub->end());
    if (Inner.empty())
      return false;
    Level = std::move(Inner);
  }
  return true;
}

FunctionPassManager hoistInvariants() {
  FunctionPassManager FPM;
  FPM.addPass(AddPreheadersPass());
  FPM.addPass(
      createFunctionToLoopPassAdaptor(FlatLoopPass(LICMPass(LICMOptions())),
                                      /*UseMemorySSA=*/true));
  return FPM;
}

} // namespace heddle::compiler
