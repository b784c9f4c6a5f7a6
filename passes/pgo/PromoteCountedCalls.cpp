//===- PromoteCountedCalls.cpp - Calls that were counted --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's promotion of indirect calls by a profile: code compares the pointer
// with the functions that calls mostly reached, and calls those directly.
//
//===----------------------------------------------------------------------===//

#include "passes/pgo/Passes.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Instrumentation/PGOInstrumentation.h"

using namespace llvm;

namespace heddle::passes {

PreservedAnalyses PromoteCountedCallsPass::run(Module &M,
                                               ModuleAnalysisManager &AM) {
  // Profiles name internal functions without a file.
  std::string Source = M.getSourceFileName();
  M.setSourceFileName("");
  PreservedAnalyses PA = PGOIndirectCallPromotion(IsLinked).run(M, AM);
  M.setSourceFileName(Source);
  return PA;
}

} // namespace heddle::passes
