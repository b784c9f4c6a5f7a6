//===- LimitUnrolling.cpp - What repeated bodies may make -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tuning documents, profiles and bitcode say of each loop by itself how often
// its body is repeated. In loops inside of each other that multiplies, and LLVM
// looks at one loop at a time. Here all loops of a function share what it may
// grow by; those inside get theirs first, since threads are there most.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/LoopLine.h"
#include "passes/loops/Passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-limit-unrolling"

namespace heddle::passes {

namespace {

/// Instructions that a function may have behind it: so many in any case, or so
/// many percent of what it had.
constexpr uint64_t MostInstructions = 16384, MostPercent = 150;
/// And loops, each of which counts as often as it is deep: scalar evolution
/// asks the loops around one, and those before it, what they say of its
/// iterations.
constexpr uint64_t MostLoops = 128;

/// What LLVM chooses where the trip count is not known.
constexpr uint64_t CopiesUncounted = 8;

constexpr char CountName[] = "llvm.loop.unroll.count",
               EnableName[] = "llvm.loop.unroll.enable",
               DisableName[] = "llvm.loop.unroll.disable";

/// How much code there is of something.
struct Extent {
  uint64_t Instructions = 0;
  uint64_t Loops = 0; ///< the sum of their depths

  Extent &operator+=(const Extent &Other) {
    Instructions += Other.Instructions;
    Loops += Other.Loops;
    return *this;
  }
};

class Limiter {
public:
  Limiter(const Function &F, LoopInfo &LI, ScalarEvolution &SE,
          OptimizationRemarkEmitter &Remarks)
      : SE(SE), Remarks(Remarks), Loops(LI.getLoopsInPreorder()),
        Now{F.getInstructionCount(), 0} {
    for (const Loop *L : Loops)
      Now.Loops += L->getLoopDepth();
    Most = {std::max(MostInstructions, Now.Instructions * MostPercent / 100),
            std::max(MostLoops, Now.Loops * MostPercent / 100)};
  }

  void run() {
    for (Loop *L : reverse(Loops)) // the inner ones first
      limit(*L);
  }

private:
  /// The copies of its body that are asked for the loop; 1: none.
  uint64_t copiesAsked(Loop &L) const {
    if (hasUnrollTransformation(&L) != TM_ForcedByUser)
      return 1;
    if (std::optional<int> Count = getOptionalIntLoopAttribute(&L, CountName))
      return static_cast<unsigned>(*Count);
    if (unsigned TripCount = SE.getSmallConstantTripCount(&L))
      return TripCount;
    return findOptionMDForLoop(&L, EnableName) ? CopiesUncounted : 1;
  }

  /// What the loop has when those in it are unrolled.
  Extent extentOf(const Loop &L) const {
    Extent Sum;
    for (const BasicBlock *B : L.blocks())
      Sum.Instructions += B->size();
    for (const Loop *Inner : Loops)
      Sum.Loops += Inner != &L && L.contains(Inner) ? Inner->getLoopDepth() : 0;
    for (const auto &[Inner, Growth] : Growths)
      if (L.contains(Inner))
        Sum += Growth;
    return Sum;
  }

  bool fits(const Extent &More) const {
    return Now.Instructions + More.Instructions <= Most.Instructions &&
           Now.Loops + More.Loops <= Most.Loops;
  }

  void limit(Loop &L) {
    const uint64_t Asked = copiesAsked(L);
    if (Asked < 2)
      return;
    const Extent Body = extentOf(L);
    // The iterations that are left over have a loop of their own.
    auto Growth = [&](uint64_t Copies) -> Extent {
      return {Body.Instructions * Copies,
              Body.Loops * Copies + L.getLoopDepth()};
    };
    uint64_t Copies = Asked;
    while (Copies > 1 && !fits(Growth(Copies)))
      Copies = bit_floor(Copies - 1);
    if (Copies < Asked)
      lower(L, Asked, Copies);
    if (Copies < 2)
      return;
    Growths.emplace_back(&L, Growth(Copies));
    Now += Growth(Copies);
  }

  void lower(Loop &L, uint64_t Asked, uint64_t Copies) {
    Remarks.emit([&] {
      return OptimizationRemarkMissed(DEBUG_TYPE, "TooLarge", ir::lineOf(L),
                                      L.getHeader())
             << "body repeated " << ore::NV("Copies", Copies) << " times, not "
             << ore::NV("Asked", Asked)
             << ": unrolling has made the function as large as it may";
    });
    LLVMContext &C = L.getHeader()->getContext();
    SmallVector<Metadata *> Choice;
    if (Copies < 2)
      Choice = {MDString::get(C, DisableName)};
    else
      Choice = {MDString::get(C, CountName),
                ConstantAsMetadata::get(
                    ConstantInt::get(Type::getInt32Ty(C), Copies))};
    L.setLoopID(makePostTransformationMetadata(
        C, L.getLoopID(), {"llvm.loop.unroll."}, {MDNode::get(C, Choice)}));
  }

  ScalarEvolution &SE;
  OptimizationRemarkEmitter &Remarks;
  SmallVector<Loop *, 4> Loops; ///< each behind those that it is in
  Extent Now, Most;             ///< of the function
  /// Loops that are going to be unrolled, and what that adds.
  SmallVector<std::pair<const Loop *, Extent>> Growths;
};

} // namespace

PreservedAnalyses LimitUnrollingPass::run(Function &F,
                                          FunctionAnalysisManager &AM) {
  auto &LI = AM.getResult<LoopAnalysis>(F);
  if (any_of(LI.getLoopsInPreorder(), [](const Loop *L) {
        return hasUnrollTransformation(L) == TM_ForcedByUser;
      }))
    Limiter(F, LI, AM.getResult<ScalarEvolutionAnalysis>(F),
            AM.getResult<OptimizationRemarkEmitterAnalysis>(F))
        .run();
  return PreservedAnalyses::all(); // it changes metadata only
}

} // namespace heddle::passes
