//===- InterpretInteger.cpp - Integer arithmetic of PTX ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chapter 9.7.1 and 9.7.2 of the PTX manual but for the bit operations. All
// numbers are exact in 128 bits before the result is cut to its register.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"
#include "Instruction.h"

using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

/// Applies \p Fn to the elements of a packed type, or to the whole.
template <typename FnT>
Bits forElements(ScalarType Ty, unsigned NumOperands, const Bits *In, FnT Fn) {
  if (!isPacked(Ty))
    return Fn(Ty, In);
  ScalarType Element = elementType(Ty);
  unsigned Width = bitWidth(Element);
  Bits Result = 0;
  for (unsigned At = 0; At < bitWidth(Ty); At += Width) {
    Bits Parts[3] = {};
    for (unsigned N = 0; N != NumOperands; ++N)
      Parts[N] = lowBits(In[N] >> At, Width);
    Result |= lowBits(Fn(Element, Parts), Width) << At;
  }
  return Result;
}

void evaluateAdd(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = forElements(I.Mods.Ty, 2, In, [&](ScalarType Ty, const Bits *V) {
    SignedBits Sum = integerValue(Ty, V[0]) + integerValue(Ty, V[1]);
    return Bits(I.Mods.Sat ? clampTo(Ty, Sum) : Sum);
  });
}

void evaluateSub(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = forElements(I.Mods.Ty, 2, In, [&](ScalarType Ty, const Bits *V) {
    SignedBits Difference = integerValue(Ty, V[0]) - integerValue(Ty, V[1]);
    return Bits(I.Mods.Sat ? clampTo(Ty, Difference) : Difference);
  });
}

/// The part of a * b that .lo, .hi or .wide keeps, as a number.
SignedBits product(const Modifiers &M, Bits A, Bits B) {
  // The product of two 64-bit numbers, unsigned ones too, wraps around in a
  // signed word of 128 bits without loss of its bits.
  Bits Full = Bits(integerValue(M.Ty, A)) * Bits(integerValue(M.Ty, B));
  unsigned Width = bitWidth(M.Ty);
  Bits Part = Full;
  unsigned PartWidth = Width;
  if (M.mode<MulMode>() == MulMode::Hi)
    Part = Full >> Width;
  else if (M.mode<MulMode>() == MulMode::Wide)
    PartWidth = 2 * Width;
  return isSigned(M.Ty) ? signedValue(Part, PartWidth)
                        : SignedBits(lowBits(Part, PartWidth));
}

void evaluateMul(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = Bits(product(I.Mods, In[0], In[1]));
}

/// The addend has the type of the result: twice as wide with .wide.
SignedBits addend(const Modifiers &M, Bits C) {
  unsigned Width = bitWidth(M.Ty);
  if (M.mode<MulMode>() == MulMode::Wide)
    Width *= 2;
  return isSigned(M.Ty) ? signedValue(C, Width) : SignedBits(lowBits(C, Width));
}

void evaluateMad(const Instruction &I, const Bits *In, Bits *Out) {
  SignedBits Sum = product(I.Mods, In[0], In[1]) + addend(I.Mods, In[2]);
  Out[0] = Bits(I.Mods.Sat ? clampTo(I.Mods.Ty, Sum) : Sum);
}

/// The 48-bit product of the low 24 bits, of which .hi keeps bits 47 to 16.
SignedBits product24(const Modifiers &M, Bits A, Bits B) {
  bool Signed = isSigned(M.Ty);
  SignedBits X = Signed ? signedValue(A, 24) : SignedBits(lowBits(A, 24));
  SignedBits Y = Signed ? signedValue(B, 24) : SignedBits(lowBits(B, 24));
  Bits Part = Bits(X * Y) >> (M.mode<MulMode>() == MulMode::Hi ? 16 : 0);
  return Signed ? signedValue(Part, 32) : SignedBits(lowBits(Part, 32));
}

void evaluateMul24(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = Bits(product24(I.Mods, In[0], In[1]));
}

void evaluateMad24(const Instruction &I, const Bits *In, Bits *Out) {
  SignedBits Sum =
      product24(I.Mods, In[0], In[1]) + integerValue(I.Mods.Ty, In[2]);
  Out[0] = Bits(I.Mods.Sat ? clampTo(I.Mods.Ty, Sum) : Sum);
}

void evaluateSad(const Instruction &I, const Bits *In, Bits *Out) {
  ScalarType Ty = I.Mods.Ty;
  SignedBits Difference = integerValue(Ty, In[0]) - integerValue(Ty, In[1]);
  Out[0] = Bits(Difference < 0 ? -Difference : Difference) + In[2];
}

/// Division by zero is unspecified in PTX; Heddle defines it as all ones.
void evaluateDiv(const Instruction &I, const Bits *In, Bits *Out) {
  SignedBits A = integerValue(I.Mods.Ty, In[0]);
  SignedBits B = integerValue(I.Mods.Ty, In[1]);
  Out[0] = B == 0 ? ~Bits(0) : Bits(A / B);
}

void evaluateRem(const Instruction &I, const Bits *In, Bits *Out) {
  SignedBits A = integerValue(I.Mods.Ty, In[0]);
  SignedBits B = integerValue(I.Mods.Ty, In[1]);
  Out[0] = B == 0 ? ~Bits(0) : Bits(A % B);
}

void evaluateAbs(const Instruction &I, const Bits *In, Bits *Out) {
  SignedBits A = integerValue(I.Mods.Ty, In[0]);
  Out[0] = Bits(A < 0 ? -A : A);
}

void evaluateNeg(const Instruction &, const Bits *In, Bits *Out) {
  Out[0] = -In[0];
}

template <bool IsMax>
void evaluateMinMax(const Instruction &I, const Bits *In, Bits *Out) {
  unsigned Count = I.Operands.size();
  Out[0] = forElements(I.Mods.Ty, Count, In, [&](ScalarType Ty, const Bits *V) {
    SignedBits Best = integerValue(Ty, V[0]);
    for (unsigned N = 1; N != Count; ++N) {
      SignedBits Other = integerValue(Ty, V[N]);
      if (IsMax ? Other > Best : Other < Best)
        Best = Other;
    }
    return Bits(I.Mods.Relu && Best < 0 ? SignedBits(0) : Best);
  });
}

//===----------------------------------------------------------------------===//
// Extended precision
//===----------------------------------------------------------------------===//

/// The carry that comes in: the operand behind the others, \p Default where the
/// form has none.
unsigned carryIn(const Instruction &I, const Bits *In, unsigned NumOthers,
                 unsigned Default = 0) {
  return I.Operands.size() > NumOthers ? unsigned(In[NumOthers] & 1) : Default;
}

/// Sum and carry-out of two unsigned numbers of the type's width.
void addWithCarry(const Instruction &I, Bits A, Bits B, unsigned Carry,
                  Bits *Out) {
  unsigned Width = bitWidth(I.Mods.Ty);
  Bits Sum = lowBits(A, Width) + lowBits(B, Width) + Carry;
  Out[0] = Sum;
  Out[1] = Sum >> Width;
}

void evaluateAddCarry(const Instruction &I, const Bits *In, Bits *Out) {
  addWithCarry(I, In[0], In[1], carryIn(I, In, 2), Out);
}

/// Adds the complement, so that the flag says that there is no borrow.
void evaluateSubCarry(const Instruction &I, const Bits *In, Bits *Out) {
  addWithCarry(I, In[0], ~In[1], carryIn(I, In, 2, /*Default=*/1), Out);
}

void evaluateMadCarry(const Instruction &I, const Bits *In, Bits *Out) {
  addWithCarry(I, Bits(product(I.Mods, In[0], In[1])), In[2], carryIn(I, In, 3),
               Out);
}

//===----------------------------------------------------------------------===//
// Dot products
//===----------------------------------------------------------------------===//

SignedBits element(ScalarType Ty, Bits Vector, unsigned Index, unsigned Width) {
  Bits Part = Vector >> (Index * Width);
  return isSigned(Ty) ? signedValue(Part, Width)
                      : SignedBits(lowBits(Part, Width));
}

void evaluateDp4a(const Instruction &I, const Bits *In, Bits *Out) {
  SignedBits Sum = SignedBits(In[2]);
  for (unsigned N = 0; N != 4; ++N)
    Sum += element(I.Mods.Ty, In[0], N, 8) * element(I.Mods.SrcTy, In[1], N, 8);
  Out[0] = Bits(Sum);
}

void evaluateDp2a(const Instruction &I, const Bits *In, Bits *Out) {
  SignedBits Sum = SignedBits(In[2]);
  unsigned First = I.Mods.mode<MulMode>() == MulMode::Hi ? 2 : 0;
  for (unsigned N = 0; N != 2; ++N)
    Sum += element(I.Mods.Ty, In[0], N, 16) *
           element(I.Mods.SrcTy, In[1], First + N, 8);
  Out[0] = Bits(Sum);
}

/// Families that are both integer and floating-point arithmetic.
template <Evaluator Integer, Evaluator Float>
Evaluator byType(const Modifiers &M) {
  if (isFloat(M.Ty))
    return isCoveredFloat(M.Ty) ? Float : nullptr;
  return Integer;
}

} // namespace

void addIntegerSemantics(SemanticsTable &T) {
  T.pure<AddOp>(byType<evaluateAdd, evaluateFloatAdd>);
  T.pure<SubOp>(byType<evaluateSub, evaluateFloatSub>);
  T.pure<MulOp>(byType<evaluateMul, evaluateFloatMul>);
  T.pure<MadOp>(byType<evaluateMad, evaluateFloatFma>);
  T.pure<DivOp>(byType<evaluateDiv, evaluateFloatDiv>);
  T.pure<AbsOp>(byType<evaluateAbs, evaluateFloatAbs>);
  T.pure<NegOp>(byType<evaluateNeg, evaluateFloatNeg>);
  T.pure<MinOp>(byType<evaluateMinMax<false>, evaluateFloatMin>);
  T.pure<MaxOp>(byType<evaluateMinMax<true>, evaluateFloatMax>);
  T.pure<Mul24Op>(always<evaluateMul24>);
  T.pure<Mad24Op>(always<evaluateMad24>);
  T.pure<SadOp>(always<evaluateSad>);
  T.pure<RemOp>(always<evaluateRem>);
  T.pure<AddCarryOp>(always<evaluateAddCarry>);
  T.pure<SubCarryOp>(always<evaluateSubCarry>);
  T.pure<MadCarryOp>(always<evaluateMadCarry>);
  T.pure<Dp4aOp>(always<evaluateDp4a>);
  T.pure<Dp2aOp>(always<evaluateDp2a>);
}

} // namespace heddle::interp
