//===- HoistInvariants.cpp - LICM in linear time ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM does with loops one by one takes more than the square of how many
// are inside of each other: each is searched with those inside of it, and for a
// load that moves, MemorySSA looks for stores in all loops around it. What a
// loop stores to the same place each time LLVM would keep in a register, for
// which it compares all accesses of the loop. That is left out where a barrier
// forbids it.
//
//===----------------------------------------------------------------------===//

#include "passes/loops/DeepNests.h"
#include "passes/loops/Passes.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace heddle::passes {

namespace {

/// Fences between loops that are behind each other: how far MemorySSA looks for
/// stores in front of a load that moves. Nothing else sees them.
class FencesBetweenLoops {
public:
  FencesBetweenLoops(Function &F, const LoopInfo &LI);
  FencesBetweenLoops(const FencesBetweenLoops &) = delete;
  FencesBetweenLoops &operator=(const FencesBetweenLoops &) = delete;
  ~FencesBetweenLoops() {
    for (Instruction *Fence : Fences)
      Fence->eraseFromParent();
  }

  bool any() const { return !Fences.empty(); }

private:
  SmallVector<Instruction *, 16> Fences;
};

/// Loops that share a fence.
constexpr unsigned Distance = 16;

FencesBetweenLoops::FencesBetweenLoops(Function &F, const LoopInfo &LI) {
  unsigned Count = 0;
  for (const Loop *L : reverse(LI)) {
    SmallVector<BasicBlock *, 4> Exits;
    if (++Count % Distance == 0)
      L->getUniqueExitBlocks(Exits);
    for (BasicBlock *Exit : Exits)
      Fences.push_back(new FenceInst(
          F.getContext(), AtomicOrdering::SequentiallyConsistent,
          SyncScope::SingleThread, Exit->getTerminator()->getIterator()));
  }
}

void dropMemorySSA(Function &F, FunctionAnalysisManager &AM) {
  PreservedAnalyses PA = PreservedAnalyses::all();
  PA.abandon<MemorySSAAnalysis>();
  AM.invalidate(F, PA);
}

/// Whether \p L stores to places that do not change, and other threads may
/// write all of these places while they wait for each other in the loop.
bool sharesAllPlaces(const Loop &L, AAResults &AA) {
  constexpr size_t MostCalls = 4;
  SmallVector<const StoreInst *, 16> Stores;
  SmallVector<const CallBase *, MostCalls> Calls;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      const auto *Store = dyn_cast<StoreInst>(&I);
      const auto *Call = dyn_cast<CallBase>(&I);
      if (Store)
        Stores.push_back(Store);
      else if (Call && Call->mayWriteToMemory() && Calls.size() != MostCalls)
        Calls.push_back(Call);
    }
  auto MayBeWritten = [&](const StoreInst *Store) {
    return any_of(Calls, [&](const CallBase *Call) {
      return isModSet(AA.getModRefInfo(Call, MemoryLocation::get(Store)));
    });
  };
  return !Stores.empty() && all_of(Stores, MayBeWritten);
}

/// LICM, which looks for what it may keep in registers where there may be
/// something to be found.
struct HoistPass : PassInfoMixin<HoistPass> {
  PreservedAnalyses run(Loop &L, LoopAnalysisManager &AM,
                        LoopStandardAnalysisResults &AR, LPMUpdater &U) {
    LICMOptions Options;
    if (sharesAllPlaces(L, AR.AA))
      Options.MssaNoAccForPromotionCap = 0;
    return LICMPass(Options).run(L, AM, AR, U);
  }
};

} // namespace

PreservedAnalyses HoistInvariantsPass::run(Function &F,
                                           FunctionAnalysisManager &AM) {
  // Exits in blocks of their own, as LICM needs them anyway.
  if (AM.getResult<LoopAnalysis>(F).getTopLevelLoops().size() >= Distance)
    AM.invalidate(F, LoopSimplifyPass().run(F, AM));
  FencesBetweenLoops Fences(F, AM.getResult<LoopAnalysis>(F));
  if (Fences.any())
    dropMemorySSA(F, AM);
  PreservedAnalyses PA =
      createFunctionToLoopPassAdaptor(FlatLoopPass(HoistPass()),
                                      /*UseMemorySSA=*/true)
          .run(F, AM);
  // MemorySSA would know the fences.
  if (Fences.any())
    dropMemorySSA(F, AM);
  return PA;
}

} // namespace heddle::passes
