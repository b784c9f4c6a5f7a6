//===- LoopCounters.cpp - Counters that threads keep in loops ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads have counted is added up where they are together again, so that
// a warp whose threads leave a loop one after the other adds once.
//
//===----------------------------------------------------------------------===//

#include "passes/pgo/LoopCounters.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

#include "heddle/Support/AddressSpace.h"

using namespace llvm;

namespace heddle::passes {

bool mayEndInCalls(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.getIntrinsicID() == Intrinsic::nvvm_exit
               ? !F.use_empty()
               : F.isDeclaration() && !F.isIntrinsic() &&
                     !F.getName().starts_with("__heddle_");
  });
}

static bool callsOthers(const BasicBlock *Block) {
  return any_of(*Block, [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Call && (!Callee || (!Callee->isIntrinsic() &&
                                !Callee->getName().starts_with("__heddle_")));
  });
}

AllocaInst *createVariable(Function &F) {
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  AllocaInst *New = B.CreateAlloca(B.getInt32Ty(), addrspace::Local);
  B.CreateStore(B.getInt32(0), New);
  return New;
}

//===----------------------------------------------------------------------===//
// Meeting places
//===----------------------------------------------------------------------===//

MeetingPlaces::MeetingPlaces(Function &F)
    : Dominators(F), Info(Dominators), PostDominators(F),
      CanEndUnseen(
          mayEndInCalls(*F.getParent()) &&
          any_of(F, [](const BasicBlock &B) { return callsOthers(&B); })) {}

BasicBlock *MeetingPlaces::behind(const Loop &L) const {
  SmallVector<BasicBlock *> Exits;
  L.getUniqueExitBlocks(Exits);
  if (Exits.empty() || CanEndUnseen)
    return nullptr;
  BasicBlock *Common = Exits.front();
  for (BasicBlock *Exit : drop_begin(Exits))
    if (Common)
      Common = PostDominators.findNearestCommonDominator(Common, Exit);
  while (Common && Info.getLoopDepth(Common) >= L.getLoopDepth()) {
    const DomTreeNode *Next = PostDominators.getNode(Common)->getIDom();
    Common = Next ? Next->getBlock() : nullptr;
  }
  if (!Common || (L.getParentLoop() && !L.getParentLoop()->contains(Common)))
    return nullptr;
  // What threads did in an earlier stay must have been added before.
  SmallPtrSet<BasicBlock *, 1> Passed{Common};
  for (BasicBlock *Exit : Exits)
    if (Exit != Common && isPotentiallyReachable(Exit, L.getHeader(), &Passed,
                                                 &Dominators, &Info))
      return nullptr;
  return Common;
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

LoopCounters::LoopCounters(Function &F)
    : F(F), Meetings(F), CanEndUnseen(mayEndInCalls(*F.getParent())) {}

AllocaInst *LoopCounters::variableAt(const BasicBlock &Place,
                                     uint64_t Counter) {
  Loop *Inner = Meetings.loops().getLoopFor(&Place);
  if (!Inner)
    return nullptr;
  Loop *L = Inner->getOutermostLoop();
  if (CanEndUnseen && any_of(L->blocks(), callsOthers))
    return nullptr;
  MapVector<uint64_t, AllocaInst *> &Of = Variables[L];
  if (AllocaInst *Known = Of.lookup(Counter))
    return Known;
  if (Of.size() >= (Inner->isInnermost() ? Most : MostOutside))
    return nullptr;
  return Of[Counter] = createVariable(F);
}

SmallVector<BasicBlock *> LoopCounters::placesToFlush(const Loop &L) {
  if (BasicBlock *Common = Meetings.behind(L))
    return {Common};
  SmallVector<BasicBlock *> Exits;
  L.getUniqueExitBlocks(Exits);
  return Exits;
}

void LoopCounters::flush(
    function_ref<void(IRBuilder<> &, ArrayRef<Count>)> Flush) {
  for (auto &[L, Of] : Variables)
    for (BasicBlock *Place : placesToFlush(*L)) {
      IRBuilder<> B(&*Place->getFirstInsertionPt());
      SmallVector<Count> Counts;
      for (auto [Counter, Variable] : Of)
        Counts.push_back({Counter, B.CreateLoad(B.getInt32Ty(), Variable)});
      // Other ways may lead from here to another of the places.
      for (auto [Counter, Variable] : Of)
        B.CreateStore(B.getInt32(0), Variable);
      Flush(B, Counts);
    }
}

} // namespace heddle::passes
