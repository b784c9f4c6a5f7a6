//===- KeepIfLoopsChange.cpp - Passes that may be taken back ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes run on the function itself, so that their remarks name it; a copy
// of it waits beside.
//
//===----------------------------------------------------------------------===//

#include "passes/pgo/KeepIfLoopsChange.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Tuning/Knobs.h"
#include "passes/pgo/Passes.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle::passes {

namespace {

/// What tells whether loops were repeated, copied or dissolved: how many there
/// are, and how many LLVM's unroller has been at.
struct LoopCount {
  size_t All = 0, Unrolled = 0;

  explicit LoopCount(const LoopInfo &LI) {
    for (const Loop *L : LI.getLoopsInPreorder()) {
      ++All;
      Unrolled += getBooleanLoopAttribute(L, "llvm.loop.unroll.disable");
    }
  }
  bool operator==(const LoopCount &) const = default;
};

/// The share of its instructions that a thread must save for that alone to be a
/// reason.
constexpr double LeastSaved = 0.05;

/// Whether a tuning document says anything of loops or loads.
bool isDecided(const Function &F) {
  using enum tuning::Knob;
  return any_of(ArrayRef{LoopPasses, HoistLoads, PipelineLoads, EarlyLoads},
                [&](tuning::Knob K) { return tuning::knobOf(F, K) != 0; });
}

/// Whether a call through a pointer became a comparison and direct calls, whose
/// bodies the passes clean up.
bool hasPromotedCalls(const Function &F) {
  auto IsFunction = [](const Value *V) {
    if (const auto *Cast = dyn_cast<ConstantExpr>(V);
        Cast && Cast->getOpcode() == Instruction::PtrToInt)
      V = Cast->getOperand(0);
    return isa<Function>(V->stripPointerCasts());
  };
  return any_of(instructions(F), [&](const Instruction &I) {
    return isa<ICmpInst>(I) && any_of(I.operand_values(), IsFunction);
  });
}

/// Nothing points into the body, so that another can take its place.
bool isReplaceable(const Function &F) {
  return none_of(F, [](const BasicBlock &B) { return B.hasAddressTaken(); });
}

/// Gives F the body of a copy that was made of it, and takes the copy away.
void restore(Function &F, Function &Copy) {
  GlobalValue::LinkageTypes Linkage = F.getLinkage();
  F.deleteBody();
  F.setLinkage(Linkage);
  F.setAttributes(Copy.getAttributes());
  F.copyMetadata(&Copy, 0);
  F.splice(F.begin(), &Copy);
  for (auto [Of, With] : zip_equal(Copy.args(), F.args()))
    Of.replaceAllUsesWith(&With);
  Copy.eraseFromParent();
}

} // namespace

PreservedAnalyses KeepIfLoopsChangePass::run(Function &F,
                                             FunctionAnalysisManager &AM) {
  if (isDecided(F) || hasPromotedCalls(F) || !isReplaceable(F))
    return Passes.run(F, AM);
  LoopCount Before(AM.getResult<LoopAnalysis>(F));
  double Executed = executedIn(F, AM.getResult<BlockFrequencyAnalysis>(F));
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&F, Map);
  PreservedAnalyses Preserved = Passes.run(F, AM);
  AM.invalidate(F, Preserved);
  if (Before != LoopCount(AM.getResult<LoopAnalysis>(F)) ||
      executedIn(F, AM.getResult<BlockFrequencyAnalysis>(F)) <=
          (1 - LeastSaved) * Executed) {
    Copy->eraseFromParent();
    return Preserved;
  }
  AM.clear(F, F.getName());
  restore(F, *Copy);
  F.addFnAttr(attr::LoopsLeft);
  return PreservedAnalyses::none();
}

} // namespace heddle::passes
