//===- Passes.h - Passes over loops and their loads -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over LLVM IR that change when a kernel loads, not what it computes.
// Whether they do anything to a function, and how much, is its plan's to say
// (Plan.h).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LOOPS_PASSES_H
#define HEDDLE_LOOPS_PASSES_H

#include "llvm/IR/PassManager.h"

namespace heddle::loops {

/// Gives switches whose default is unreachable another one.
struct CloseSwitchesPass : llvm::PassInfoMixin<CloseSwitchesPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Moves loads that threads come to in any case up over branches, so that they
/// wait for several at a time.
struct HoistLoadsPass : llvm::PassInfoMixin<HoistLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Starts the loads of a loop's next turn before the work of this one.
struct PipelineLoadsPass : llvm::PassInfoMixin<PipelineLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Decides how often the bodies of loops of a known number of turns are
/// repeated: LLVM's unroller finds it in the loops' metadata. Of each loop that
/// it leaves as it is, and of which nothing else asks more, a remark says why.
/// Below -O3 it leaves all.
class UnrollCountedLoopsPass
    : public llvm::PassInfoMixin<UnrollCountedLoopsPass> {
public:
  explicit UnrollCountedLoopsPass(unsigned OptLevel) : OptLevel(OptLevel) {}
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);

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

} // namespace heddle::loops

#endif // HEDDLE_LOOPS_PASSES_H
