//===- VectorizeAccesses.cpp - Neighbouring accesses joined -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's vectorizer of loads and stores, which does not say what it did.
//
//===----------------------------------------------------------------------===//

#include "VectorizeAccesses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-vectorize-accesses"

namespace heddle::compiler {

static bool isAccess(const Instruction &I) {
  return isa<LoadInst, StoreInst>(I);
}

static void reportAccess(const Instruction &I,
                         OptimizationRemarkEmitter &Remarks) {
  auto *Type = dyn_cast<FixedVectorType>(getLoadStoreType(&I));
  if (!Type)
    return;
  Remarks.emit([&] {
    return OptimizationRemark(DEBUG_TYPE, "Vectorized", &I)
           << ore::NV("Count", Type->getNumElements())
           << (isa<LoadInst>(I) ? " loads" : " stores") << " joined to one of "
           << ore::NV("Bits",
                      I.getDataLayout().getTypeSizeInBits(Type).getFixedValue())
           << " bits";
  });
}

PreservedAnalyses VectorizeAccessesPass::run(Function &F,
                                             FunctionAnalysisManager &AM) {
  auto &Remarks = AM.getResult<OptimizationRemarkEmitterAnalysis>(F);
  bool IsAsked = Remarks.allowExtraAnalysis(DEBUG_TYPE);
  // Only compared: what is gone by then is not looked at.
  SmallPtrSet<const Instruction *, 32> Before;
  if (IsAsked)
    for (const Instruction &I : instructions(F))
      if (isAccess(I))
        Before.insert(&I);
  PreservedAnalyses Preserved = LoadStoreVectorizerPass().run(F, AM);
  if (IsAsked)
    for (const Instruction &I : instructions(F))
      if (isAccess(I) && !Before.contains(&I))
        reportAccess(I, Remarks);
  return Preserved;
}

} // namespace heddle::compiler
