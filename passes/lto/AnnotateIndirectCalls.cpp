//===- AnnotateIndirectCalls.cpp - What pointers' targets share -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a program that is complete, a call through a pointer can only reach a
// function whose address the program takes. What all of these have in common,
// that they return, and which memory they touch, is true of the call, so that
// loads can move over it.
//
//===----------------------------------------------------------------------===//

#include "passes/lto/Passes.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ModRef.h"

using namespace llvm;

namespace heddle::passes {

namespace {

/// What holds for every function whose address is taken.
struct CommonBehaviour {
  MemoryEffects Memory = MemoryEffects::none();
  bool WillReturn = true, DoesNotThrow = true;

  void add(const Function &F) {
    Memory |= F.getMemoryEffects();
    WillReturn &= F.willReturn();
    DoesNotThrow &= F.doesNotThrow();
  }
  void describe(CallBase &Call) const {
    // Of arguments a function knows more than its callers do.
    MemoryEffects Known = Memory;
    if (isModOrRefSet(Memory.getModRef(IRMemLocation::ArgMem)))
      Known = MemoryEffects::unknown();
    Call.setMemoryEffects(Call.getMemoryEffects() & Known);
    if (WillReturn)
      Call.addFnAttr(Attribute::WillReturn);
    if (DoesNotThrow)
      Call.setDoesNotThrow();
  }
};

} // namespace

PreservedAnalyses AnnotateIndirectCallsPass::run(Module &M,
                                                 ModuleAnalysisManager &) {
  CommonBehaviour Common;
  bool IsAny = false;
  for (const Function &F : M) {
    if (F.isIntrinsic() || !F.hasAddressTaken())
      continue;
    IsAny = true;
    Common.add(F); // A declaration may do anything.
  }
  if (!IsAny)
    return PreservedAnalyses::all();
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->isIndirectCall())
        Common.describe(*Call);
  return PreservedAnalyses::none();
}

} // namespace heddle::passes
