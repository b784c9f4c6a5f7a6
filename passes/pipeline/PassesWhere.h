//===- PassesWhere.h - Passes on some functions only ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a list of passes on the functions of which a named condition holds.
// The name is what a printed pipeline shows of the condition.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_PIPELINE_PASSESWHERE_H
#define HEDDLE_PASSES_PIPELINE_PASSESWHERE_H

#include "heddle/Target/TargetAnalyses.h"

#include "llvm/IR/PassManager.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::passes {

/// A condition on functions, and maybe on what is decided of their registers,
/// with the name that a printed pipeline shows.
struct FunctionCondition {
  using OfFunction = bool (*)(const llvm::Function &);
  using OfPlan = bool (*)(const llvm::Function &, const RegisterPlan &);

  constexpr FunctionCondition(llvm::StringLiteral Name, OfFunction Holds)
      : Name(Name), Holds(Holds) {}
  constexpr FunctionCondition(llvm::StringLiteral Name, OfPlan Holds)
      : Name(Name), HoldsByPlan(Holds) {}

  bool operator()(const llvm::Function &F, const RegisterPlan &Plan) const {
    return Holds ? Holds(F) : HoldsByPlan(F, Plan);
  }

  llvm::StringLiteral Name;

private:
  OfFunction Holds = nullptr;
  OfPlan HoldsByPlan = nullptr;
};

/// Runs passes on the functions of which a condition holds.
struct PassesWhere : llvm::PassInfoMixin<PassesWhere> {
  PassesWhere(const FunctionCondition &Condition,
              llvm::FunctionPassManager Passes)
      : Condition(Condition), Passes(std::move(Passes)) {}

  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM) {
    return Condition(F, AM.getResult<RegisterPlanAnalysis>(F))
               ? Passes.run(F, AM)
               : llvm::PreservedAnalyses::all();
  }

  /// Prints `where<condition>(passes)`.
  void printPipeline(
      llvm::raw_ostream &OS,
      llvm::function_ref<llvm::StringRef(llvm::StringRef)> NameOfClass) {
    OS << "where<" << Condition.Name << ">(";
    Passes.printPipeline(OS, NameOfClass);
    OS << ')';
  }

private:
  FunctionCondition Condition;
  llvm::FunctionPassManager Passes;
};

} // namespace heddle::passes

#endif // HEDDLE_PASSES_PIPELINE_PASSESWHERE_H
