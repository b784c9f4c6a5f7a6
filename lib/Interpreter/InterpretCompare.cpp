//===- InterpretCompare.cpp - Comparison and selection of PTX ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chapters 9.7.6 and 9.7.7 of the PTX manual.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

bool compareIntegers(Cmp C, SignedBits A, SignedBits B) {
  switch (C) {
  case Cmp::Eq:
    return A == B;
  case Cmp::Ne:
    return A != B;
  case Cmp::Lt:
  case Cmp::Lo:
    return A < B;
  case Cmp::Le:
  case Cmp::Ls:
    return A <= B;
  case Cmp::Gt:
  case Cmp::Hi:
    return A > B;
  case Cmp::Ge:
  case Cmp::Hs:
    return A >= B;
  default:
    return false; // The verifier admits the others for floats only.
  }
}

/// The ordered comparisons are false, the unordered ones true, of a NaN.
bool compareFloats(Cmp C, const APFloat &A, const APFloat &B) {
  APFloat::cmpResult R = A.compare(B);
  bool Unordered = R == APFloat::cmpUnordered;
  bool Less = R == APFloat::cmpLessThan, Equal = R == APFloat::cmpEqual,
       Greater = R == APFloat::cmpGreaterThan;
  switch (C) {
  case Cmp::Eq:
    return Equal;
  case Cmp::Ne:
    return Less || Greater;
  case Cmp::Lt:
    return Less;
  case Cmp::Le:
    return Less || Equal;
  case Cmp::Gt:
    return Greater;
  case Cmp::Ge:
    return Greater || Equal;
  case Cmp::Equ:
    return Equal || Unordered;
  case Cmp::Neu:
    return !Equal;
  case Cmp::Ltu:
    return Less || Unordered;
  case Cmp::Leu:
    return !Greater;
  case Cmp::Gtu:
    return Greater || Unordered;
  case Cmp::Geu:
    return !Less;
  case Cmp::Num:
    return !Unordered;
  case Cmp::Nan:
    return Unordered;
  default:
    return false; // The verifier admits the others for integers only.
  }
}

/// The comparison of the numbers, or of element \p Element of packed ones.
bool compare(const Modifiers &M, ScalarType Ty, Bits A, Bits B,
             unsigned Element = 0) {
  ScalarType One = elementType(Ty);
  unsigned At = Element * bitWidth(One);
  if (isFloat(One))
    return compareFloats(M.Cmp, floatOperand(M, One, A >> At),
                         floatOperand(M, One, B >> At));
  // The bits of untyped operands are unsigned numbers.
  return compareIntegers(M.Cmp, integerValue(One, A >> At),
                         integerValue(One, B >> At));
}

bool combine(BoolOp Op, bool Result, bool With) {
  switch (Op) {
  case BoolOp::None:
    return Result;
  case BoolOp::And:
    return Result && With;
  case BoolOp::Or:
    return Result || With;
  case BoolOp::Xor:
    return Result != With;
  }
  llvm_unreachable("unknown combination");
}

bool isFloatPair(ScalarType Ty) { return isPacked(Ty) && isFloat(Ty); }

/// The second predicate is of the complement, or of the upper element.
void evaluateSetp(const Instruction &I, const Bits *In, Bits *Out) {
  const Modifiers &M = I.Mods;
  bool With = I.Operands.size() > 2 && (In[2] & 1);
  bool First = compare(M, M.Ty, In[0], In[1]);
  bool Second = isFloatPair(M.Ty) ? compare(M, M.Ty, In[0], In[1], 1) : !First;
  Out[0] = combine(M.BoolOp, First, With);
  if (I.Results.size() > 1)
    Out[1] = combine(M.BoolOp, Second, With);
}

/// What `true` is in the destination type.
Bits trueValue(ScalarType Ty) {
  if (isFloat(Ty))
    return floatBits(Ty, APFloat(semanticsOf(Ty), 1));
  return lowBits(~Bits(0), bitWidth(Ty));
}

void evaluateSet(const Instruction &I, const Bits *In, Bits *Out) {
  const Modifiers &M = I.Mods;
  bool With = I.Operands.size() > 2 && (In[2] & 1);
  if (!isFloatPair(M.SrcTy)) {
    bool Result = combine(M.BoolOp, compare(M, M.SrcTy, In[0], In[1]), With);
    Out[0] = Result ? trueValue(M.Ty) : Bits(0);
    return;
  }
  // Each half of an integer destination is 0xffff or 0.
  ScalarType Half = isPacked(M.Ty) ? elementType(M.Ty) : ScalarType::U16;
  Out[0] = 0;
  for (unsigned N = 0; N != 2; ++N)
    if (combine(M.BoolOp, compare(M, M.SrcTy, In[0], In[1], N), With))
      Out[0] |= trueValue(Half) << (16 * N);
}

void evaluateSelp(const Instruction &, const Bits *In, Bits *Out) {
  Out[0] = In[2] & 1 ? In[0] : In[1];
}

/// c >= 0 selects a; a NaN selects b.
void evaluateSlct(const Instruction &I, const Bits *In, Bits *Out) {
  bool First;
  if (isFloat(I.Mods.SrcTy)) {
    APFloat C = floatOperand(I.Mods, I.Mods.SrcTy, In[2]);
    First = C.isZero() || (!C.isNaN() && !C.isNegative());
  } else {
    First = integerValue(I.Mods.SrcTy, In[2]) >= 0;
  }
  Out[0] = First ? In[0] : In[1];
}

Evaluator chooseSetp(const Modifiers &M) {
  return isFloat(M.Ty) && !isCoveredFloat(M.Ty) ? nullptr : evaluateSetp;
}
Evaluator chooseSet(const Modifiers &M) {
  return isFloat(M.SrcTy) && !isCoveredFloat(M.SrcTy) ? nullptr : evaluateSet;
}

} // namespace

void addCompareSemantics(SemanticsTable &T) {
  T.pure<SetpOp>(chooseSetp);
  T.pure<SetOp>(chooseSet);
  T.pure<SelpOp>(always<evaluateSelp>);
  T.pure<SlctOp>(always<evaluateSlct>);
}

} // namespace heddle::interp
