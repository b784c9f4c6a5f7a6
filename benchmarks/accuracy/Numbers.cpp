//===- Numbers.cpp - Formats of numbers ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between bits, values and text.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace heddle::accuracy;

static int64_t signExtend(uint64_t Bits, unsigned Width) {
  return static_cast<int64_t>(Bits << (64 - Width)) >> (64 - Width);
}

double heddle::accuracy::toDouble(uint64_t Bits, const Format &F) {
  if (F.isInteger())
    return static_cast<double>(signExtend(Bits, F.bits()));
  double Sign = F.isNegative(Bits) ? -1 : 1;
  if (F.isNaN(Bits))
    return std::numeric_limits<double>::quiet_NaN();
  if (F.isInfinity(Bits))
    return Sign * std::numeric_limits<double>::infinity();
  if (F.ExpBits == F64.ExpBits)
    return std::bit_cast<double>(Bits);
  uint64_t Fraction = Bits & ((uint64_t(1) << F.FracBits) - 1);
  int Exponent = static_cast<int>(F.magnitude(Bits) >> F.FracBits);
  if (Exponent)
    Fraction |= uint64_t(1) << F.FracBits;
  else
    Exponent = 1;
  return Sign * std::ldexp(static_cast<double>(Fraction),
                           Exponent - F.bias() - static_cast<int>(F.FracBits));
}

uint64_t heddle::accuracy::fromDouble(double Value, const Format &F) {
  if (F.isInteger())
    return static_cast<uint32_t>(static_cast<int32_t>(Value));
  return F.bits() == 32 ? std::bit_cast<uint32_t>(static_cast<float>(Value))
                        : std::bit_cast<uint64_t>(Value);
}

std::string heddle::accuracy::toText(uint64_t Bits, const Format &F) {
  char Text[48];
  if (F.isInteger())
    std::snprintf(Text, sizeof(Text), "%lld",
                  static_cast<long long>(signExtend(Bits, F.bits())));
  else
    std::snprintf(Text, sizeof(Text), "%a", toDouble(Bits, F));
  return Text;
}
