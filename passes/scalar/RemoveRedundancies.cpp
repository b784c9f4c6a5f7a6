//===- RemoveRedundancies.cpp - GVN within bounds ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GVN moves loads to where they are partly known already. In loops that are
// deep inside of others GVN would do that from loop to loop, each time with a
// search of all loops around. So GVN leaves loads where they are in deep nests,
// and partial redundancies in functions of very many blocks.
//
//===----------------------------------------------------------------------===//

#include "passes/loops/DeepNests.h"
#include "passes/scalar/Passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Scalar/GVN.h"

using namespace llvm;

namespace heddle::passes {

PreservedAnalyses RemoveRedundanciesPass::run(Function &F,
                                              FunctionAnalysisManager &AM) {
  bool IsDeep =
      any_of(AM.getResult<LoopAnalysis>(F),
             [](const Loop *Outermost) { return isInDeepNest(*Outermost); });
  GVNOptions Options;
  if (IsDeep)
    Options.setLoadPRE(false);
  // For each block GVN asks in how many others a value is computed.
  constexpr size_t MaxBlocks = 4096;
  if (F.size() > MaxBlocks)
    Options.setPRE(false);
  return GVNPass(Options).run(F, AM);
}

} // namespace heddle::passes
