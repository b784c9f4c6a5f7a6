//===- PrepareModule.cpp - LLVM IR before optimisation ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks and the directives that a module passes once, before it is divided
// into partitions.
//
//===----------------------------------------------------------------------===//

#include "PrepareModule.h"
#include "Reports.h"

#include "passes/pipeline/Pipeline.h"
#include "passes/tuning/Passes.h"

#include "heddle/Link/ModuleLink.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Target/Relocatable.h"
#include "heddle/Tuning/Knobs.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;

namespace heddle::compiler {

/// IR of our own making that does not verify is a defect of ours; say so.
static Error verify(const Module &M) {
  std::string Fault;
  raw_string_ostream OS(Fault);
  if (!verifyModule(M, &OS))
    return Error::success();
  return createStringError(inconvertibleErrorCode(),
                           "internal error: invalid LLVM IR: " + Fault);
}

/// Makes all declarations of dynamic shared memory one, since all of them are
/// at one place, which LLVM does not believe of different names. Its alignment
/// is the largest of theirs.
static void uniteDynamicShared(Module &M) {
  GlobalVariable *One = nullptr;
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    if (G.getAddressSpace() != addrspace::Shared || !G.isDeclaration() ||
        M.getDataLayout().getTypeAllocSize(G.getValueType()) != 0)
      continue;
    if (!One) {
      One = &G;
      continue;
    }
    One->setAlignment(
        std::max(One->getAlign().valueOrOne(), G.getAlign().valueOrOne()));
    SmallVector<DIGlobalVariableExpression *, 1> Descriptions;
    G.getDebugInfo(Descriptions);
    for (DIGlobalVariableExpression *Each : Descriptions)
      One->addDebugInfo(Each);
    G.replaceAllUsesWith(One);
    G.eraseFromParent();
  }
}

Error prepareModule(Module &M, const Settings &S) {
  uniteDynamicShared(M);
  if (S.DropDebugInfo) {
    if (S.Remarks)
      keepLinesForRemarks(M);
    else
      StripDebugInfo(M);
  }
  if (Error E = applyDirectives(M, S))
    return E;
  if (Error E = applyAssumptions(M, S))
    return E;
  if (Error E = passes::applyDocument(M, S.Tuning))
    return E;
  if (S.SeparateCTAs)
    for (Function &F : M)
      if (knobOf(F, tuning::Knob::CoarsenCTAs) != 1)
        setKnob(F, tuning::Knob::CoarsenCTAs, 1);
  return Error::success();
}

Error checkModule(Module &M, const Settings &S, StringRef File,
                  Reporter &Report, CompileControl &Control) {
  // What the frontend makes does not depend on the level, and at -O0 the check
  // would take a twentieth of the time.
  if (S.OptLevel != 0)
    if (Error E = verify(M))
      return E;
  if (Report.isEnabled(WarningId::DoublePrecision))
    warnOfDouble(M, File, Report);
  if (Error E = prepareModule(M, S))
    return E;
  if (S.OptLevel >= 2)
    passes::alignVariables(M);
  if (S.Relocatable) {
    describeLinkedSymbols(M);
    setRelocatable(M);
  } else {
    checkExternalSymbols(M, File, Report);
    internalizeProgram(M, Control);
  }
  return Report.failed() ? aborted() : Error::success();
}

} // namespace heddle::compiler
