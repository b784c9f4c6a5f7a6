//===- Passes.h - Passes that only a document asks for ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transformations that pay for some kernels and cost others, which only trying
// can tell.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_TUNING_PASSES_H
#define HEDDLE_PASSES_TUNING_PASSES_H

#include "heddle/Tuning/Document.h"

#include "llvm/IR/PassManager.h"

namespace heddle::passes {

/// The loops of a function as imported, in the order that decisions count them.
std::vector<tuning::LoopShape> loopsOf(llvm::Function &F);

/// Puts decisions on the functions that \p D names, before anything is
/// optimised. A kernel that \p M does not have is left out: a document may
/// serve several modules. A loop that a kernel does not have is an error.
llvm::Error applyDocument(llvm::Module &M, const tuning::Document &D);

/// Spreads the columns of shared variables over the banks, in functions with
/// Knob::SharedSwizzle. Variables whose addresses are used for anything but
/// loads, stores and atomics stay as they are.
struct SwizzleSharedPass : llvm::PassInfoMixin<SwizzleSharedPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Lets each CTA of a kernel with Knob::CoarsenCTAs do the work of so many
/// CTAs, if the kernel is one that allows it: CTAs that only load, store and
/// add to memory, and that stores do not make branch differently.
struct CTACoarseningPass : llvm::PassInfoMixin<CTACoarseningPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Lets the threads of a warp that are together do one atomic operation where
/// each does one on the same word, in functions with Knob::AggregateAtomics; by
/// rule, in those for which nothing is decided, where more than one may be.
struct AggregateAtomicsPass : llvm::PassInfoMixin<AggregateAtomicsPass> {
  explicit AggregateAtomicsPass(bool ByRule) : ByRule(ByRule) {}
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);

  /// Prints `name<by-rule=N>`.
  void printPipeline(
      llvm::raw_ostream &OS,
      llvm::function_ref<llvm::StringRef(llvm::StringRef)> NameOfClass) {
    OS << NameOfClass(name()) << "<by-rule=" << ByRule << '>';
  }

private:
  bool ByRule;
};

/// Reads the extents of the launch from the bank of the parameters, in kernels
/// with Knob::LaunchConstants.
struct LaunchConstantsPass : llvm::PassInfoMixin<LaunchConstantsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

} // namespace heddle::passes

#endif // HEDDLE_PASSES_TUNING_PASSES_H
