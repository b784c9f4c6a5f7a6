//===- Floats.cpp - Floating-point numbers of PTX ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats, canonical NaNs, flushing and clamping.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

ScalarType elementType(ScalarType Ty) {
  switch (Ty) {
  case ScalarType::U16x2:
    return ScalarType::U16;
  case ScalarType::S16x2:
    return ScalarType::S16;
  case ScalarType::F16x2:
    return ScalarType::F16;
  case ScalarType::Bf16x2:
    return ScalarType::Bf16;
  case ScalarType::F32x2:
    return ScalarType::F32;
  default:
    return Ty;
  }
}

bool isCoveredFloat(ScalarType Ty) {
  switch (elementType(Ty)) {
  case ScalarType::F16:
  case ScalarType::Bf16:
  case ScalarType::F32:
  case ScalarType::F64:
    return true;
  default:
    return false;
  }
}

const fltSemantics &semanticsOf(ScalarType Ty) {
  switch (Ty) {
  case ScalarType::F16:
    return APFloat::IEEEhalf();
  case ScalarType::Bf16:
    return APFloat::BFloat();
  case ScalarType::Tf32:
    return APFloat::FloatTF32();
  case ScalarType::F64:
    return APFloat::IEEEdouble();
  default:
    return APFloat::IEEEsingle();
  }
}

/// A TF32 number stands in the upper bits of a register of 32.
static unsigned unusedLowBits(ScalarType Ty) {
  return Ty == ScalarType::Tf32 ? 13 : 0;
}

APFloat floatValue(ScalarType Ty, Bits Value) {
  unsigned Unused = unusedLowBits(Ty);
  unsigned Width = bitWidth(Ty) - Unused;
  return APFloat(semanticsOf(Ty),
                 APInt(Width, uint64_t(lowBits(Value >> Unused, Width))));
}

Bits canonicalNaN(ScalarType Ty) {
  // All ones but for the sign.
  return lowBits(~Bits(0), bitWidth(Ty) - 1);
}

Bits floatBits(ScalarType Ty, const APFloat &Value) {
  if (Value.isNaN())
    return canonicalNaN(Ty);
  return Bits(Value.bitcastToAPInt().getZExtValue()) << unusedLowBits(Ty);
}

RoundingMode roundingMode(Rounding Rnd) {
  switch (Rnd) {
  case Rounding::Rz:
  case Rounding::Rzi:
    return RoundingMode::TowardZero;
  case Rounding::Rm:
  case Rounding::Rmi:
    return RoundingMode::TowardNegative;
  case Rounding::Rp:
  case Rounding::Rpi:
    return RoundingMode::TowardPositive;
  case Rounding::Rna:
    return RoundingMode::NearestTiesToAway;
  default:
    return RoundingMode::NearestTiesToEven;
  }
}

APFloat flushed(APFloat Value) {
  if (Value.isDenormal())
    return APFloat::getZero(Value.getSemantics(), Value.isNegative());
  return Value;
}

APFloat floatOperand(const Modifiers &M, ScalarType Ty, Bits Value) {
  APFloat V = floatValue(Ty, Value);
  return M.Ftz ? flushed(V) : V;
}

Bits floatResult(const Modifiers &M, ScalarType Ty, APFloat Value) {
  const fltSemantics &S = Value.getSemantics();
  if (M.Ftz)
    Value = flushed(Value);
  if (M.Sat) {
    APFloat One(S, 1);
    if (Value.isNaN() || Value.isNegative())
      Value = APFloat::getZero(S);
    else if (Value.compare(One) == APFloat::cmpGreaterThan)
      Value = One;
  }
  if (M.Relu && !Value.isNaN() && Value.isNegative())
    Value = APFloat::getZero(S);
  return floatBits(Ty, Value);
}

APFloat lesserOrGreater(const APFloat &A, const APFloat &B, bool IsMax,
                        bool NaNWins) {
  if (A.isNaN() || B.isNaN())
    return A.isNaN() == NaNWins ? A : B;
  if (A.isZero() && B.isZero())
    return A.isNegative() == IsMax ? B : A;
  APFloat::cmpResult Wanted =
      IsMax ? APFloat::cmpGreaterThan : APFloat::cmpLessThan;
  return A.compare(B) == Wanted ? A : B;
}

} // namespace heddle::interp
