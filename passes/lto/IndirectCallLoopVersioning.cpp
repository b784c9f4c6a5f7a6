//===- IndirectCallLoopVersioning.cpp - Loops for a target ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A choice among functions in each iteration of a loop costs as much as the
// call through the pointer. Where the pointer is the same in all iterations and
// for all threads of a warp, the choice is made once: the loop is copied for
// each function. Were it not the same for all threads, they would run the
// copies one after another, also the parts that they have in common.
//
//===----------------------------------------------------------------------===//

#include "passes/lto/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle::passes {

namespace {

/// A loop is copied for no more functions than this,
constexpr size_t MaxLoopTargets = 4;
/// and only if it has no more instructions.
constexpr size_t MaxLoopInstructions = 200;

/// A loop that calls one pointer only.
struct LoopCalls {
  Value *Address = nullptr;
  SmallVector<const PointerCall *> Calls;
  bool IsGood = true;
};

/// What a call goes to; PTX makes pointers of integers where it calls.
Value *addressOf(const CallBase &Call) {
  Value *Pointer = Call.getCalledOperand();
  auto *Cast = dyn_cast<IntToPtrInst>(Pointer);
  return Cast ? Cast->getOperand(0) : Pointer;
}

size_t countInstructions(const Loop &L) {
  size_t Count = 0;
  for (const BasicBlock *Block : L.blocks())
    Count += Block->size();
  return Count;
}

/// Values that leave the loop come from its copy, too.
void connectExits(const Loop &L, const ValueToValueMapTy &Map) {
  SmallVector<BasicBlock *> Exits;
  L.getUniqueExitBlocks(Exits);
  auto InCopy = [&](Value *V) {
    auto Found = Map.find(V);
    return Found == Map.end() ? V : static_cast<Value *>(Found->second);
  };
  for (BasicBlock *Exit : Exits)
    for (PHINode &Phi : Exit->phis())
      for (unsigned I = 0, E = Phi.getNumIncomingValues(); I != E; ++I)
        if (L.contains(Phi.getIncomingBlock(I)))
          Phi.addIncoming(InCopy(Phi.getIncomingValue(I)),
                          cast<BasicBlock>(InCopy(Phi.getIncomingBlock(I))));
}

/// A copy of L that runs where the calls go to Target. The loop is simple and
/// closed.
void specialize(Loop &L, const LoopCalls &Loop, const TargetChoice &Which,
                LoopInfo &LI, DominatorTree &DT) {
  Function &Target = *Which.Target;
  BasicBlock *Choice = L.getLoopPreheader();
  BasicBlock *Preheader = SplitBlock(Choice, Choice->getTerminator(), &DT, &LI);
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *> Blocks;
  llvm::Loop *Copy = cloneLoopWithPreheader(
      Preheader, Choice, &L, Map, "." + Target.getName(), &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  IRBuilder<> B(Choice->getTerminator());
  Value *IsTarget = B.CreateICmpEQ(
      Loop.Address, B.CreateBitOrPointerCast(&Target, Loop.Address->getType()));
  BranchInst *Branch =
      BranchInst::Create(Copy->getLoopPreheader(), Preheader, IsTarget);
  Branch->setMetadata(LLVMContext::MD_prof, Which.Weights);
  ReplaceInstWithInst(Choice->getTerminator(), Branch);
  connectExits(L, Map);
  DT.recalculate(*Choice->getParent());
  for (const PointerCall *C : Loop.Calls)
    promoteCall(*cast<CallBase>(Map[C->Call]), &Target);
}

bool mayCopy(const Loop &L) {
  return L.isInnermost() && L.isSafeToClone() &&
         countInstructions(L) <= MaxLoopInstructions;
}

MapVector<Loop *, LoopCalls> findLoops(Function &F,
                                       FunctionAnalysisManager &FAM,
                                       ArrayRef<PointerCall> Calls) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  const UniformityInfo &Uniformity = FAM.getResult<UniformityInfoAnalysis>(F);
  MapVector<Loop *, LoopCalls> Loops;
  for (const PointerCall &C : Calls) {
    Loop *L = LI.getLoopFor(C.Call->getParent());
    if (!L)
      continue;
    LoopCalls &Entry = Loops[L];
    Value *Address = addressOf(*C.Call);
    if (Entry.Calls.empty()) {
      Entry.Address = Address;
      Entry.IsGood = L->isLoopInvariant(Address) &&
                     Uniformity.isUniform(Address) && mayCopy(*L) &&
                     C.Targets.size() <= MaxLoopTargets;
    }
    Entry.IsGood &=
        Address == Entry.Address &&
        (Entry.Calls.empty() || C.Targets == Entry.Calls.front()->Targets);
    Entry.Calls.push_back(&C);
  }
  Loops.remove_if([](const auto &Each) { return !Each.second.IsGood; });
  return Loops;
}

} // namespace

SmallVector<CallBase *> specializeLoops(Function &F,
                                        FunctionAnalysisManager &FAM,
                                        ArrayRef<PointerCall> Calls) {
  MapVector<Loop *, LoopCalls> Loops = findLoops(F, FAM, Calls);
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  SmallVector<CallBase *> Done;
  for (const auto &[L, Entry] : Loops) {
    simplifyLoop(L, &DT, &LI, nullptr, nullptr, nullptr,
                 /*PreserveLCSSA=*/false);
    formLCSSARecursively(*L, DT, &LI, nullptr);
    if (!L->getLoopPreheader())
      continue;
    for (const TargetChoice &Choice : orderTargets(Entry.Calls))
      specialize(*L, Entry, Choice, LI, DT);
    for (const PointerCall *C : Entry.Calls) {
      C->Call->setMetadata(LLVMContext::MD_prof, nullptr);
      Done.push_back(C->Call);
    }
  }
  return Done;
}

} // namespace heddle::passes
