//===- TripCountVersioning.cpp - Loops for common trip counts ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bound that is loaded may have nearly always the same value: the corners of
// a polygon, the neighbours of a point, the digits of a key. Where the profile
// says so of a loop's iterations, the loop becomes
//
//     if (trip count == N)  // computed before the loop starts
//       N bodies
//     else
//       what it was
//
// whose bodies have no tests in between, so that their loads wait together.
// Warps with threads on both sides would execute both: the warps' threads must
// have left the loop together.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/LoopLine.h"
#include "heddle/IR/ProfileMetadata.h"
#include "passes/pgo/Passes.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

#include <cmath>

using namespace heddle::ir;
using namespace llvm;

#define DEBUG_TYPE "heddle-trip-count-versioning"

namespace heddle::passes {

namespace {

/// The share of the stays that must have the same trip count.
constexpr double LeastShare = 0.9;
/// Instructions of all bodies together.
constexpr unsigned MostInstructions = 256;
/// How often a thread must come to the loop.
constexpr double LeastStays = 0.125;
/// The share of warps whose threads may leave the loop apart.
constexpr double MostDivergent = 0.1;

/// A loop and what its trip count mostly is.
struct Decision {
  Loop *L;
  unsigned TripCount;
  double Share; ///< Of the stays, from 0 to 1.
};

class Specializer {
public:
  Specializer(Function &F, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE,
              BlockFrequencyInfo &BFI, TargetTransformInfo &TTI,
              OptimizationRemarkEmitter &Remarks)
      : F(F), LI(LI), DT(DT), SE(SE), BFI(BFI), TTI(TTI), Remarks(Remarks) {}

  bool run() {
    // Frequencies are those of the function as it was.
    SmallVector<Decision> Decisions;
    for (Loop *L : LI.getLoopsInPreorder())
      if (std::optional<Decision> D = decide(*L))
        Decisions.push_back(*D);
    for (const Decision &D : Decisions)
      specialize(D);
    return !Decisions.empty();
  }

private:
  /// A body and one test at which threads stay or leave.
  bool hasForm(const Loop &L) const {
    BasicBlock *Exiting = L.getExitingBlock();
    return L.isInnermost() && L.isLoopSimplifyForm() && Exiting &&
           isa<BranchInst>(Exiting->getTerminator()) && L.isLCSSAForm(DT) &&
           hasUnrollTransformation(&L) == TM_Unspecified &&
           none_of(L.blocks(), [](const BasicBlock *B) {
             return any_of(*B, [](const Instruction &I) {
               const auto *Call = dyn_cast<CallBase>(&I);
               return Call && (Call->isConvergent() || Call->cannotDuplicate());
             });
           });
  }

  bool isCountable(Loop &L) const {
    const SCEV *Count = SE.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Count) || SE.getSmallConstantTripCount(&L))
      return false;
    Instruction *Before = L.getLoopPreheader()->getTerminator();
    SCEVExpander Expander(SE, DEBUG_TYPE);
    return Expander.isSafeToExpandAt(Count, Before) &&
           !Expander.isHighCostExpansion(Count, &L, SCEVCheapExpansionBudget,
                                         &TTI, Before);
  }

  static unsigned sizeOf(const Loop &L) {
    unsigned Size = 0;
    for (const BasicBlock *B : L.blocks())
      Size += B->sizeWithoutDebug();
    return Size;
  }

  double frequency(const BasicBlock *B) const {
    return static_cast<double>(BFI.getBlockFreq(B).getFrequency());
  }

  /// Whether the threads of a warp mostly leave the loop together, which they
  /// do after so many iterations on average.
  static bool leaveTogether(const Loop &L, double TripCount) {
    std::optional<Divergence> D =
        divergenceOf(*L.getExitingBlock()->getTerminator());
    return D && static_cast<double>(D->Divergent) * TripCount <=
                    MostDivergent * static_cast<double>(D->Warps);
  }

  std::optional<Decision> decide(Loop &L) const {
    std::optional<Trips> T = tripsOf(L);
    if (!T || !hasForm(L) ||
        frequency(L.getLoopPreheader()) <
            LeastStays * frequency(&F.getEntryBlock()))
      return std::nullopt;
    unsigned Most = 1;
    double All = 0;
    for (unsigned N = 0; N != pgo::TripBuckets; ++N) {
      All += pgo::leastTrips(N) * static_cast<double>(T->Stays[N]);
      if (N != 0 && N <= pgo::ExactTrips && T->Stays[N] > T->Stays[Most])
        Most = N;
    }
    double Share = static_cast<double>(T->Stays[Most]) / T->total();
    if (Share < LeastShare || Most * sizeOf(L) > MostInstructions ||
        !leaveTogether(L, All / T->total()) || !isCountable(L))
      return std::nullopt;
    return Decision{&L, Most, Share};
  }

  void specialize(const Decision &D) {
    Loop &L = *D.L;
    Remarks.emit([&] {
      return OptimizationRemark(DEBUG_TYPE, "Specialized", ir::lineOf(L),
                                L.getHeader())
             << "copy of the loop for its " << ore::NV("TripCount", D.TripCount)
             << " iterations";
    });
    BasicBlock *Check = L.getLoopPreheader();
    Value *IsCommon = emitComparison(D, *Check);
    BasicBlock *General =
        SplitBlock(Check, Check->getTerminator(), &DT, &LI, nullptr, "general");
    ValueToValueMapTy Map;
    SmallVector<BasicBlock *, 8> Blocks;
    Loop *Copy = cloneLoopWithPreheader(General, Check, &L, Map, ".common", &LI,
                                        &DT, Blocks);
    remapInstructionsInBlocks(Blocks, Map);
    joinExits(L, *Check, Map);
    Instruction *Old = Check->getTerminator();
    IRBuilder<> B(Old);
    constexpr uint32_t Whole = 1000;
    auto Often = static_cast<uint32_t>(std::lround(D.Share * Whole));
    B.CreateCondBr(IsCommon, cast<BasicBlock>(Map[General]), General,
                   MDBuilder(F.getContext())
                       .createBranchWeights(Often, Whole + 1 - Often));
    Old->eraseFromParent();
    setTripCount(*Copy, D.TripCount);
    addStringMetadataToLoop(Copy, "llvm.loop.unroll.full", 1);
    SE.forgetLoop(&L);
  }

  /// Whether the loop is going to have its common trip count. What is
  /// undefined must not decide a branch.
  Value *emitComparison(const Decision &D, BasicBlock &Check) {
    const SCEV *Count = SE.getBackedgeTakenCount(D.L);
    SCEVExpander Expander(SE, DEBUG_TYPE);
    Value *Back =
        Expander.expandCodeFor(Count, Count->getType(), Check.getTerminator());
    IRBuilder<> B(Check.getTerminator());
    return B.CreateICmpEQ(B.CreateFreeze(Back),
                          ConstantInt::get(Back->getType(), D.TripCount - 1));
  }

  /// What leaves either loop goes on together.
  void joinExits(const Loop &L, BasicBlock &Check, ValueToValueMapTy &Map) {
    BasicBlock *Exiting = L.getExitingBlock(), *Exit = L.getExitBlock();
    for (PHINode &Phi : Exit->phis()) {
      Value *V = Phi.getIncomingValueForBlock(Exiting);
      Value *Copy = Map.lookup(V);
      Phi.addIncoming(Copy ? Copy : V, cast<BasicBlock>(Map[Exiting]));
      SE.forgetValue(&Phi);
    }
    DT.changeImmediateDominator(Exit, &Check);
  }

  /// Makes the trip count a constant.
  static void setTripCount(Loop &L, unsigned TripCount) {
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
    auto *Branch = cast<BranchInst>(L.getExitingBlock()->getTerminator());
    IRBuilder<> B(Header, Header->begin());
    PHINode *Iteration = B.CreatePHI(B.getInt32Ty(), 2, "iteration");
    B.SetInsertPoint(Latch->getTerminator());
    Iteration->addIncoming(B.getInt32(0), L.getLoopPreheader());
    Iteration->addIncoming(B.CreateAdd(Iteration, B.getInt32(1)), Latch);
    B.SetInsertPoint(Branch);
    CmpInst::Predicate First = L.contains(Branch->getSuccessor(0))
                                   ? CmpInst::ICMP_NE
                                   : CmpInst::ICMP_EQ;
    Branch->setCondition(
        B.CreateICmp(First, Iteration, B.getInt32(TripCount - 1)));
  }

  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  BlockFrequencyInfo &BFI;
  TargetTransformInfo &TTI;
  OptimizationRemarkEmitter &Remarks;
};

} // namespace

PreservedAnalyses TripCountVersioningPass::run(Function &F,
                                               FunctionAnalysisManager &AM) {
  bool Changed = hasProfile(F) &&
                 Specializer(F, AM.getResult<LoopAnalysis>(F),
                             AM.getResult<DominatorTreeAnalysis>(F),
                             AM.getResult<ScalarEvolutionAnalysis>(F),
                             AM.getResult<BlockFrequencyAnalysis>(F),
                             AM.getResult<TargetIRAnalysis>(F),
                             AM.getResult<OptimizationRemarkEmitterAnalysis>(F))
                     .run();
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::passes
