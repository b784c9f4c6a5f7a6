//===- HoistLoads.cpp - Loads before the branches above them ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp waits for a load where its value is used, and can have many loads on
// their way; but code generation reorders within a block only, so that a branch
// around other work, such as there is one in every iteration of an unrolled
// loop, makes it wait for each load alone. A load moves up over such work if
// every thread that is at the new place comes to the old one, and finds the
// same there.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/LoopPlan.h"
#include "passes/loops/Passes.h"

#include "passes/loops/LoadMotion.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-hoist-loads"

namespace heddle::passes {

namespace {

/// Instructions that compute one address.
constexpr unsigned MostAddressInstructions = 8;
/// Blocks above each other that a load passes.
constexpr unsigned MostSteps = 16;
/// Instructions of a block that are looked at for one load, which is early
/// enough behind more of them.
constexpr unsigned MostPassed = 2048;
/// Instructions that a thread executes between the two places, on average.
constexpr double MostBetween = 64;

class Hoister {
public:
  Hoister(Function &F, DominatorTree &DT, PostDominatorTree &PDT, LoopInfo &LI,
          ScalarEvolution &SE, AAResults &AA, BlockFrequencyInfo &BFI,
          OptimizationRemarkEmitter &Remarks, unsigned MostBits)
      : F(F), DT(DT), PDT(PDT), LI(LI), SE(SE), AA(AA), Often(BFI),
        Remarks(Remarks), MostBits(MostBits) {}

  bool run() {
    ReversePostOrderTraversal<Function *> Order(&F);
    for (BasicBlock *B : Order)
      if (DT.isReachableFromEntry(B))
        hoistFrom(*B);
    return Changed;
  }

private:
  using Blocks = SmallSetVector<BasicBlock *, 8>;

  /// The block right above B whose threads all come to B unless they stay in
  /// between; null if there is none.
  BasicBlock *above(BasicBlock &B) const {
    DomTreeNode *Node = DT.getNode(&B)->getIDom();
    BasicBlock *Above = Node ? Node->getBlock() : nullptr;
    return Above && LI.getLoopFor(Above) == LI.getLoopFor(&B) &&
                   PDT.dominates(&B, Above)
               ? Above
               : nullptr;
  }

  /// The same if they do not stay, with what they may pass on the way.
  BasicBlock *above(BasicBlock &B, Blocks &Between) const {
    BasicBlock *Above = above(B);
    if (!Above)
      return nullptr;
    Between.clear();
    Between.insert_range(predecessors(&B));
    Between.remove(Above);
    for (size_t I = 0; I != Between.size(); ++I)
      for (BasicBlock *P : predecessors(Between[I]))
        if (P != Above)
          Between.insert(P);
    return passable(Above, Between) ? Above : nullptr;
  }

  /// Whether threads that leave Above come through the blocks for sure, and
  /// do little there.
  bool passable(const BasicBlock *Above, const Blocks &Between) const {
    for (BasicBlock *B : Between) {
      if (!isGuaranteedToTransferExecutionToSuccessor(B))
        return false;
      // Threads must not stay in a loop for ever.
      const Loop *L = LI.getLoopFor(B);
      if (L && L != LI.getLoopFor(Above) && L->getHeader() == B &&
          isa<SCEVCouldNotCompute>(SE.getConstantMaxBackedgeTakenCount(L)) &&
          isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(L)))
        return false;
    }
    return Often.work(Between) <= MostBetween * Often.of(Above);
  }

  bool clobbers(Instruction &I, const LoadInst &Load) const {
    return I.mayWriteToMemory() &&
           isModSet(AA.getModRefInfo(&I, MemoryLocation::get(&Load)));
  }

  /// Whether the memory is the same at both ends of the instructions, and
  /// threads come from one to the other. Of very many that is not known.
  template <typename Range>
  bool isTransparent(Range &&Passed, const LoadInst &Load) const {
    unsigned Count = 0;
    return all_of(Passed, [&](Instruction &I) {
      return ++Count <= MostPassed &&
             isGuaranteedToTransferExecutionToSuccessor(&I) &&
             (Load.hasMetadata(LLVMContext::MD_invariant_load) ||
              !clobbers(I, Load));
    });
  }

  /// The instructions that must move along for V to be known at the end of To,
  /// operands first; false if that cannot be.
  bool collect(Value *V, BasicBlock &To, Instructions &Moved) const {
    return collectComputation(
        V,
        [&](const Instruction &I) {
          return DT.dominates(&I, To.getTerminator());
        },
        MostAddressInstructions, Moved);
  }

  /// The highest block that a load at the head of B may move to.
  BasicBlock *findPlace(LoadInst &Load) const {
    BasicBlock *From = Load.getParent(), *Place = nullptr;
    if (!isTransparent(make_range(From->begin(), Load.getIterator()), Load))
      return nullptr;
    for (unsigned Step = 0; Step != MostSteps; ++Step) {
      Blocks Between;
      BasicBlock *Next = above(*From, Between);
      Instructions Moved;
      if (!Next ||
          !all_of(Between,
                  [&](BasicBlock *B) { return isTransparent(*B, Load); }) ||
          !collect(Load.getPointerOperand(), *Next, Moved))
        return Place;
      if (hasRoom(*Next, Load))
        Place = Next;
      // To go on, the load must also pass what stands in Next.
      if (!isTransparent(*Next, Load))
        return Place;
      From = Next;
    }
    return Place;
  }

  /// Where the operands of I are known in B: the sooner a load starts, the
  /// less of it is waited for.
  static BasicBlock::iterator earliest(const Instruction &I, BasicBlock &B) {
    BasicBlock::iterator At = B.getFirstInsertionPt();
    for (Value *Operand : I.operands())
      if (auto *D = dyn_cast<Instruction>(Operand);
          D && D->getParent() == &B && !isa<PHINode>(D) &&
          (At == D->getIterator() || At->comesBefore(D)))
        At = std::next(D->getIterator());
    return At;
  }

  static unsigned sizeOf(const LoadInst &Load) {
    return Load.getDataLayout().getTypeSizeInBits(Load.getType());
  }

  bool hasRoom(BasicBlock &B, const LoadInst &Load) const {
    return Waiting.lookup(&B) + sizeOf(Load) <= MostBits;
  }

  void hoistFrom(BasicBlock &B) {
    if (!above(B))
      return;
    for (Instruction &I : make_early_inc_range(B)) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (Load && Load->isSimple()) {
        if (BasicBlock *Place = findPlace(*Load))
          hoist(*Load, *Place);
      } else if (!isGuaranteedToTransferExecutionToSuccessor(&I)) {
        return; // nothing moves up over it
      }
    }
  }

  void hoist(LoadInst &Load, BasicBlock &Place) {
    Instructions Moved;
    collect(Load.getPointerOperand(), Place, Moved);
    for (Instruction *M : Moved)
      M->moveBefore(earliest(*M, Place));
    BasicBlock::iterator At = earliest(Load, Place);
    if (!isTransparent(make_range(At, Place.getTerminator()->getIterator()),
                       Load))
      At = Place.getTerminator()->getIterator();
    Load.moveBefore(At);
    Waiting[&Place] += sizeOf(Load);
    Changed = true;
    Remarks.emit([&] {
      return OptimizationRemark(DEBUG_TYPE, "Hoisted", &Load)
             << "load moved up over branches";
    });
  }

  Function &F;
  DominatorTree &DT;
  PostDominatorTree &PDT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  AAResults &AA;
  Frequencies Often;
  OptimizationRemarkEmitter &Remarks;
  unsigned MostBits; ///< Of loads that may wait at the end of one block.
  DenseMap<const BasicBlock *, unsigned> Waiting;
  bool Changed = false;
};

} // namespace

PreservedAnalyses HoistLoadsPass::run(Function &F,
                                      FunctionAnalysisManager &AM) {
  unsigned Registers = ir::planOf(F).RegistersHoisted;
  if (Registers == 0)
    return PreservedAnalyses::all();
  bool Changed = Hoister(F, AM.getResult<DominatorTreeAnalysis>(F),
                         AM.getResult<PostDominatorTreeAnalysis>(F),
                         AM.getResult<LoopAnalysis>(F),
                         AM.getResult<ScalarEvolutionAnalysis>(F),
                         AM.getResult<AAManager>(F),
                         AM.getResult<BlockFrequencyAnalysis>(F),
                         AM.getResult<OptimizationRemarkEmitterAnalysis>(F),
                         Registers * RegisterBits)
                     .run();
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses PA;
  PA.preserveSet<CFGAnalyses>();
  return PA;
}

} // namespace heddle::passes
