//===- LoadMotion.cpp - What passes that move loads share -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The computation of an address, as far as it can be done elsewhere.
//
//===----------------------------------------------------------------------===//

#include "passes/loops/LoadMotion.h"

#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace heddle::passes {

bool collectComputation(Value *V,
                        function_ref<bool(const Instruction &)> IsKnown,
                        unsigned Most, Instructions &Into) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Into.contains(I) || IsKnown(*I))
    return true;
  if (isa<PHINode>(I) || I->mayReadOrWriteMemory() ||
      !isSafeToSpeculativelyExecute(I) || Into.size() >= Most ||
      !all_of(I->operands(), [&](Value *Operand) {
        return collectComputation(Operand, IsKnown, Most, Into);
      }))
    return false;
  Into.insert(I);
  return true;
}

} // namespace heddle::passes
