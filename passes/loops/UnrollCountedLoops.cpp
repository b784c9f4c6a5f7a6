//===- UnrollCountedLoops.cpp - Loops of a known trip count -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In an unrolled loop several iterations share a test, and their loads wait
// together. Where the trip count is known, nothing is left over that would
// need code of its own. Where it is not, that code costs more than is gained,
// unless a profile says otherwise: nvcc and clang have unrolled what they
// thought worth it before they wrote the PTX.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/LoopLine.h"
#include "heddle/IR/LoopPlan.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Target/TargetAnalyses.h"
#include "passes/loops/Passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace heddle::ir;
using namespace llvm;

#define DEBUG_TYPE "heddle-unroll-counted-loops"

namespace heddle::passes {

namespace {

/// Instructions of an unrolled body, and of one of which nothing remains but
/// the iterations.
constexpr unsigned MostInstructions = 96, MostWhole = 96;
constexpr unsigned MostCopies = 8;
/// Instructions that a function may grow by: so many in any case, or a share of
/// what it has, in percent.
constexpr unsigned LeastBudget = 80, BudgetPercent = 40;

/// Why the body of a loop is not repeated.
enum class Obstacle : uint8_t {
  None,
  Level,
  Forbidden,
  Spills,
  Tuned,
  HasLoops,
  Exits,
  TripCount,
  Convergent,
  Calls,
  NoLoads,
  Size,
  Shares,
  Function,
};

/// The names and texts of the remarks.
struct {
  StringLiteral Name, Text;
} constexpr Remarks[] = {
    {"", ""},
    {"NotAtThisLevel", "without a request that is done at -O3 only"},
    {"Forbidden", "a pragma or a tuning document forbids it"},
    {"Spills", "the function has too few registers as it is"},
    {"Tuned", "a tuning document says what is done to the function's loops"},
    {"HasLoops", "there are loops in it"},
    {"Exits", "it is not left behind its last instruction alone"},
    {"UnknownTripCount", "the trip count is not known to the compiler"},
    {"Convergent", "the threads of a warp meet in it, in an operation that "
                   "must not be repeated"},
    {"Calls", "there is a call in it, or an operation that is taken for one"},
    {"NoLoads", "it loads nothing, for which iterations could wait together"},
    {"TooLarge", "its body is too large to be repeated"},
    {"NoShare", "no number of copies that are small enough divides its trip "
                "count"},
    {"FunctionFull", "the function has grown by as much as it may"},
};

/// Why that holds for all loops of F.
Obstacle obstacleInAll(const Function &F, unsigned OptLevel,
                       const RegisterPlan &Registers) {
  if (planOf(F).UnrollsCounted)
    return Obstacle::None;
  if (F.hasFnAttribute(attr::NoUnroll))
    return Obstacle::Forbidden;
  if (OptLevel < 3)
    return Obstacle::Level;
  return Registers.Level >= RegisterPressureLevel::Motion ? Obstacle::Spills
                                                          : Obstacle::Tuned;
}

class Unroller {
public:
  Unroller(Function &F, LoopInfo &LI, ScalarEvolution &SE,
           OptimizationRemarkEmitter &Emitter, Obstacle InAll)
      : LI(LI), SE(SE), Emitter(Emitter), InAll(InAll),
        Budget(std::max(LeastBudget,
                        F.getInstructionCount() * BudgetPercent / 100)) {}

  void run() {
    for (Loop *L : LI.getLoopsInPreorder())
      if (hasUnrollTransformation(L) == TM_ForcedByUser)
        noteLine(*L); // for what LLVM's unroller says
      else if (Obstacle O = choose(*L); O != Obstacle::None)
        report(*L, O);
  }

private:
  void report(const Loop &L, Obstacle O) {
    const auto &[Name, Text] = Remarks[static_cast<size_t>(O)];
    Emitter.emit([&, &Name = Name, &Text = Text] {
      return OptimizationRemarkMissed(DEBUG_TYPE, Name, lineOf(L),
                                      L.getHeader())
             << "loop not unrolled: " << Text;
    });
  }

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

  /// What is in the way whatever the trip count is.
  Obstacle obstacleIn(const Loop &L) const {
    if (hasUnrollTransformation(&L) != TM_Unspecified)
      return Obstacle::Forbidden;
    if (InAll != Obstacle::None)
      return InAll;
    if (!L.isInnermost())
      return Obstacle::HasLoops;
    if (!L.isLoopSimplifyForm() || L.getExitingBlock() != L.getLoopLatch())
      return Obstacle::Exits;
    return mayBeCounted(L) ? Obstacle::None : Obstacle::TripCount;
  }

  /// Has L's body repeated, or says why not.
  Obstacle choose(Loop &L) {
    if (Obstacle O = obstacleIn(L); O != Obstacle::None)
      return O;
    // The size first: iterations take longer to count.
    unsigned Size = 0;
    if (Obstacle O = measure(L, Size); O != Obstacle::None)
      return O;
    unsigned TripCount = SE.getSmallConstantTripCount(&L);
    if (TripCount < 2)
      return Obstacle::TripCount;
    unsigned Copies = copiesOf(TripCount, Size);
    if (Copies < 2)
      return Obstacle::Shares;
    unsigned Growth = Size * (Copies - 1);
    if (Growth > Budget)
      return Obstacle::Function;
    Budget -= Growth;
    addStringMetadataToLoop(&L, "llvm.loop.unroll.count", Copies);
    noteLine(L);
    return Obstacle::None;
  }

  /// Counts the instructions of an iteration, which may be repeated and reads
  /// something that it could wait for.
  static Obstacle measure(const Loop &L, unsigned &Size) {
    bool Loads = false;
    for (const BasicBlock *B : L.blocks())
      for (const Instruction &I : B->instructionsWithoutDebug()) {
        if (const auto *Call = dyn_cast<CallBase>(&I)) {
          if (Call->isConvergent() || Call->cannotDuplicate())
            return Obstacle::Convergent;
          if (!isa<IntrinsicInst>(Call))
            return Obstacle::Calls;
        }
        Loads |= isa<LoadInst>(I);
        Size += !isa<PHINode>(I);
      }
    if (!Loads)
      return Obstacle::NoLoads;
    return 2 * Size > std::max(MostInstructions, MostWhole) ? Obstacle::Size
                                                            : Obstacle::None;
  }

  /// The most copies that leave no rest.
  static unsigned copiesOf(unsigned TripCount, unsigned Size) {
    if (TripCount * Size <= MostWhole)
      return TripCount;
    unsigned Copies = std::min(MostCopies, TripCount);
    while (Copies > 1 &&
           (TripCount % Copies != 0 || Copies * Size > MostInstructions))
      --Copies;
    return Copies;
  }

  LoopInfo &LI;
  ScalarEvolution &SE;
  OptimizationRemarkEmitter &Emitter;
  const Obstacle InAll; ///< of loops of which nothing is said
  unsigned Budget;
};

} // namespace

/// A profile decides on the loops of its functions (ChooseUnrolling.cpp).
static bool isDecided(const Function &F) {
  return F.hasProfileData() || planOf(F).Restructure;
}

PreservedAnalyses UnrollCountedLoopsPass::run(Function &F,
                                              FunctionAnalysisManager &AM) {
  Obstacle InAll =
      obstacleInAll(F, OptLevel, AM.getResult<RegisterPlanAnalysis>(F));
  auto &Emitter = AM.getResult<OptimizationRemarkEmitterAnalysis>(F);
  bool IsAsked = Emitter.allowExtraAnalysis(DEBUG_TYPE) && !isDecided(F);
  if (InAll == Obstacle::None || IsAsked)
    Unroller(F, AM.getResult<LoopAnalysis>(F),
             AM.getResult<ScalarEvolutionAnalysis>(F), Emitter, InAll)
        .run();
  return PreservedAnalyses::all(); // it adds metadata only
}

} // namespace heddle::passes
