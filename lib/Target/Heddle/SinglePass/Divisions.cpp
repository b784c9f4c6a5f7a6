//===- Divisions.cpp - Divisions by constants -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of integers of up to 32 bits, by multiplications (Hacker's Delight, chapter
// 10). Other divisions are calls of the device library.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "llvm/Support/DivisionByConstantInfo.h"

using namespace llvm;

namespace heddle::singlepass {

static constexpr unsigned Zero = RegisterFile::Zero;
static constexpr unsigned Word = 32;

bool Selector::selectDivision(const Instruction &I) {
  unsigned Opcode = I.getOpcode();
  bool IsSigned = Opcode == Instruction::SDiv || Opcode == Instruction::SRem;
  const auto *C = dyn_cast<ConstantInt>(I.getOperand(1));
  if (!C || C->isZero() || C->getBitWidth() > Word)
    return false;
  APInt By = IsSigned ? C->getValue().sext(Word) : C->getValue().zext(Word);
  unsigned X = useExtended(I.getOperand(0), IsSigned), D = define(I);
  if (IsSigned)
    divideSigned(D, X, By);
  else
    divideUnsigned(D, X, By);
  if (Opcode == Instruction::URem || Opcode == Instruction::SRem)
    W.emit(Heddle::IMAD_i, {D, D, int64_t((-By).getSExtValue()), X, 0});
  return true;
}

void Selector::divideUnsigned(unsigned D, unsigned X, const APInt &By) {
  if (By.isPowerOf2())
    return W.emit(Heddle::SHR_i, {D, X, int64_t(By.logBase2()), 0});
  auto Magic = UnsignedDivisionByConstantInfo::get(By);
  unsigned From = X;
  if (Magic.PreShift != 0) {
    W.emit(Heddle::SHR_i, {D, X, int64_t(Magic.PreShift), 0});
    From = D;
  }
  W.emit(Heddle::IMADHI_i,
         {D, From, int64_t(Magic.Magic.getSExtValue()), Zero, 0});
  if (Magic.IsAdd) {
    unsigned T = temporary(1);
    W.emit(Heddle::IADD3_r, {T, X, 0, D, 1, Zero, 0});
    W.emit(Heddle::SHR_i, {T, T, 1, 0});
    W.emit(Heddle::IADD3_r, {D, D, 0, T, 0, Zero, 0});
  }
  if (Magic.PostShift != 0)
    W.emit(Heddle::SHR_i, {D, D, int64_t(Magic.PostShift), 0});
}

void Selector::divideSigned(unsigned D, unsigned X, const APInt &By) {
  if (By.isOne())
    return move(D, X, 1);
  if (By.isAllOnes())
    return W.emit(Heddle::IADD3_r, {D, X, 1, Zero, 0, Zero, 0});
  auto Magic = SignedDivisionByConstantInfo::get(By);
  W.emit(Heddle::IMADHI_i,
         {D, X, int64_t(Magic.Magic.getSExtValue()), Zero, 1});
  if (By.isStrictlyPositive() && Magic.Magic.isNegative())
    W.emit(Heddle::IADD3_r, {D, D, 0, X, 0, Zero, 0});
  else if (By.isNegative() && Magic.Magic.isStrictlyPositive())
    W.emit(Heddle::IADD3_r, {D, D, 0, X, 1, Zero, 0});
  if (Magic.ShiftAmount != 0)
    W.emit(Heddle::SHR_i, {D, D, int64_t(Magic.ShiftAmount), 1});
  unsigned T = temporary(1);
  W.emit(Heddle::SHR_i, {T, D, int64_t(Word - 1), 0});
  W.emit(Heddle::IADD3_r, {D, D, 0, T, 0, Zero, 0});
}

} // namespace heddle::singlepass
