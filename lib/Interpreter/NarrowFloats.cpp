//===- NarrowFloats.cpp - Floats of 4 to 16 bits ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding is APFloat's; what is beyond the largest number is PTX's.
//
//===----------------------------------------------------------------------===//

#include "NarrowFloats.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace llvm;

namespace heddle::interp {

std::optional<Format> formatOf(StringRef Name) {
  using F = std::optional<Format>;
  return StringSwitch<F>(Name)
      .Case("e4m3", Format{&APFloat::Float8E4M3FN(), 8, 0x7F, false})
      .Case("e5m2", Format{&APFloat::Float8E5M2(), 8, 0x7F, true})
      .Case("e3m2", Format{&APFloat::Float6E3M2FN(), 8, 0x1F, false})
      .Case("e2m3", Format{&APFloat::Float6E2M3FN(), 8, 0x1F, false})
      .Case("e2m1", Format{&APFloat::Float4E2M1FN(), 4, 0x7, false})
      .Case("f16", Format{&APFloat::IEEEhalf(), 16, 0x7FFF, true})
      .Case("bf16", Format{&APFloat::BFloat(), 16, 0x7FFF, true})
      .Default(std::nullopt);
}

uint64_t encode(const Format &F, APFloat Value, Limits L) {
  if (Value.isNaN())
    return F.NaN;
  if (Value.isInfinity() && (L.Finite || !F.HasInfinity))
    Value = APFloat::getLargest(*F.Semantics, Value.isNegative());
  if (L.Relu && Value.isNegative())
    return 0;
  if (L.Positive && Value.isZero())
    return 0;
  return Value.bitcastToAPInt().getZExtValue();
}

uint64_t convertTo(const Format &F, const APFloat &Value, Limits L,
                   RoundingMode Mode) {
  if (Value.isNaN())
    return F.NaN;
  APFloat Largest = APFloat::getLargest(*F.Semantics);
  bool Loses = false;
  APFloat Limit = Largest, Magnitude = abs(Value);
  Limit.convert(Value.getSemantics(), APFloat::rmNearestTiesToEven, &Loses);
  if (!F.HasInfinity && Magnitude.compare(Limit) != APFloat::cmpLessThan) {
    if (Value.isNegative())
      Largest.changeSign();
    return encode(F, Largest, L);
  }
  APFloat Rounded = Value;
  Rounded.convert(*F.Semantics, Mode, &Loses);
  return encode(F, Rounded, L);
}

APFloat decode(const Format &F, Bits Word, unsigned Element) {
  Bits Code = lowBits(Word >> (Element * F.Field), F.width());
  return APFloat(*F.Semantics, APInt(F.width(), uint64_t(Code)));
}

double scaleValue(Bits Code) {
  return uint8_t(Code) == ScaleNaN ? std::nan("")
                                   : std::ldexp(1.0, int(uint8_t(Code)) - 127);
}

} // namespace heddle::interp
