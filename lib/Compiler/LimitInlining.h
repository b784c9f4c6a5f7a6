//===- LimitInlining.h - Inlining that does not multiply --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's inliner of modules, kept from repeating functions without bound.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_LIMITINLINING_H
#define HEDDLE_LIB_COMPILER_LIMITINLINING_H

#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/PassManager.h"

namespace heddle::compiler {

/// Inlines functions into those that call them, but for those of which many
/// copies of what they call themselves would come along.
class LimitedInlinerPass : public llvm::PassInfoMixin<LimitedInlinerPass> {
public:
  explicit LimitedInlinerPass(llvm::InlineParams Params)
      : Params(std::move(Params)) {}

  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);

private:
  llvm::InlineParams Params;
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_LIMITINLINING_H
