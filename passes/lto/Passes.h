//===- Passes.h - Passes over whole programs --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over LLVM IR that look at all of a module.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_LTO_PASSES_H
#define HEDDLE_PASSES_LTO_PASSES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

namespace heddle::passes {

/// What the inliner weighs a function's instructions against. The target adds
/// what a call costs besides its instructions (HeddleInlineCost.h).
inline constexpr int InlineThreshold = 225;

/// Says of a part that the functions that have that attribute are all in the
/// program.
void setTargetsKnown(llvm::Module &Part);
/// Whether that was said, and none of them has been dropped since.
bool areTargetsKnown(const llvm::Module &Part);

/// A call through a pointer, and the functions of its type that the pointer may
/// point to.
struct PointerCall {
  llvm::CallBase *Call;
  llvm::SmallVector<llvm::Function *, 8> Targets;
  /// How often it was each of them, where a profile says so, and in all.
  llvm::SmallVector<uint64_t, 8> Counts;
  uint64_t Total = 0;
  /// It may point to other functions: to functions that have the same form in
  /// registers, such as .f32 for .b32, so that a call of the wrong type works,
  /// and to functions that are left to the call.
  bool MayBeOther = false;
};

/// The way through comparisons with targets, the most frequent targets
/// first.
struct TargetChoice {
  llvm::Function *Target;
  /// Of the comparison, where a profile says so.
  llvm::MDNode *Weights = nullptr;
};

/// In the order of their comparisons, the targets of calls that have the same
/// ones.
llvm::SmallVector<TargetChoice>
orderTargets(llvm::ArrayRef<const PointerCall *> Calls);

/// Copies innermost loops for the targets of F's calls, so that the copies call
/// them directly, where the pointer is uniform and does not change in the loop.
/// Returns those of the calls for which that was done: they are left in the
/// loops where the pointer is none of the targets.
llvm::SmallVector<llvm::CallBase *>
specializeLoops(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                llvm::ArrayRef<PointerCall> Calls);

/// Makes calls through pointers choices of direct calls. The module must be all
/// of the program, or know the targets.
struct IndirectCallPromotionPass
    : llvm::PassInfoMixin<IndirectCallPromotionPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Says of calls through pointers what is true of all functions that they can
/// reach. The module must have all of those.
struct AnnotateIndirectCallsPass
    : llvm::PassInfoMixin<AnnotateIndirectCallsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Inlines functions into their callers, except where many copies of a
/// function's own callees would come along.
class LimitedInlinerPass : public llvm::PassInfoMixin<LimitedInlinerPass> {
public:
  explicit LimitedInlinerPass(
      const llvm::InlineParams &Params = llvm::getInlineParams(InlineThreshold))
      : Params(Params) {}

  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);

private:
  llvm::InlineParams Params;
};

} // namespace heddle::passes

#endif // HEDDLE_PASSES_LTO_PASSES_H
