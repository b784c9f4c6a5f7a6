//===- Narrow.cpp - Conversions that no instruction makes -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stochastic rounding, the types UE8M0 and UE5M3 of scales, and the fixed-point
// type S2F6, on the bits of single precision.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

using namespace heddle::device;

using U32 = unsigned;
using U64 = unsigned long long;

namespace {

/// A format that results are rounded to; of the numbers that PackType has in
/// isa-defs/HeddleFormats.td.
struct Format {
  int ExpBits, FracBits;
  U32 Overflow; ///< Magnitude of what is too large, infinity included.
  U32 NaN;

  constexpr int minExp() const { return 2 - (1 << (ExpBits - 1)); }
};

constexpr Format Formats[] = {
    {8, 23, 0x7F800000, 0x7FFFFFFF}, // f32, to count from
    {5, 10, 0x7C00, 0x7FFF},         // f16
    {8, 7, 0x7F80, 0x7FFF},          // bf16
    {8, 10, 0x3FC00, 0x3FFFF},       // tf32
    {4, 3, 0x7E, 0x7F},              // e4m3
    {5, 2, 0x7B, 0x7F},              // e5m2
    {3, 2, 0x1F, 0x1F},              // e3m2
    {2, 3, 0x1F, 0x1F},              // e2m3
    {2, 1, 0x7, 0x7},                // e2m1
};

constexpr U32 Infinity = 0x7F800000;

} // namespace

/// PTX cvt.rs: \p Count bits of \p Random, as a fraction of a unit in the last
/// place of the result, are added to the magnitude of a .f32, and what stands
/// below the unit is cut off.
HEDDLE_DEVICE_INLINE U32 __heddle_round_stochastic(U32 Bits, U32 Random,
                                                   U32 Count, U32 Type) {
  const Format F = Formats[Type];
  U32 Magnitude = Bits & 0x7FFFFFFF;
  U32 Exponent = Magnitude >> 23;
  U32 Significand = Magnitude & 0x7FFFFF;
  Significand |= Exponent ? 0x800000 : 0;
  int Lead = static_cast<int>(Exponent ? Exponent : 1) - 127;
  int Unit = Lead > F.minExp() ? Lead : F.minExp();
  // Beyond 40 places the source is too small to carry into the unit.
  int Shift = 23 - F.FracBits + Unit - Lead;
  Shift = Shift > 40 ? 40 : Shift;
  U64 Sum = (static_cast<U64>(Significand) << Count) +
            (static_cast<U64>(Random & ((1u << Count) - 1)) << Shift);
  U32 Code = static_cast<U32>(Sum >> Count >> Shift);
  // The leading one of a normal number adds itself to the exponent.
  U32 Result = (static_cast<U32>(Unit - F.minExp()) << F.FracBits) + Code;
  Result = Magnitude == 0 ? 0 : Result;
  Result = Result > F.Overflow || Magnitude == Infinity ? F.Overflow : Result;
  Result |= Bits >> 31 << (F.ExpBits + F.FracBits);
  return Magnitude > Infinity ? F.NaN : Result;
}

/// The exponent of a magnitude, rounded down or with \p Up up to a power of
/// two: PTX's ue8m0, in which 255 is NaN. \p Finite keeps numbers below that.
HEDDLE_DEVICE_INLINE U32 __heddle_to_ue8m0(U32 Bits, U32 Up, U32 Finite) {
  constexpr U32 Least = 0x00400000; // 2^-127, which code 0 stands for
  U32 Magnitude = Bits & 0x7FFFFFFF;
  U32 Code = Magnitude >> 23;
  bool Inexact = Magnitude << 9 != 0;
  if (Up && Inexact && Magnitude > Least && Magnitude < Infinity)
    ++Code;
  if (Finite && Code == 255 && Magnitude <= Infinity)
    Code = 254;
  return Code;
}

/// The .f32 that a ue8m0 stands for.
static inline U32 scaleBits(U32 Code) {
  if (Code == 255)
    return 0x7FFFFFFF;
  return Code ? Code << 23 : 0x00400000;
}

HEDDLE_DEVICE_INLINE U32 __heddle_from_ue8m0(U32 Code) {
  return scaleBits(Code);
}

/// The .f32 of its reciprocal.
HEDDLE_DEVICE_INLINE U32 __heddle_inverse_ue8m0(U32 Code) {
  return scaleBits(Code == 255 ? 255 : 254 - Code);
}

/// The magnitude of a .f32 as PTX's ue5m3, which has no sign: eight bits, five
/// of them the exponent, of which only 255 is no number. \p Rounding is that
/// of Mode. What is too large is the largest number with \p Finite, NaN else.
HEDDLE_DEVICE_INLINE U32 __heddle_to_ue5m3(U32 Bits, U32 Rounding, U32 Finite) {
  constexpr int FracBits = 3, MinExp = -14;
  constexpr U32 Largest = 0xFE, NaN = 0xFF;
  U32 Magnitude = Bits & 0x7FFFFFFF;
  U32 Exponent = Magnitude >> 23;
  U32 Significand = (Magnitude & 0x7FFFFF) | (Exponent ? 0x800000 : 0);
  int Lead = static_cast<int>(Exponent ? Exponent : 1) - 127;
  int Unit = Lead > MinExp ? Lead : MinExp;
  // Beyond 25 places nothing is left above the unit, nor of half of it.
  int Shift = 23 - FracBits + Unit - Lead;
  Shift = Shift > 25 ? 25 : Shift;
  U32 Code = Significand >> Shift;
  U32 Rest = Significand << (32 - Shift);
  constexpr U32 Half = 0x80000000;
  bool Up = Rounding == RP   ? Rest != 0
            : Rounding == RN ? Rest > Half || (Rest == Half && (Code & 1))
                             : false;
  // The leading one of a normal number adds itself to the exponent.
  U32 Result = (static_cast<U32>(Unit - MinExp) << FracBits) + Code + Up;
  U32 Beyond =
      Finite || (Rounding == RZ && Magnitude < Infinity) ? Largest : NaN;
  Result = Result > Largest ? Beyond : Result;
  return Magnitude > Infinity ? NaN : Result;
}

/// The .f32 of a ue5m3.
HEDDLE_DEVICE_INLINE U32 __heddle_from_ue5m3(U32 Code) {
  U32 Exponent = Code >> 3, Fraction = Code & 7;
  // A subnormal is so many units of 2^-17.
  float Small = static_cast<float>(static_cast<int>(Fraction)) * 0x1p-17f;
  U32 Normal = (Exponent + 127 - 15) << 23 | Fraction << 20;
  U32 Result = Exponent ? Normal : __builtin_bit_cast(U32, Small);
  return Code == 255 ? 0x7FFFFFFF : Result;
}

/// A double with the value of a ue8m0, or of its reciprocal.
static inline double scaleOf(U32 Code, bool Inverse) {
  int Exponent = static_cast<int>(Code) - 127;
  int Biased = (Inverse ? -Exponent : Exponent) + 1023;
  return __builtin_bit_cast(double, static_cast<U64>(Biased) << 52);
}

/// PTX's s2f6, eight bits with six behind the point, of a .f32 divided by a
/// scale: rounded to nearest even, or with \p Cut towards zero, and clamped; a
/// NaN gives the largest.
HEDDLE_DEVICE_INLINE U32 __heddle_to_s2f6(float X, U32 Scale, U32 Relu,
                                          U32 Cut) {
  // Exact: a double has room for any such exponent.
  double V = static_cast<double>(X) * scaleOf(Scale, true) * 64.0;
  V = V < 127.0 ? V : 127.0; // NaN, too
  double Low = Relu ? 0.0 : -128.0;
  V = V > Low ? V : Low;
  if (Scale == 255)
    V = 127.0;
  double Rounded = Cut ? __builtin_trunc(V) : __builtin_roundeven(V);
  return static_cast<U32>(static_cast<int>(Rounded)) & 0xFF;
}

/// The .f32 of an s2f6 times a scale; exact, or infinite.
HEDDLE_DEVICE_INLINE float __heddle_from_s2f6(U32 Code, U32 Scale) {
  double V = static_cast<double>(static_cast<signed char>(Code)) *
             (1.0 / 64.0) * scaleOf(Scale, false);
  float Result = static_cast<float>(V);
  return Scale == 255 ? __builtin_bit_cast(float, 0x7FFFFFFF) : Result;
}
