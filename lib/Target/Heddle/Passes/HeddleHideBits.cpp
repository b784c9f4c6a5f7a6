//===- HeddleHideBits.cpp - Values of which no bit is known -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The combiner of selection graphs asks, for each sum and each logical
// operation, which bits of the operands are known. It looks through six
// operations in a row, on all ways, and keeps no answer. Where sums and
// exclusive-ors follow each other, as in hash functions, these questions are
// most of the selection's time.
//
// A result of which surely no bit is known, and which has several users or a
// user that it is never joined with, stands behind a move that the combiner
// does not look through. The selection drops the move before it matches
// patterns.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddlePasses.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-hide-bits"

namespace {

/// Results, at least, of a block in which they are hidden: in a shorter one the
/// questions take no time to speak of.
constexpr size_t FewestResults = 64;

class HeddleHideBits : public FunctionPass {
public:
  static char ID;
  HeddleHideBits() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Heddle hidden bits"; }
  bool runOnFunction(Function &F) override;
};

/// The values of a function of which surely no bit is known, as far as the
/// function was looked at.
class UnknownValues {
public:
  bool contains(const Value *V) const { return Values.contains(V); }
  /// Looks at an instruction behind those that it reads. Whether its result is
  /// one of the values.
  bool add(const Instruction &I) {
    return isUnknown(I) && Values.insert(&I).second;
  }

private:
  bool isUnknown(const Instruction &I) const;

  DenseSet<const Value *> Values;
};

bool UnknownValues::isUnknown(const Instruction &I) const {
  if (!I.getType()->isIntegerTy(32))
    return false;
  auto Has = [&](unsigned Operand) { return contains(I.getOperand(Operand)); };
  switch (I.getOpcode()) {
  case Instruction::Load:
    return !I.hasMetadata(LLVMContext::MD_range);
  case Instruction::ExtractElement: {
    // Of neighbouring words that were joined.
    const auto *Load = dyn_cast<LoadInst>(I.getOperand(0));
    return Load && !Load->hasMetadata(LLVMContext::MD_range);
  }
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Xor:
    // With itself, everything is known of the result, or its lowest bit.
    return I.getOperand(0) != I.getOperand(1) && (Has(0) || Has(1));
  case Instruction::And:
  case Instruction::Or:
    return Has(0) && Has(1);
  case Instruction::Select:
    return Has(1) || Has(2);
  case Instruction::Call:
    switch (cast<CallInst>(I).getIntrinsicID()) {
    case Intrinsic::bswap:
    case Intrinsic::bitreverse:
      return Has(0);
    case Intrinsic::fshl:
    case Intrinsic::fshr:
      return Has(0) && Has(1);
    default:
      return false;
    }
  default:
    return false;
  }
}

/// Whether the combiner asks for the bits of \p I on several ways, or for those
/// of a sum in a logical operation or the other way round, which it never
/// joins.
bool isAskedOften(const Instruction &I) {
  if (!I.isBinaryOp())
    return false;
  if (I.hasNUsesOrMore(2))
    return true;
  const auto *User =
      I.use_empty() ? nullptr : dyn_cast<BinaryOperator>(I.user_back());
  return User && I.isBitwiseLogicOp() != User->isBitwiseLogicOp();
}

void hide(Instruction &I) {
  IRBuilder<> B(I.getNextNode());
  B.SetCurrentDebugLocation(I.getDebugLoc());
  Value *Move = B.CreateIntrinsic(Intrinsic::nvvm_move_i32, ArrayRef<Type *>(),
                                  ArrayRef<Value *>(&I));
  I.replaceUsesWithIf(Move, [&](Use &U) { return U.getUser() != Move; });
}

bool HeddleHideBits::runOnFunction(Function &F) {
  bool Changed = false;
  UnknownValues Unknown;
  for (BasicBlock &Block : F) {
    SmallVector<Instruction *, 32> Hidden;
    for (Instruction &I : Block)
      if (Unknown.add(I) && isAskedOften(I))
        Hidden.push_back(&I);
    if (Hidden.size() < FewestResults)
      continue;
    for_each(Hidden, [](Instruction *I) { hide(*I); });
    Changed = true;
  }
  return Changed;
}

} // namespace

char HeddleHideBits::ID = 0;

INITIALIZE_PASS(HeddleHideBits, DEBUG_TYPE, "Heddle hidden bits", false, false)

FunctionPass *llvm::createHeddleHideBitsPass() { return new HeddleHideBits(); }
