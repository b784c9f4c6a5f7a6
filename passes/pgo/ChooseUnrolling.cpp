//===- ChooseUnrolling.cpp - How often bodies are repeated ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops in which threads spend many iterations at a time are unrolled: several
// iterations share a test, and their loads wait together. Where most stays have
// few iterations, the rest loop would do all the work, behind the tests of
// both.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/LoopLine.h"
#include "heddle/IR/ProfileMetadata.h"
#include "passes/pgo/Passes.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace heddle::ir;
using namespace llvm;

#define DEBUG_TYPE "heddle-choose-unrolling"

namespace heddle::passes {

bool hasProfile(const Function &F) { return F.hasProfileData(); }

namespace {

/// Instructions of an unrolled body: those that are mostly executed, and all.
constexpr unsigned MostHot = 320, MostInstructions = 1600;
constexpr unsigned MostCopies = 4;
/// Iterations of a stay that are many.
constexpr unsigned LongStay = 2 * MostCopies + 1;
static_assert(LongStay <= pgo::ExactTrips);
/// The share of all iterations that must belong to long stays.
constexpr double LeastShare = 0.5;
/// Instructions of an unrolled body that loads nothing, so that its iterations
/// have nothing to wait for together.
constexpr unsigned MostWithoutLoads = 64;
/// Loads of an unrolled body: as many wait together anyhow. nvcc and clang have
/// unrolled most loops before.
constexpr unsigned MostLoads = 16;
/// A loop is rare if fewer threads than this share of the function's come to
/// it.
constexpr double RareLoop = 1.0 / 64;
/// A block is rare in a loop if fewer iterations than this share go there.
constexpr double Rare = 0.25;

class Chooser {
public:
  Chooser(LoopInfo &LI, ScalarEvolution &SE, BlockFrequencyInfo &BFI,
          OptimizationRemarkEmitter &Remarks)
      : LI(LI), SE(SE), BFI(BFI), Remarks(Remarks) {}

  bool run() {
    bool Changed = false;
    for (Loop *L : LI.getLoopsInPreorder())
      Changed |= choose(*L);
    return Changed;
  }

private:
  /// The share of iterations that are part of long stays.
  static double shareOfLongStays(Loop &L) {
    std::optional<Trips> T = tripsOf(L);
    if (!T) {
      std::optional<unsigned> Estimate = getLoopEstimatedTripCount(&L);
      return Estimate && *Estimate >= LongStay ? 1 : 0;
    }
    double All = 0, Long = 0;
    for (unsigned B = 0; B != pgo::TripBuckets; ++B) {
      double TripCount = tripsOfBucket(B) * static_cast<double>(T->Stays[B]);
      All += TripCount;
      Long += B >= pgo::bucketOfTrips(LongStay) ? TripCount : 0;
    }
    return All == 0 ? 0 : Long / All;
  }

  /// Whether LLVM can count the iterations of the loop before it starts.
  bool isCountable(const Loop &L) const {
    return L.isLoopSimplifyForm() && L.getExitingBlock() == L.getLoopLatch() &&
           L.getLoopLatch() && !SE.getSmallConstantTripCount(&L) &&
           !isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L));
  }

  bool choose(Loop &L) {
    if (hasUnrollTransformation(&L) != TM_Unspecified || !isCountable(L))
      return false;
    double Share = shareOfLongStays(L);
    if (Share < LeastShare) {
      Remarks.emit([&] {
        return OptimizationRemarkMissed(DEBUG_TYPE, "ShortStays", ir::lineOf(L),
                                        L.getHeader())
               << "loop not unrolled: threads mostly leave it after few "
                  "iterations";
      });
      return false;
    }
    unsigned Copies = copiesOf(L);
    if (Copies < 2)
      return false;
    addStringMetadataToLoop(&L, "llvm.loop.unroll.count", Copies);
    Remarks.emit([&] {
      return OptimizationRemark(DEBUG_TYPE, "LongStays", ir::lineOf(L),
                                L.getHeader())
             << "body repeated " << ore::NV("Copies", Copies)
             << " times: threads mostly stay for many iterations";
    });
    return true;
  }

  unsigned copiesOf(const Loop &L) const {
    double TripCount =
        static_cast<double>(BFI.getBlockFreq(L.getHeader()).getFrequency());
    double Entries = static_cast<double>(BFI.getEntryFreq().getFrequency());
    if (TripCount < RareLoop * Entries)
      return 1;
    unsigned Hot = 0, All = 0, Loads = 0;
    for (BasicBlock *B : L.blocks()) {
      unsigned Size = B->sizeWithoutDebug();
      All += Size;
      if (static_cast<double>(BFI.getBlockFreq(B).getFrequency()) >
          Rare * TripCount)
        Hot += Size;
      Loads += count_if(
          *B, [](const Instruction &I) { return I.mayReadFromMemory(); });
      if (any_of(*B, [](const Instruction &I) {
            const auto *Call = dyn_cast<CallBase>(&I);
            return Call && (Call->isConvergent() || Call->cannotDuplicate());
          }))
        return 1;
    }
    unsigned Copies = MostCopies;
    const unsigned Most = Loads ? MostHot : MostWithoutLoads;
    while (Copies > 1 &&
           (Copies * Hot > Most || Copies * All > MostInstructions ||
            Copies * Loads > MostLoads))
      Copies /= 2;
    return Copies;
  }

  LoopInfo &LI;
  ScalarEvolution &SE;
  BlockFrequencyInfo &BFI;
  OptimizationRemarkEmitter &Remarks;
};

} // namespace

PreservedAnalyses ChooseUnrollingPass::run(Function &F,
                                           FunctionAnalysisManager &AM) {
  if (hasProfile(F))
    Chooser(AM.getResult<LoopAnalysis>(F),
            AM.getResult<ScalarEvolutionAnalysis>(F),
            AM.getResult<BlockFrequencyAnalysis>(F),
            AM.getResult<OptimizationRemarkEmitterAnalysis>(F))
        .run();
  return PreservedAnalyses::all(); // it adds metadata only
}

} // namespace heddle::passes
