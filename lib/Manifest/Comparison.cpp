//===- Comparison.cpp - Found against expected data -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tolerances of a manifest's expectations.
//
//===----------------------------------------------------------------------===//

#include "heddle/Manifest/Comparison.h"
#include "heddle/Support/Check.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;

namespace heddle::rt {

/// The place of a float among all floats of its type in ascending order, with
/// both zeros at 0.
static int64_t floatOrder(ElementType Type, uint64_t Bits) {
  unsigned SignBit = 8 * elementSize(Type) - 1;
  uint64_t Magnitude = Bits & maskTrailingOnes<uint64_t>(SignBit);
  bool Negative = (Bits >> SignBit) & 1;
  return Negative ? -static_cast<int64_t>(Magnitude)
                  : static_cast<int64_t>(Magnitude);
}

/// |A - B| without overflow.
static uint64_t distance(int64_t A, int64_t B) {
  return A > B ? static_cast<uint64_t>(A) - static_cast<uint64_t>(B)
               : static_cast<uint64_t>(B) - static_cast<uint64_t>(A);
}

static bool withinBounds(double Difference, double Expected,
                         const Tolerance &Bound) {
  return Difference <= Bound.Absolute.value_or(0) +
                           Bound.Relative.value_or(0) * std::fabs(Expected);
}

static bool matchesInteger(ElementType Type, uint64_t Expected, uint64_t Found,
                           const Tolerance &Bound) {
  uint64_t Difference;
  double Magnitude;
  if (elementClass(Type) == ElementClass::Signed) {
    unsigned Width = 8 * elementSize(Type);
    int64_t E = SignExtend64(Expected, Width), F = SignExtend64(Found, Width);
    Difference = distance(E, F);
    Magnitude = static_cast<double>(E);
  } else {
    Difference = Expected > Found ? Expected - Found : Found - Expected;
    Magnitude = static_cast<double>(Expected);
  }
  if (Bound.Ulp)
    return Difference <= *Bound.Ulp;
  return withinBounds(static_cast<double>(Difference), Magnitude, Bound);
}

static bool matchesFloat(ElementType Type, uint64_t Expected, uint64_t Found,
                         const Tolerance &Bound) {
  double E = floatValue(Type, Expected), F = floatValue(Type, Found);
  if (std::isinf(E) || std::isinf(F))
    return E == F;
  if (Bound.Ulp)
    return distance(floatOrder(Type, Expected), floatOrder(Type, Found)) <=
           *Bound.Ulp;
  return withinBounds(std::fabs(F - E), E, Bound);
}

bool matches(ElementType Type, uint64_t Expected, uint64_t Found,
             const Tolerance &Bound) {
  if (Expected == Found)
    return true;
  bool ExpectedNaN = isNaN(Type, Expected), FoundNaN = isNaN(Type, Found);
  if (ExpectedNaN || FoundNaN)
    return Bound.AnyNaN && ExpectedNaN && FoundNaN;
  if (!Bound.Ulp && !Bound.Absolute && !Bound.Relative)
    return false;
  return isFloat(Type) ? matchesFloat(Type, Expected, Found, Bound)
                       : matchesInteger(Type, Expected, Found, Bound);
}

void compareMore(ElementType Type, ArrayRef<uint8_t> Expected,
                 ArrayRef<uint8_t> Found, const Tolerance &Bound,
                 Comparison &Result) {
  unsigned Size = elementSize(Type);
  HEDDLE_CHECK(Expected.size() == Found.size() && Expected.size() % Size == 0,
               "parts of different or of fractional length");
  for (size_t At = 0; At < Expected.size(); At += Size, ++Result.Compared) {
    uint64_t E = loadElement(Type, Expected.data() + At);
    uint64_t F = loadElement(Type, Found.data() + At);
    if (matches(Type, E, F, Bound))
      continue;
    ++Result.Mismatched;
    if (Result.First.size() < Comparison::MaxKept)
      Result.First.push_back({Result.Compared, E, F});
  }
}

} // namespace heddle::rt
