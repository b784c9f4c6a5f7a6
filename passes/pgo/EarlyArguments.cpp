//===- EarlyArguments.cpp - Arguments read at a kernel's start --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels read their arguments at their start, where they wait for all of them
// together. What uses one in a single block, such as a division that is not yet
// lowered, is moved there by the simplifier, and takes its argument along; a
// warp then waits for it alone. Where a profile says that the block is no rare
// one, the argument is read at the start again. In a kernel that has much else
// to do, the wait does not show, and other code may be worse by chance.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/KernelArguments.h"
#include "heddle/IR/Kernels.h"
#include "passes/pgo/Passes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/IR/Instructions.h"

using namespace heddle::ir;
using namespace llvm;

namespace heddle::passes {

namespace {

/// The share of the threads that must come to where an argument is used.
constexpr double LeastShare = 1.0 / 8;
/// Instructions that a thread may execute for a wait to show.
constexpr double MostExecuted = 1000;
/// Bytes of arguments that are read early: they take registers from there on.
constexpr uint64_t MostBytes = 64;

bool readsConstantArgument(const LoadInst &Load) {
  return Load.isSimple() && isa<Constant>(Load.getPointerOperand()) &&
         argumentOffset(Load);
}

} // namespace

double executedIn(const Function &F, const BlockFrequencyInfo &BFI) {
  double Sum = 0;
  for (const BasicBlock &B : F)
    Sum += static_cast<double>(BFI.getBlockFreq(&B).getFrequency()) *
           static_cast<double>(B.sizeWithoutDebug());
  return Sum / static_cast<double>(BFI.getEntryFreq().getFrequency());
}

PreservedAnalyses EarlyArgumentsPass::run(Function &F,
                                          FunctionAnalysisManager &AM) {
  if (!ir::isKernel(F) || !hasProfile(F))
    return PreservedAnalyses::all();
  auto &BFI = AM.getResult<BlockFrequencyAnalysis>(F);
  if (executedIn(F, BFI) > MostExecuted)
    return PreservedAnalyses::all();
  auto Often = [&](const BasicBlock &B) {
    return static_cast<double>(BFI.getBlockFreq(&B).getFrequency());
  };
  BasicBlock &Entry = F.getEntryBlock();
  const double Least = LeastShare * Often(Entry);
  uint64_t Bytes = 0;
  SmallVector<LoadInst *, 8> Late;
  for (BasicBlock &B : F)
    for (Instruction &I : B) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || &B == &Entry || Often(B) < Least ||
          !readsConstantArgument(*Load))
        continue;
      Bytes += F.getDataLayout().getTypeStoreSize(Load->getType());
      if (Bytes <= MostBytes)
        Late.push_back(Load);
    }
  BasicBlock::iterator Start = Entry.getFirstNonPHIOrDbgOrAlloca();
  for (LoadInst *Load : Late)
    Load->moveBefore(Start);
  if (Late.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses PA;
  PA.preserveSet<CFGAnalyses>();
  return PA;
}

} // namespace heddle::passes
