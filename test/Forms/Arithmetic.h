//===- Arithmetic.h - Reference arithmetic ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers of 128 bits, and floating point of any format by MPFR: what the
// expected values are computed with. It shares nothing with the emulator's
// arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FORMS_ARITHMETIC_H
#define HEDDLE_TEST_FORMS_ARITHMETIC_H

#include <cstdint>

namespace heddle::forms {

using Int128 = __int128;
using UInt128 = unsigned __int128;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The low \p Bits (1 to 64) bits.
constexpr uint64_t lowBits(uint64_t V, unsigned Bits) {
  return V & (~uint64_t(0) >> (64 - Bits));
}
/// The low \p Bits bits as a signed number.
constexpr int64_t signedValue(uint64_t V, unsigned Bits) {
  return static_cast<int64_t>(V << (64 - Bits)) >> (64 - Bits);
}
/// The low \p Bits bits as a number.
constexpr Int128 valueOf(uint64_t V, unsigned Bits, bool Signed) {
  return Signed ? Int128(signedValue(V, Bits)) : Int128(lowBits(V, Bits));
}
constexpr Int128 maxOf(unsigned Bits, bool Signed) {
  return (Int128(1) << (Bits - Signed)) - 1;
}
constexpr Int128 minOf(unsigned Bits, bool Signed) {
  return Signed ? -(Int128(1) << (Bits - 1)) : Int128(0);
}
/// \p V limited to what \p Bits bits hold.
constexpr Int128 clampTo(Int128 V, unsigned Bits, bool Signed) {
  if (V < minOf(Bits, Signed))
    return minOf(Bits, Signed);
  return V > maxOf(Bits, Signed) ? maxOf(Bits, Signed) : V;
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// What the largest exponent codes mean.
enum class Specials : uint8_t {
  IEEE,    ///< Infinity and NaNs.
  OnlyNaN, ///< One NaN, all ones; the rest are numbers.
  None,    ///< Numbers, all of them.
};

/// A binary format: sign, exponent, fraction from the top bit on.
struct FloatFormat {
  unsigned ExpBits, FracBits;
  Specials Kind;
  uint64_t CanonicalNaN;

  constexpr unsigned bits() const { return 1 + ExpBits + FracBits; }
  constexpr int bias() const { return (1 << (ExpBits - 1)) - 1; }
  constexpr uint64_t signBit() const {
    return uint64_t(1) << (ExpBits + FracBits);
  }
  constexpr uint64_t magnitude(uint64_t Bits) const {
    return Bits & (signBit() - 1);
  }
  constexpr uint64_t infinity() const {
    return ((uint64_t(1) << ExpBits) - 1) << FracBits;
  }
  constexpr uint64_t one() const { return uint64_t(bias()) << FracBits; }
  constexpr uint64_t largest() const {
    switch (Kind) {
    case Specials::IEEE:
      return infinity() - 1;
    case Specials::OnlyNaN:
      return signBit() - 2;
    case Specials::None:
      return signBit() - 1;
    }
    return 0;
  }
  constexpr bool isNaN(uint64_t Bits) const {
    return Kind != Specials::None &&
           magnitude(Bits) > (Kind == Specials::IEEE ? infinity() : largest());
  }
  constexpr bool isInfinity(uint64_t Bits) const {
    return Kind == Specials::IEEE && magnitude(Bits) == infinity();
  }
  constexpr bool isSubnormal(uint64_t Bits) const {
    return magnitude(Bits) != 0 && magnitude(Bits) >> FracBits == 0;
  }
  constexpr bool isZero(uint64_t Bits) const { return magnitude(Bits) == 0; }
  constexpr bool isNegative(uint64_t Bits) const { return Bits & signBit(); }
  /// A subnormal becomes the zero of its sign.
  constexpr uint64_t flush(uint64_t Bits) const {
    return isSubnormal(Bits) ? Bits & signBit() : Bits;
  }
};

extern const FloatFormat F16, BF16, F32, F64;
extern const FloatFormat TF32; ///< The upper 19 bits of a .f32.
extern const FloatFormat E4M3, E5M2, E3M2, E2M3, E2M1;
extern const FloatFormat
    UE5M3; ///< Its numbers have no sign: one is above them.

enum class Round : uint8_t { Nearest, Zero, Down, Up, NearestAway };

uint64_t floatAdd(uint64_t A, uint64_t B, const FloatFormat &F, Round R);
uint64_t floatMultiply(uint64_t A, uint64_t B, const FloatFormat &F, Round R);
uint64_t floatFma(uint64_t A, uint64_t B, uint64_t C, const FloatFormat &F,
                  Round R);
/// Of numbers of \p From, rounded once to \p To as floatConvert does.
uint64_t floatFma(uint64_t A, uint64_t B, uint64_t C, const FloatFormat &From,
                  const FloatFormat &To, Round R);
uint64_t floatDivide(uint64_t A, uint64_t B, const FloatFormat &F, Round R);
uint64_t floatRoot(uint64_t A, const FloatFormat &F, Round R);
/// To another format, rounded once; beyond the largest number as IEEE 754 has
/// it. Formats without infinities give the largest number. NaN is canonical.
uint64_t floatConvert(uint64_t A, const FloatFormat &From,
                      const FloatFormat &To, Round R);
/// To an integral value of the same format.
uint64_t floatToIntegral(uint64_t A, const FloatFormat &F, Round R);
/// A finite number rounded to an integer and clamped to \p Bits bits.
Int128 floatToInteger(uint64_t A, const FloatFormat &F, Round R, unsigned Bits,
                      bool Signed);
uint64_t integerToFloat(Int128 V, const FloatFormat &F, Round R);

/// -1, 0, 1; 2 where one is NaN.
int floatCompare(uint64_t A, uint64_t B, const FloatFormat &F);
/// Clamped to [0, 1], NaN to +0.
uint64_t floatSaturate(uint64_t A, const FloatFormat &F);
/// Negative results, -0 too, to +0; NaN to the canonical one.
uint64_t floatRelu(uint64_t A, const FloatFormat &F);

/// The exact value as a double, for formats of at most 53 significant bits;
/// NaN for NaN.
double toDouble(uint64_t A, const FloatFormat &F);

} // namespace heddle::forms

#endif // HEDDLE_TEST_FORMS_ARITHMETIC_H
