//===- InterpretConvert.cpp - Conversions of PTX ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cvt instruction: chapter 9.7.9.21 of the PTX manual.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

bool isNumber(ScalarType Ty) { return isInt(Ty) || isBits(Ty); }

/// An integer result in a register that may be wider: extended by its sign.
Bits integerResult(ScalarType Ty, SignedBits Value) {
  return Bits(integerValue(Ty, Bits(Value)));
}

void evaluateIntToInt(const Instruction &I, const Bits *In, Bits *Out) {
  SignedBits Value = integerValue(I.Mods.SrcTy, In[0]);
  Out[0] =
      integerResult(I.Mods.Ty, I.Mods.Sat ? clampTo(I.Mods.Ty, Value) : Value);
}

/// A NaN gives 0, or the top bit alone from .f64 or to 64 bits. Other numbers
/// are clamped to the type.
void evaluateFloatToInt(const Instruction &I, const Bits *In, Bits *Out) {
  const Modifiers &M = I.Mods;
  unsigned Width = bitWidth(M.Ty);
  APFloat Value = floatOperand(M, M.SrcTy, In[0]);
  if (Value.isNaN()) {
    bool TopBit = M.SrcTy == ScalarType::F64 || Width == 64;
    Out[0] = integerResult(M.Ty, TopBit ? SignedBits(1) << (Width - 1) : 0);
    return;
  }
  APSInt Integer(Width, /*isUnsigned=*/!isSigned(M.Ty));
  bool IsExact = false;
  // Out of range it gives the nearest number of the type.
  Value.convertToInteger(Integer, roundingMode(M.Rnd), &IsExact);
  Out[0] = integerResult(M.Ty, SignedBits(Integer.getZExtValue()));
}

void evaluateIntToFloat(const Instruction &I, const Bits *In, Bits *Out) {
  const Modifiers &M = I.Mods;
  SignedBits Value = integerValue(M.SrcTy, In[0]);
  APInt Integer(128, {uint64_t(Value), uint64_t(Bits(Value) >> 64)});
  APFloat Result(semanticsOf(M.Ty));
  Result.convertFromAPInt(Integer, /*IsSigned=*/true, roundingMode(M.Rnd));
  Out[0] = floatResult(M, M.Ty, Result);
}

bool roundsToIntegral(Rounding Rnd) {
  return Rnd == Rounding::Rni || Rnd == Rounding::Rzi || Rnd == Rounding::Rmi ||
         Rnd == Rounding::Rpi;
}

/// One number to another type. Flushing concerns single precision only.
Bits convertFloat(const Modifiers &M, ScalarType To, ScalarType From,
                  Bits Value) {
  Modifiers Result = M;
  Result.Ftz &= To == ScalarType::F32;
  APFloat V = floatValue(From, Value);
  if (M.Ftz && From == ScalarType::F32)
    V = flushed(V);
  bool IsFinite = V.isFinite();
  if (roundsToIntegral(M.Rnd))
    V.roundToIntegral(roundingMode(M.Rnd));
  bool Loses = false;
  V.convert(semanticsOf(To), roundingMode(M.Rnd), &Loses);
  // Infinities count as larger than the largest number.
  if (M.Satfinite && (V.isInfinity() || (!IsFinite && !V.isNaN())))
    V = APFloat::getLargest(semanticsOf(To), V.isNegative());
  return floatResult(Result, To, V);
}

void evaluateFloatToFloat(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = convertFloat(I.Mods, I.Mods.Ty, I.Mods.SrcTy, In[0]);
}

/// Two numbers to a pair: a in the upper half.
void evaluateToPair(const Instruction &I, const Bits *In, Bits *Out) {
  ScalarType To = elementType(I.Mods.Ty);
  Out[0] = convertFloat(I.Mods, To, I.Mods.SrcTy, In[0]) << 16 |
           convertFloat(I.Mods, To, I.Mods.SrcTy, In[1]);
}

bool isScalarFloat(ScalarType Ty) {
  return (isCoveredFloat(Ty) || Ty == ScalarType::Tf32) && !isPacked(Ty);
}

Evaluator chooseCvt(const Modifiers &M) {
  bool ToNumber = isNumber(M.Ty) && !isPacked(M.Ty);
  bool FromNumber = isNumber(M.SrcTy) && !isPacked(M.SrcTy);
  if (ToNumber && FromNumber)
    return evaluateIntToInt;
  if (ToNumber && isScalarFloat(M.SrcTy))
    return evaluateFloatToInt;
  if (isScalarFloat(M.Ty) && FromNumber)
    return evaluateIntToFloat;
  if (isScalarFloat(M.Ty) && isScalarFloat(M.SrcTy))
    return evaluateFloatToFloat;
  bool ToPair = M.Ty == ScalarType::F16x2 || M.Ty == ScalarType::Bf16x2;
  return ToPair && M.SrcTy == ScalarType::F32 ? evaluateToPair : nullptr;
}

} // namespace

void addConvertSemantics(SemanticsTable &T) { T.pure<CvtOp>(chooseCvt); }

} // namespace heddle::interp
