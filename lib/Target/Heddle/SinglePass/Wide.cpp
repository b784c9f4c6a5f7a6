//===- Wide.cpp - Integers of 128 bits --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer of 128 bits is four words, or two halves of 64 bits each.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"

using namespace llvm;

namespace heddle::singlepass {

static constexpr unsigned Zero = RegisterFile::Zero, True = 7;

/// Half of a value, or a word.
static unsigned part(unsigned R, unsigned Offset) {
  return R == Zero ? R : R + Offset;
}

bool Selector::selectWide(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
    return selectWideSum(I, I.getOpcode() == Instruction::Sub), true;
  case Instruction::Mul:
    return selectWideProduct(I), true;
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return selectLogic(I), true;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return selectWideShift(I), true;
  default:
    return false;
  }
}

/// The low half's carry is whether its sum is less than a summand, its borrow
/// whether the minuend is less than the subtrahend.
void Selector::selectWideSum(const Instruction &I, bool Subtracts) {
  unsigned X = use(I.getOperand(0)), Y = use(I.getOperand(1)), D = define(I);
  unsigned P = scratchPredicate(), Carry = temporary(2);
  auto IsLess = [&](unsigned A, unsigned B) {
    W.emit(Heddle::ISETP64_r,
           {P, A, B, isa::CmpI::Less, 0, isa::BoolOp::And, True, 0});
  };
  if (Subtracts)
    IsLess(X, Y);
  W.emit(Heddle::IADD64_r, {D, X, 0, Y, Subtracts});
  if (!Subtracts)
    IsLess(D, X);
  W.emit(Heddle::SEL64_i, {Carry, Zero, 1, P, 1});
  W.emit(Heddle::IADD64_r, {D + 2, part(X, 2), 0, part(Y, 2), Subtracts});
  W.emit(Heddle::IADD64_r, {D + 2, D + 2, 0, Carry, Subtracts});
}

/// The words of V that may be other than zero.
static unsigned wordsOf(const Value *V) {
  const auto *Cast = dyn_cast<ZExtInst>(V);
  if (!Cast)
    return 4;
  return Cast->getSrcTy()->getScalarSizeInBits() > 32 ? 2 : 1;
}

/// Each word of one by each word of the other; what is carried into the next
/// word never exceeds a word.
void Selector::selectWideProduct(const Instruction &I) {
  constexpr unsigned Words = 4;
  const Value *VX = I.getOperand(0), *VY = I.getOperand(1);
  unsigned X = use(VX), Y = use(VY), D = define(I), T = temporary(2);
  for (unsigned N = 0; N != Words; N += 2)
    moveBits(D + N, 2, 0);
  for (unsigned A = 0; A != wordsOf(VX); ++A) {
    unsigned Carry = Zero;
    for (unsigned B = 0; A + B != Words; ++B) {
      if (B >= wordsOf(VY)) {
        // Nothing stands there yet.
        if (Carry != Zero)
          move(D + A + B, Carry, 1);
        break;
      }
      W.emit(Heddle::IMADW_r, {T, part(X, A), part(Y, B), Zero, 0});
      W.emit(Heddle::LEA64_r, {T, D + A + B, T, 0, 0});
      if (Carry != Zero)
        W.emit(Heddle::LEA64_r, {T, Carry, T, 0, 0});
      else
        Carry = temporary(1);
      move(D + A + B, T, 1);
      move(Carry, T + 1, 1);
    }
  }
}

void Selector::selectWideShift(const Instruction &I) {
  bool IsLeft = I.getOpcode() == Instruction::Shl,
       IsSigned = I.getOpcode() == Instruction::AShr;
  unsigned X = use(I.getOperand(0)), D = define(I);
  const Value *Amount = I.getOperand(1);
  // To the half from which bits go, and from there to the other.
  unsigned From = IsLeft ? 0 : 2, To = IsLeft ? 2 : 0;
  if (const auto *C = dyn_cast<ConstantInt>(root(Amount)))
    return shiftWideBy(D, X, C->getLimitedValue(127), IsLeft, IsSigned);
  unsigned By = use(Amount), Rest = temporary(1), Beyond = temporary(1),
           T = temporary(2);
  constexpr int64_t Half = 64;
  W.emit(Heddle::IADD3_i, {Rest, By, 1, Half, 0, Zero, 0});
  W.emit(Heddle::IADD3_i, {Beyond, By, 0, -Half, 0, Zero, 0});
  auto Shift = [&](unsigned To, unsigned From, unsigned By, bool Left,
                   bool Signed) {
    if (Left)
      W.emit(Heddle::SHL64_r, {To, From, By});
    else
      W.emit(Heddle::SHR64_r, {To, From, By, Signed});
  };
  // Amounts beyond a half give nothing, negative ones likewise.
  Shift(D + To, part(X, To), By, IsLeft, false);
  Shift(T, part(X, From), Rest, !IsLeft, false);
  for (unsigned N : {0, 1})
    logic(D + To + N, D + To + N, T + N, false, lut::Or);
  Shift(T, part(X, From), Beyond, IsLeft, IsSigned);
  if (IsSigned) {
    unsigned P = scratchPredicate();
    W.emit(Heddle::ISETP_i,
           {P, By, Half, isa::CmpI::Less, 0, isa::BoolOp::And, True, 0});
    W.emit(Heddle::SEL64_r, {D + To, D + To, T, P, 0});
  } else {
    for (unsigned N : {0, 1})
      logic(D + To + N, D + To + N, T + N, false, lut::Or);
  }
  Shift(D + From, part(X, From), By, IsLeft, IsSigned);
}

/// By a constant below 128.
void Selector::shiftWideBy(unsigned D, unsigned X, unsigned By, bool IsLeft,
                           bool IsSigned) {
  constexpr unsigned Words = 4, Bits = 32;
  unsigned Skip = By / Bits, Rest = By % Bits;
  auto Source = [&](int Word) -> unsigned {
    return Word < 0 || Word >= int(Words) ? Zero : part(X, Word);
  };
  unsigned Sign = Zero;
  if (IsSigned) {
    Sign = temporary(1);
    W.emit(Heddle::SHR_i, {Sign, part(X, Words - 1), int64_t(Bits - 1), 1});
  }
  for (unsigned N = 0; N != Words; ++N) {
    int At = IsLeft ? int(N) - int(Skip) : int(N + Skip);
    unsigned Main = Source(At), Next = Source(IsLeft ? At - 1 : At + 1);
    if (!IsLeft && At >= int(Words))
      Main = Sign;
    if (!IsLeft && At + 1 >= int(Words))
      Next = Sign;
    if (Rest == 0)
      move(D + N, Main, 1);
    else if (IsLeft)
      W.emit(Heddle::FSHL_i, {D + N, Next, int64_t(Rest), Main, 1});
    else
      W.emit(Heddle::FSHR_i, {D + N, Main, int64_t(Rest), Next, 1});
  }
}

/// Of the low halves without signs, unless the high halves decide.
void Selector::selectWideComparison(const ICmpInst &I) {
  unsigned X = use(I.getOperand(0)), Y = use(I.getOperand(1));
  unsigned P = definePredicate(I);
  auto Compare = [&](unsigned Offset, isa::CmpI How, bool Signed,
                     isa::BoolOp With, unsigned Before) {
    W.emit(Heddle::ISETP64_r,
           {P, part(X, Offset), part(Y, Offset), How, Signed, With, Before, 0});
  };
  using isa::BoolOp;
  using isa::CmpI;
  CmpInst::Predicate Kind = I.getPredicate();
  if (Kind == CmpInst::ICMP_EQ || Kind == CmpInst::ICMP_NE) {
    bool IsEqual = Kind == CmpInst::ICMP_EQ;
    CmpI How = IsEqual ? CmpI::Equal : CmpI::NotEqual;
    Compare(0, How, false, BoolOp::And, True);
    Compare(2, How, false, IsEqual ? BoolOp::And : BoolOp::Or, P);
    return finishPredicate(I, P);
  }
  bool IsLess = Kind == CmpInst::ICMP_ULT || Kind == CmpInst::ICMP_SLT ||
                Kind == CmpInst::ICMP_ULE || Kind == CmpInst::ICMP_SLE;
  bool IsStrict = CmpInst::isStrictPredicate(Kind);
  CmpI Strictly = IsLess ? CmpI::Less : CmpI::Greater,
       Weakly = IsLess ? CmpI::LessEqual : CmpI::GreaterEqual;
  Compare(0, IsStrict ? Strictly : Weakly, false, BoolOp::And, True);
  Compare(2, CmpI::Equal, false, BoolOp::And, P);
  Compare(2, Strictly, CmpInst::isSigned(Kind), BoolOp::Or, P);
  finishPredicate(I, P);
}

} // namespace heddle::singlepass
