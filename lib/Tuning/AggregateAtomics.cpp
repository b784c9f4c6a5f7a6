//===- AggregateAtomics.cpp - One reduction for a warp ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a warp that all add to one word, as counters and sums do, are
// served by the memory one after the other. With Knob::AggregateAtomics the
// threads that are together add up what they have, and one of them goes to
// memory for all:
//
//     together = activemask
//     sum = redux.add(value, together)
//     if (the lane is the first of together) atomic add(address, sum)
//
// That is for integers and without the old value, where the order makes no
// difference, and for addresses that are the same in the whole warp.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/Knobs.h"
#include "heddle/Tuning/Passes.h"

#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle::tuning {

/// The reduction of a warp that does what an atomic operation does; none if
/// there is none.
static std::optional<Intrinsic::ID> reductionFor(AtomicRMWInst::BinOp Op) {
  switch (Op) {
  case AtomicRMWInst::Add:
    return Intrinsic::nvvm_redux_sync_add;
  case AtomicRMWInst::And:
    return Intrinsic::nvvm_redux_sync_and;
  case AtomicRMWInst::Or:
    return Intrinsic::nvvm_redux_sync_or;
  case AtomicRMWInst::Xor:
    return Intrinsic::nvvm_redux_sync_xor;
  case AtomicRMWInst::Min:
    return Intrinsic::nvvm_redux_sync_min;
  case AtomicRMWInst::Max:
    return Intrinsic::nvvm_redux_sync_max;
  case AtomicRMWInst::UMin:
    return Intrinsic::nvvm_redux_sync_umin;
  case AtomicRMWInst::UMax:
    return Intrinsic::nvvm_redux_sync_umax;
  default:
    return std::nullopt;
  }
}

static bool isFit(const AtomicRMWInst &I, const UniformityInfo &Uniform) {
  return I.use_empty() && !I.isVolatile() &&
         I.getOrdering() == AtomicOrdering::Monotonic &&
         I.getType()->isIntegerTy(32) && reductionFor(I.getOperation()) &&
         Uniform.isUniform(I.getPointerOperand());
}

/// What the threads in \p Together have, in one value.
static Value *reduce(AtomicRMWInst &I, Value *Together, bool IsSame,
                     IRBuilder<> &B) {
  Value *V = I.getValOperand();
  if (IsSame && I.getOperation() == AtomicRMWInst::Add)
    return B.CreateMul(V, B.CreateUnaryIntrinsic(Intrinsic::ctpop, Together));
  if (IsSame && I.getOperation() != AtomicRMWInst::Xor)
    return V;
  return B.CreateIntrinsic(*reductionFor(I.getOperation()), {V, Together});
}

static void aggregate(AtomicRMWInst &I, bool IsSame) {
  IRBuilder<> B(&I);
  Value *Together = B.CreateIntrinsic(Intrinsic::nvvm_activemask, {});
  Value *All = reduce(I, Together, IsSame, B);
  Value *Before =
      B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, {});
  Value *IsFirst = B.CreateIsNull(B.CreateAnd(Together, Before));
  I.setOperand(1, All);
  I.moveBefore(SplitBlockAndInsertIfThen(IsFirst, I.getIterator(), false)
                   ->getIterator());
}

PreservedAnalyses AggregateAtomicsPass::run(Function &F,
                                            FunctionAnalysisManager &AM) {
  if (knobOf(F, Knob::AggregateAtomics) == 0)
    return PreservedAnalyses::all();
  const UniformityInfo &Uniform = AM.getResult<UniformityInfoAnalysis>(F);
  SmallVector<std::pair<AtomicRMWInst *, bool>> Fit;
  for (Instruction &I : instructions(F))
    if (auto *RMW = dyn_cast<AtomicRMWInst>(&I); RMW && isFit(*RMW, Uniform))
      Fit.push_back({RMW, Uniform.isUniform(RMW->getValOperand())});
  for (auto [RMW, IsSame] : Fit)
    aggregate(*RMW, IsSame);
  return Fit.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::tuning
