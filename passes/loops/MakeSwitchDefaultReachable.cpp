//===- MakeSwitchDefaultReachable.cpp - Switches with a way out -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM marks the default of a switch whose cases are all there are as
// unreachable. To analyses that is one more way out of the loop around it, and
// one more end of the function. Here the rarest case becomes the default.
//
//===----------------------------------------------------------------------===//

#include "passes/loops/Passes.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/ProfDataUtils.h"

using namespace llvm;

namespace heddle::passes {

static SwitchInst::CaseIt rarestCase(SwitchInst &S,
                                     SwitchInstProfUpdateWrapper &Weights) {
  SwitchInst::CaseIt Rarest = S.case_begin();
  for (auto Case = S.case_begin(); Case != S.case_end(); ++Case)
    if (Weights.getSuccessorWeight(Case->getSuccessorIndex()).value_or(0) <
        Weights.getSuccessorWeight(Rarest->getSuccessorIndex()).value_or(0))
      Rarest = Case;
  return Rarest;
}

static bool close(SwitchInst &S) {
  if (!S.defaultDestUnreachable() || S.getNumCases() == 0)
    return false;
  SwitchInstProfUpdateWrapper Weights(S);
  SwitchInst::CaseIt Case = rarestCase(S, Weights);
  // As many edges lead to the case's block as before.
  S.getDefaultDest()->removePredecessor(S.getParent());
  S.setDefaultDest(Case->getCaseSuccessor());
  Weights.setSuccessorWeight(
      0, Weights.getSuccessorWeight(Case->getSuccessorIndex()));
  Weights.removeCase(Case);
  return true;
}

PreservedAnalyses
MakeSwitchDefaultReachablePass::run(Function &F, FunctionAnalysisManager &) {
  bool Changed = false;
  for (BasicBlock &B : F)
    if (auto *S = dyn_cast<SwitchInst>(B.getTerminator()))
      Changed |= close(*S);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::passes
