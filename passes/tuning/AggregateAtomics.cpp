//===- AggregateAtomics.cpp - One reduction for a warp ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a warp that all add to one word, as counters and sums do, are
// served by the memory one after the other. By rule, or with
// Knob::AggregateAtomics, the threads that are together add up what they have,
// and one of them goes to memory for all:
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
#include "passes/tuning/Passes.h"

#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace heddle::tuning;
using namespace llvm;

namespace heddle::passes {

/// How often code is added that finds out which threads are together, by rule.
static constexpr size_t MostGroups = 4;

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

/// Whether V is the number of a thread, or part of it.
static bool isThreadNumber(const Value *V, unsigned Depth = 0) {
  constexpr unsigned MostSteps = 4;
  if (const auto *I = dyn_cast<IntrinsicInst>(V))
    switch (I->getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    case Intrinsic::nvvm_read_ptx_sreg_laneid:
      return true;
    default:
      return false;
    }
  const auto *B = dyn_cast<BinaryOperator>(V);
  return B && Depth < MostSteps &&
         (isThreadNumber(B->getOperand(0), Depth + 1) ||
          isThreadNumber(B->getOperand(1), Depth + 1));
}

/// Whether \p BB is there for one thread of a warp, as far as one can see:
/// behind a comparison of its number.
static bool isForOneThread(const BasicBlock &BB) {
  constexpr unsigned MostBlocks = 8;
  const BasicBlock *To = &BB;
  for (unsigned I = 0; I != MostBlocks; ++I) {
    const BasicBlock *From = To->getSinglePredecessor();
    if (!From)
      return false;
    const auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    const auto *Compares = Branch && Branch->isConditional()
                               ? dyn_cast<ICmpInst>(Branch->getCondition())
                               : nullptr;
    if (Compares && Compares->isEquality() &&
        (Compares->getPredicate() == ICmpInst::ICMP_EQ) ==
            (Branch->getSuccessor(0) == To) &&
        isa<Constant>(Compares->getOperand(1)) &&
        isThreadNumber(Compares->getOperand(0)))
      return true;
    To = From;
  }
  return false;
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

namespace {

/// An atomic operation that is done for a warp, and the first such operation
/// of which one knows that all threads that do it come to this one.
struct Candidate {
  AtomicRMWInst *Operation;
  AtomicRMWInst *First;
  bool IsSame; ///< the value, in all threads
};

/// The threads that are together, and whether one is the first of them.
struct Group {
  Value *Together, *IsFirst;
};

} // namespace

static Group groupAt(AtomicRMWInst &I) {
  IRBuilder<> B(&I);
  Value *Together = B.CreateIntrinsic(Intrinsic::nvvm_activemask, {});
  Value *Before =
      B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_lanemask_lt, {});
  return {Together, B.CreateIsNull(B.CreateAnd(Together, Before))};
}

static void aggregate(AtomicRMWInst &I, const Group &G, bool IsSame) {
  IRBuilder<> B(&I);
  I.setOperand(1, reduce(I, G.Together, IsSame, B));
  I.moveBefore(SplitBlockAndInsertIfThen(G.IsFirst, I.getIterator(), false)
                   ->getIterator());
}

/// Whether threads that are together in front of \p I may not all be behind it,
/// or with others.
static bool mayPart(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return (Call && Call->isConvergent()) ||
         !isGuaranteedToTransferExecutionToSuccessor(&I);
}

static SmallVector<Candidate> candidatesOf(Function &F, bool ByRule,
                                           const UniformityInfo &Uniform) {
  SmallVector<Candidate> Found;
  for (BasicBlock &BB : F) {
    if (ByRule && isForOneThread(BB))
      continue;
    AtomicRMWInst *First = nullptr;
    for (Instruction &I : BB) {
      auto *RMW = dyn_cast<AtomicRMWInst>(&I);
      if (RMW && isFit(*RMW, Uniform)) {
        First = First ? First : RMW;
        Found.push_back({RMW, First, Uniform.isUniform(RMW->getValOperand())});
      } else if (mayPart(I)) {
        First = nullptr;
      }
    }
  }
  return Found;
}

PreservedAnalyses AggregateAtomicsPass::run(Function &F,
                                            FunctionAnalysisManager &AM) {
  if (knobOf(F, Knob::AggregateAtomics) != (ByRule ? 0 : 1))
    return PreservedAnalyses::all();
  SmallVector<Candidate> Found =
      candidatesOf(F, ByRule, AM.getResult<UniformityInfoAnalysis>(F));
  auto Groups = static_cast<size_t>(count_if(
      Found, [](const Candidate &C) { return C.Operation == C.First; }));
  if (Found.empty() || (ByRule && Groups > MostGroups))
    return PreservedAnalyses::all();
  Group G = {};
  for (const Candidate &C : Found) {
    if (C.Operation == C.First)
      G = groupAt(*C.First);
    aggregate(*C.Operation, G, C.IsSame);
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::passes
