//===- UnrollCountedLoops.cpp - Loops of a known number of turns *- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In an unrolled loop several turns share a test, and their loads wait
// together. Where the number of turns is known, nothing is left over that would
// need code of its own. Where it is not, that code costs more than is gained,
// unless a profile says otherwise: nvcc and clang have unrolled what they
// thought worth it before they wrote the PTX.
//
//===----------------------------------------------------------------------===//

#include "heddle/Loops/Passes.h"
#include "heddle/Loops/Plan.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-unroll-counted-loops"

namespace heddle::loops {

namespace {

/// Instructions of an unrolled body, and of one of which nothing remains but
/// the turns.
constexpr unsigned MostInstructions = 96, MostWhole = 96;
constexpr unsigned MostCopies = 8;
/// Instructions that a function may grow by: so many in any case, or a share of
/// what it has, in percent.
constexpr unsigned LeastBudget = 80, BudgetPercent = 40;

class Unroller {
public:
  Unroller(Function &F, LoopInfo &LI, ScalarEvolution &SE)
      : LI(LI), SE(SE),
        Budget(std::max(LeastBudget,
                        F.getInstructionCount() * BudgetPercent / 100)) {}

  void run() {
    for (Loop *L : LI.getLoopsInPreorder())
      if (L->isInnermost() && hasUnrollTransformation(L) == TM_Unspecified &&
          L->isLoopSimplifyForm() &&
          L->getExitingBlock() == L->getLoopLatch() && mayBeCounted(*L))
        choose(*L);
  }

private:
  /// Whether the end of L's only exit may be known: to ask scalar evolution of
  /// loops that end at a value of the program takes long, since it looks at all
  /// conditions in front of them.
  static bool mayBeCounted(const Loop &L) {
    const auto *Exit = dyn_cast<BranchInst>(L.getLoopLatch()->getTerminator());
    const auto *Test = Exit && Exit->isConditional()
                           ? dyn_cast<ICmpInst>(Exit->getCondition())
                           : nullptr;
    return !Test || none_of(Test->operands(), [&](const Value *End) {
      return isa<Argument, LoadInst, CallInst>(End) && L.isLoopInvariant(End);
    });
  }

  void choose(Loop &L) {
    // The size first: turns take longer to count.
    unsigned Size = sizeOf(L);
    if (Size == 0 || 2 * Size > std::max(MostInstructions, MostWhole))
      return;
    unsigned Turns = SE.getSmallConstantTripCount(&L);
    if (Turns < 2)
      return;
    unsigned Copies = copiesOf(Turns, Size);
    unsigned Growth = Size * (Copies - 1);
    if (Copies < 2 || Growth > Budget)
      return;
    Budget -= Growth;
    addStringMetadataToLoop(&L, "llvm.loop.unroll.count", Copies);
  }

  /// The instructions of a turn; 0 if it must not be repeated, or reads
  /// nothing that it could wait for.
  static unsigned sizeOf(const Loop &L) {
    unsigned Size = 0;
    bool Loads = false;
    for (const BasicBlock *B : L.blocks())
      for (const Instruction &I : B->instructionsWithoutDebug()) {
        if (const auto *Call = dyn_cast<CallBase>(&I);
            Call && (Call->isConvergent() || Call->cannotDuplicate() ||
                     !isa<IntrinsicInst>(Call)))
          return 0;
        Loads |= isa<LoadInst>(I);
        Size += !isa<PHINode>(I);
      }
    return Loads ? Size : 0;
  }

  /// The most copies that leave no rest.
  static unsigned copiesOf(unsigned Turns, unsigned Size) {
    if (Turns * Size <= MostWhole)
      return Turns;
    unsigned Copies = std::min(MostCopies, Turns);
    while (Copies > 1 &&
           (Turns % Copies != 0 || Copies * Size > MostInstructions))
      --Copies;
    return Copies;
  }

  LoopInfo &LI;
  ScalarEvolution &SE;
  unsigned Budget;
};

} // namespace

PreservedAnalyses UnrollCountedLoopsPass::run(Function &F,
                                              FunctionAnalysisManager &AM) {
  if (planOf(F).UnrollsCounted)
    Unroller(F, AM.getResult<LoopAnalysis>(F),
             AM.getResult<ScalarEvolutionAnalysis>(F))
        .run();
  return PreservedAnalyses::all(); // it adds metadata only
}

} // namespace heddle::loops
