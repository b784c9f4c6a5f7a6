//===- VectorizeAccesses.cpp - Neighbouring accesses joined -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's vectorizer of loads and stores, which does not say what it did, and
// which takes the square of a block's length where accesses follow each other:
// it is given long blocks in pieces.
//
//===----------------------------------------------------------------------===//

#include "passes/scalar/Passes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-vectorize-accesses"

namespace heddle::passes {

namespace {

/// Instructions of a block that is looked at as a whole. Of a longer one that
/// is divided, accesses that could be joined are parted every so many
/// instructions.
constexpr unsigned MaxLength = 1024;

/// Blocks that are longer, in pieces for as long as it lives. Dominators are
/// computed anew: to update them for each piece would visit all that it
/// dominates.
class DividedBlocks {
public:
  DividedBlocks(Function &F, FunctionAnalysisManager &AM) : F(F) {
    SmallVector<BasicBlock *, 4> Long;
    for (BasicBlock &Block : F)
      if (Block.size() > MaxLength)
        Long.push_back(&Block);
    if (Long.empty())
      return;
    DT = &AM.getResult<DominatorTreeAnalysis>(F);
    LI = &AM.getResult<LoopAnalysis>(F);
    for (BasicBlock *Block : Long)
      divide(Block);
    DT->recalculate(F);
  }
  DividedBlocks(const DividedBlocks &) = delete;
  DividedBlocks &operator=(const DividedBlocks &) = delete;

  /// Whether there were any.
  bool any() const { return DT; }

  ~DividedBlocks() {
    for (BasicBlock *Piece : Pieces)
      MergeBlockIntoPredecessor(Piece, nullptr, LI);
    if (DT)
      DT->recalculate(F);
  }

private:
  void divide(BasicBlock *Block) {
    SmallVector<Instruction *, 16> Starts;
    unsigned Length = 0;
    for (auto I = Block->getFirstNonPHIOrDbgOrAlloca(); I != Block->end();
         ++I) {
      if (++Length < MaxLength || I->isTerminator())
        continue;
      Starts.push_back(&*I);
      Length = 0;
    }
    // From the back, so that each instruction moves once.
    auto Earlier = Pieces.size();
    for (Instruction *Start : reverse(Starts))
      Pieces.push_back(
          SplitBlock(Block, Start, static_cast<DominatorTree *>(nullptr), LI));
    std::reverse(Pieces.begin() + Earlier, Pieces.end());
  }

  Function &F;
  DominatorTree *DT = nullptr; ///< null: there are none
  LoopInfo *LI = nullptr;
  /// The pieces behind the first of each block, in their order.
  SmallVector<BasicBlock *, 16> Pieces;
};

} // namespace

static bool isAccess(const Instruction &I) {
  return isa<LoadInst, StoreInst>(I);
}

static void reportAccess(const Instruction &I,
                         OptimizationRemarkEmitter &Remarks) {
  auto *Type = dyn_cast<FixedVectorType>(getLoadStoreType(&I));
  if (!Type)
    return;
  Remarks.emit([&] {
    return OptimizationRemark(DEBUG_TYPE, "Vectorized", &I)
           << ore::NV("Count", Type->getNumElements())
           << (isa<LoadInst>(I) ? " loads" : " stores") << " joined to one of "
           << ore::NV("Bits",
                      I.getDataLayout().getTypeSizeInBits(Type).getFixedValue())
           << " bits";
  });
}

static PreservedAnalyses vectorize(Function &F, FunctionAnalysisManager &AM) {
  DividedBlocks Divided(F, AM);
  PreservedAnalyses Preserved = LoadStoreVectorizerPass().run(F, AM);
  return Divided.any() ? PreservedAnalyses::none() : Preserved;
}

PreservedAnalyses VectorizeAccessesPass::run(Function &F,
                                             FunctionAnalysisManager &AM) {
  auto &Remarks = AM.getResult<OptimizationRemarkEmitterAnalysis>(F);
  bool IsAsked = Remarks.allowExtraAnalysis(DEBUG_TYPE);
  // Only compared: what is gone by then is not looked at.
  SmallPtrSet<const Instruction *, 32> Before;
  if (IsAsked)
    for (const Instruction &I : instructions(F))
      if (isAccess(I))
        Before.insert(&I);
  PreservedAnalyses Preserved = vectorize(F, AM);
  if (IsAsked)
    for (const Instruction &I : instructions(F))
      if (isAccess(I) && !Before.contains(&I))
        reportAccess(I, Remarks);
  return Preserved;
}

} // namespace heddle::passes
