//===- RecoverPointers.cpp - Address arithmetic as pointers -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX computes addresses as integers. Where a function got the address of a
// caller's variable, inlining leaves
//
//   inttoptr (add (ptrtoint P), Offset)
//
// which hides the variable from SROA and alias analysis. It becomes a
// getelementptr of P, as InstCombine does where the sum has one use.
//
//===----------------------------------------------------------------------===//

#include "passes/scalar/Passes.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::passes {

namespace {

/// Sums are followed so deep.
constexpr unsigned MaxDepth = 6;

/// An address as a pointer and what is added to it.
struct Address {
  Value *Base = nullptr; ///< null: none was found
  SmallVector<Value *, 4> Offsets;
};

bool findBase(Value *V, Address &A, unsigned Depth) {
  Value *Left, *Right;
  const DataLayout &DL = cast<Instruction>(V)->getDataLayout();
  if (match(V, m_PtrToIntSameSize(DL, m_Value(A.Base))))
    return true;
  if (Depth == 0 || !match(V, m_AddLike(m_Value(Left), m_Value(Right))))
    return false;
  Address InLeft, InRight;
  bool IsLeft = isa<Instruction>(Left) && findBase(Left, InLeft, Depth - 1);
  bool IsRight = isa<Instruction>(Right) && findBase(Right, InRight, Depth - 1);
  if (IsLeft == IsRight) // of two pointers neither is the base
    return false;
  A = IsLeft ? std::move(InLeft) : std::move(InRight);
  A.Offsets.push_back(IsLeft ? Right : Left);
  return true;
}

bool recover(IntToPtrInst &I) {
  Address A;
  if (!isa<Instruction>(I.getOperand(0)) ||
      !findBase(I.getOperand(0), A, MaxDepth) ||
      A.Base->getType() != I.getType())
    return false;
  // Arithmetic may lead from one variable of the module to another, which a
  // pointer to the first must not; what a thread has for itself alone has no
  // neighbours that anybody knows.
  if (isa<GlobalValue>(getUnderlyingObject(A.Base)))
    return false;
  IRBuilder<> B(&I);
  Value *P = A.Base;
  for (Value *Offset : A.Offsets)
    P = B.CreateGEP(B.getInt8Ty(), P, Offset);
  I.replaceAllUsesWith(P);
  I.eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses RecoverPointersPass::run(Function &F,
                                           FunctionAnalysisManager &) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Cast = dyn_cast<IntToPtrInst>(&I))
      Changed |= recover(*Cast);
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses PA;
  PA.preserveSet<CFGAnalyses>();
  return PA;
}

} // namespace heddle::passes
