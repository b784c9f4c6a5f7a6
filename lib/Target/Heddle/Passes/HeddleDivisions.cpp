//===- HeddleDivisions.cpp - Divisions that are left ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divisions become calls of the device library before code is generated. A
// division that reaches this pass all the same becomes a loop over bits.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddlePasses.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-divisions"

namespace {

class HeddleDivisions : public FunctionPass {
public:
  static char ID;
  HeddleDivisions() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Heddle divisions"; }
  bool runOnFunction(Function &F) override;
};

} // namespace

char HeddleDivisions::ID = 0;

INITIALIZE_PASS(HeddleDivisions, DEBUG_TYPE, "Heddle divisions", false, false)

/// By a constant it is a multiplication.
static bool isLeft(const Instruction &I) {
  return I.isIntDivRem() && I.getType()->isIntegerTy() &&
         I.getType()->getIntegerBitWidth() <= 64 &&
         !isa<ConstantInt>(I.getOperand(1));
}

bool HeddleDivisions::runOnFunction(Function &F) {
  SmallVector<BinaryOperator *> Left;
  for (Instruction &I : instructions(F))
    if (isLeft(I))
      Left.push_back(cast<BinaryOperator>(&I));
  for (BinaryOperator *Op : Left) {
    bool IsRemainder = Op->getOpcode() == Instruction::URem ||
                       Op->getOpcode() == Instruction::SRem;
    bool IsShort = Op->getType()->getIntegerBitWidth() <= 32;
    auto Expand = IsRemainder ? IsShort ? expandRemainderUpTo32Bits
                                        : expandRemainderUpTo64Bits
                  : IsShort   ? expandDivisionUpTo32Bits
                              : expandDivisionUpTo64Bits;
    Expand(Op);
  }
  return !Left.empty();
}

FunctionPass *llvm::createHeddleDivisionsPass() {
  return new HeddleDivisions();
}
