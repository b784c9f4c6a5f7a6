//===- ForgetProfile.cpp - Kernels whose time is others' --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that change the same words wait for each other. A launch in which
// they do that often takes as long as the words' queues: a thread that comes a
// few cycles earlier stands in the way of others, so that shorter code may take
// longer. A profile can only make code a little shorter where it neither
// changes a loop nor makes a copy for arguments. Such a kernel is compiled as
// without one.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/Kernels.h"
#include "heddle/IR/ProfileMetadata.h"
#include "heddle/Support/Attributes.h"
#include "passes/pgo/Passes.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::passes {

namespace {

/// The share of its instructions from which on a thread's atomic operations
/// matter more than what is between them.
constexpr double LeastShare = 1.0 / 64;

/// How many atomic operations a thread executes.
double atomicsIn(const Function &F, const BlockFrequencyInfo &BFI) {
  double Sum = 0;
  for (const Instruction &I : instructions(F))
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
      Sum +=
          static_cast<double>(BFI.getBlockFreq(I.getParent()).getFrequency());
  return Sum / static_cast<double>(BFI.getEntryFreq().getFrequency());
}

void forget(Function &F) {
  F.setMetadata(LLVMContext::MD_prof, nullptr);
  F.setMetadata(ir::ArgumentsName, nullptr);
  for (Instruction &I : instructions(F)) {
    I.setMetadata(LLVMContext::MD_prof, nullptr);
    I.setMetadata(ir::DivergenceName, nullptr);
    I.setMetadata(ir::TripsName, nullptr);
  }
}

} // namespace

PreservedAnalyses ForgetProfilePass::run(Function &F,
                                         FunctionAnalysisManager &AM) {
  if (!ir::isKernel(F) || !hasProfile(F) ||
      !F.hasFnAttribute(attr::LoopsLeft) ||
      F.hasFnAttribute(attr::ArgumentCopy))
    return PreservedAnalyses::all();
  const auto &BFI = AM.getResult<BlockFrequencyAnalysis>(F);
  if (atomicsIn(F, BFI) < LeastShare * executedIn(F, BFI))
    return PreservedAnalyses::all();
  forget(F);
  PreservedAnalyses PA;
  PA.preserveSet<CFGAnalyses>();
  // They follow from weights.
  PA.abandon<BlockFrequencyAnalysis>();
  PA.abandon<BranchProbabilityAnalysis>();
  return PA;
}

} // namespace heddle::passes
