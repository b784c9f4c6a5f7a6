//===- MaterializeNulls.cpp - Nulls of generic addresses --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's inference of address spaces takes a generic null for the null of any
// space. Here a shared or local variable may be at address 0 of its space,
// which is no null as a generic address. Where a function has such addresses,
// nulls among generic ones become instructions, which the inference leaves as
// they are and InstCombine makes nulls again.
//
//===----------------------------------------------------------------------===//

#include "passes/scalar/Passes.h"

#include "heddle/Support/AddressSpace.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::passes {

static bool isGeneric(const Type *T) {
  return T->isPointerTy() && T->getPointerAddressSpace() == addrspace::Generic;
}

/// Whether V is a generic address of a space with addresses of its own.
static bool isOfOtherSpace(const Value *V) {
  if (!isGeneric(V->getType()))
    return false;
  const Value *Object = getUnderlyingObject(V);
  unsigned Space = Object->getType()->isPointerTy()
                       ? Object->getType()->getPointerAddressSpace()
                       : addrspace::Generic;
  return Space != addrspace::Generic && Space != addrspace::Global;
}

static bool hasOtherSpaces(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    if (const auto *Cast = dyn_cast<AddrSpaceCastInst>(&I))
      return isOfOtherSpace(Cast);
    return any_of(I.operands(), [](const Use &U) {
      return isa<ConstantExpr>(U) && isOfOtherSpace(U);
    });
  });
}

/// Constants that the inference would take for addresses of any space.
static bool isMistaken(const Value *V) {
  const auto *C = dyn_cast<Constant>(V);
  if (!C || !isGeneric(C->getType()))
    return false;
  const auto *Expression = dyn_cast<ConstantExpr>(C);
  return C->isNullValue() ||
         (Expression && Expression->getOpcode() == Instruction::IntToPtr);
}

PreservedAnalyses MaterializeNullsPass::run(Function &F,
                                            FunctionAnalysisManager &) {
  if (!hasOtherSpaces(F))
    return PreservedAnalyses::all();
  const DataLayout &DL = F.getDataLayout();
  BasicBlock::iterator Start = F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  DenseMap<Constant *, Instruction *> Hidden;
  for (Instruction &I : instructions(F)) {
    if (!isa<PHINode, SelectInst, ICmpInst>(I))
      continue;
    for (Use &U : I.operands()) {
      if (!isMistaken(U))
        continue;
      auto *C = cast<Constant>(U);
      Instruction *&New = Hidden[C];
      if (!New) {
        Constant *Bits =
            isa<ConstantExpr>(C)
                ? cast<Constant>(C->getOperand(0))
                : ConstantInt::get(DL.getIntPtrType(C->getType()), 0);
        New = new IntToPtrInst(Bits, C->getType(), "null", Start);
      }
      U.set(New);
    }
  }
  if (Hidden.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace heddle::passes
