//===- Passes.h - Passes that use a profile ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over LLVM IR that have a profile (Metadata.h) decide what pays. They
// change nothing of what a program computes, whatever the profile says, and do
// nothing to functions without one.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_PGO_PASSES_H
#define HEDDLE_PASSES_PGO_PASSES_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class BlockFrequencyInfo;
} // namespace llvm

namespace heddle::passes {

/// Whether there is a profile of F.
bool hasProfile(const llvm::Function &F);

/// How many instructions a thread executes.
double executedIn(const llvm::Function &F, const llvm::BlockFrequencyInfo &BFI);

/// What launches of a chip take.
struct LaunchCosts {
  double Schedulers;  ///< Of all cores.
  double FetchCycles; ///< That a warp waits for code that its core lacks.
};

/// The costs of launches of \p Chip, which isa::findChip must know.
LaunchCosts launchCostsOf(llvm::StringRef Chip);

/// Gives a kernel a copy of its code for the values that arguments mostly have,
/// behind a comparison at the kernel's start.
struct SpecializeArgumentsPass : llvm::PassInfoMixin<SpecializeArgumentsPass> {
  LaunchCosts Costs;

  explicit SpecializeArgumentsPass(const LaunchCosts &Costs) : Costs(Costs) {}
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Gives a loop a copy for the trip count that it mostly has, without
/// tests between them, behind a comparison before the loop.
struct TripCountVersioningPass : llvm::PassInfoMixin<TripCountVersioningPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Decides how often the bodies of loops are repeated: LLVM's unroller, which
/// is asked for nothing else then, finds it in the loops' metadata.
struct ChooseUnrollingPass : llvm::PassInfoMixin<ChooseUnrollingPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Reads arguments that are used where many threads come at a kernel's start.
struct EarlyArgumentsPass : llvm::PassInfoMixin<EarlyArgumentsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Takes the profile from kernels whose threads wait for each other's atomic
/// operations, where it has changed neither loops (attr::LoopsLeft) nor
/// arguments (attr::ArgumentCopy).
struct ForgetProfilePass : llvm::PassInfoMixin<ForgetProfilePass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Compares pointers with the functions that calls mostly reached by a profile,
/// and calls those directly.
struct PromoteCountedCallsPass : llvm::PassInfoMixin<PromoteCountedCallsPass> {
  /// Functions of a linked program are internal now, and were not when they
  /// were counted.
  bool IsLinked;

  explicit PromoteCountedCallsPass(bool IsLinked = false)
      : IsLinked(IsLinked) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
};

} // namespace heddle::passes

#endif // HEDDLE_PASSES_PGO_PASSES_H
