//===- TargetAnalyses.h - What the target knows of LLVM IR ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyses of the target's own, for pipelines of passes over IR.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_TARGETANALYSES_H
#define HEDDLE_TARGET_TARGETANALYSES_H

#include "heddle/Target/RegisterPlan.h"

#include "llvm/IR/PassManager.h"

namespace heddle {

/// What is decided of a function's registers.
class RegisterPlanAnalysis
    : public llvm::AnalysisInfoMixin<RegisterPlanAnalysis> {
public:
  struct Result : RegisterPlan {
    bool invalidate(llvm::Function &, const llvm::PreservedAnalyses &,
                    llvm::FunctionAnalysisManager::Invalidator &) {
      return false;
    }
  };

  /// \p Plans: null where nothing is decided.
  explicit RegisterPlanAnalysis(const RegisterPlans *Plans = nullptr)
      : Plans(Plans) {}
  Result run(llvm::Function &F, llvm::FunctionAnalysisManager &) {
    return {Plans ? Plans->of(F) : RegisterPlan()};
  }

private:
  friend llvm::AnalysisInfoMixin<RegisterPlanAnalysis>;
  static llvm::AnalysisKey Key;

  const RegisterPlans *Plans;
};

/// Registers RegisterPlanAnalysis, and the alias analysis that a target
/// machine's registerEarlyDefaultAliasAnalyses() names.
void registerTargetAnalyses(llvm::FunctionAnalysisManager &FAM,
                            const RegisterPlans *Plans = nullptr);

} // namespace heddle

#endif // HEDDLE_TARGET_TARGETANALYSES_H
