//===- KeepIfLoopsChange.h - Passes that may be taken back ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops are rotated and cleaned up so that a profile can have some of them
// repeated or copied. Where it has none, that work alone makes other code of
// about the same length, which is as often slower as faster; the function then
// stays what it was.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_PGO_KEEPIFLOOPSCHANGE_H
#define HEDDLE_PASSES_PGO_KEEPIFLOOPSCHANGE_H

#include "llvm/IR/PassManager.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::passes {

/// Runs passes on a function, and takes back what they have done if the
/// function has as many loops as before, none was repeated, and threads execute
/// about as many instructions: its loops are then those of a function without a
/// profile (attr::LoopsLeft). They stay where a tuning document says anything
/// of loops.
class KeepIfLoopsChangePass
    : public llvm::PassInfoMixin<KeepIfLoopsChangePass> {
public:
  explicit KeepIfLoopsChangePass(llvm::FunctionPassManager Passes)
      : Passes(std::move(Passes)) {}

  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);

  /// Prints `keep-if-loops-change(passes)`.
  void printPipeline(
      llvm::raw_ostream &OS,
      llvm::function_ref<llvm::StringRef(llvm::StringRef)> NameOfClass) {
    OS << "keep-if-loops-change(";
    Passes.printPipeline(OS, NameOfClass);
    OS << ')';
  }

private:
  llvm::FunctionPassManager Passes;
};

} // namespace heddle::passes

#endif // HEDDLE_PASSES_PGO_KEEPIFLOOPSCHANGE_H
