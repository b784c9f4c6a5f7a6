//===- Passes.h - Passes over loops -----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over LLVM IR that change loops, and when loops load. What early loads
// do to a function is decided by its plan (heddle/IR/LoopPlan.h).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_LOOPS_PASSES_H
#define HEDDLE_PASSES_LOOPS_PASSES_H

#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

namespace heddle::passes {

/// Gives switches whose default is unreachable another one.
struct MakeSwitchDefaultReachablePass
    : llvm::PassInfoMixin<MakeSwitchDefaultReachablePass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Moves loads that threads come to in any case up over branches, so that they
/// wait for several at a time.
struct HoistLoadsPass : llvm::PassInfoMixin<HoistLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Starts the loads of a loop's next iteration before the work of this one.
struct PipelineLoadsPass : llvm::PassInfoMixin<PipelineLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Decides how often the bodies of loops of a known trip count are
/// repeated: LLVM's unroller finds it in the loops' metadata. Of each loop that
/// it leaves as it is, and of which nothing else asks more, a remark says why.
/// Below -O3 it leaves all.
class UnrollCountedLoopsPass
    : public llvm::PassInfoMixin<UnrollCountedLoopsPass> {
public:
  explicit UnrollCountedLoopsPass(unsigned OptLevel) : OptLevel(OptLevel) {}
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);

  /// Prints `name<level=N>`.
  void printPipeline(
      llvm::raw_ostream &OS,
      llvm::function_ref<llvm::StringRef(llvm::StringRef)> NameOfClass) {
    OS << NameOfClass(name()) << "<level=" << OptLevel << '>';
  }

private:
  unsigned OptLevel;
};

/// Lowers what is asked for loops (`llvm.loop.unroll.count` and its like) where
/// unrolling all of them would make too much of the function, and says so in a
/// remark. Runs before LLVM's unroller.
struct LimitUnrollingPass : llvm::PassInfoMixin<LimitUnrollingPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Hoists and pipelines loads as the plan of a function says, and cleans up
/// where any load moved.
struct EarlyLoadsPass : llvm::PassInfoMixin<EarlyLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Moves what does not change out of loops, with LLVM's LICM, in a time that is
/// linear in the number of loops.
struct HoistInvariantsPass : llvm::PassInfoMixin<HoistInvariantsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Computes values in the loops that need them, in front of their uses, where a
/// few instructions do that from fewer registers than the values take.
struct SinkInvariantsPass : llvm::PassInfoMixin<SinkInvariantsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Computes the results of a loop that has no effect without the loop, where
/// they have a formula, and marks such a loop as one that ends. LLVM's deletion
/// of loops then finds nothing that keeps the loop.
struct PrepareLoopDeletionPass : llvm::PassInfoMixin<PrepareLoopDeletionPass> {
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &AM,
                              llvm::LoopStandardAnalysisResults &AR,
                              llvm::LPMUpdater &Updater);
};

/// LLVM's loop strength reduction, but for inner loops whose iterations threads
/// share.
struct ReduceStrengthPass : llvm::PassInfoMixin<ReduceStrengthPass> {
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &AM,
                              llvm::LoopStandardAnalysisResults &AR,
                              llvm::LPMUpdater &Updater);
};

/// LLVM's simplification of induction variables, in loops with one exit or a
/// known trip count.
struct SimplifyVariablesPass : llvm::PassInfoMixin<SimplifyVariablesPass> {
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &AM,
                              llvm::LoopStandardAnalysisResults &AR,
                              llvm::LPMUpdater &Updater);
};

} // namespace heddle::passes

#endif // HEDDLE_PASSES_LOOPS_PASSES_H
