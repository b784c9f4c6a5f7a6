//===- SoftFloat.h - Exact binary floating point ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floating point over integers, for every format of at most 64 bits and all
// four rounding modes. Arithmetic is exact on Number; pack rounds once.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_EMULATOR_SOFTFLOAT_H
#define HEDDLE_EMULATOR_SOFTFLOAT_H

#include <cstdint>

namespace heddle::emu {

using UInt128 = unsigned __int128;

/// Rounding modes, numbered as the ISA's modifier Rnd.
enum class Rounding : uint8_t { NearestEven, TowardZero, Down, Up };

/// An IEEE 754 binary interchange format, or one shaped like it.
struct FloatFormat {
  int ExpBits;
  int FracBits;

  constexpr int bias() const { return (1 << (ExpBits - 1)) - 1; }
  constexpr int minExp() const { return 1 - bias(); } ///< Of a normal number.
  constexpr uint64_t signBit() const {
    return uint64_t(1) << (ExpBits + FracBits);
  }
  constexpr uint64_t infinity() const {
    return ((uint64_t(1) << ExpBits) - 1) << FracBits;
  }
  constexpr uint64_t fracMask() const { return (uint64_t(1) << FracBits) - 1; }
  /// What the ISA makes of a NaN: all ones below the sign, and for double the
  /// quiet NaN with its sign set.
  constexpr uint64_t canonicalNaN() const {
    return FracBits == 52 ? 0xFFF8000000000000 : signBit() - 1;
  }
  constexpr uint64_t one() const { return uint64_t(bias()) << FracBits; }

  constexpr bool isNaN(uint64_t Bits) const {
    return (Bits & (signBit() - 1)) > infinity();
  }
  constexpr bool isSubnormalOrZero(uint64_t Bits) const {
    return (Bits & infinity()) == 0;
  }
  /// \p Bits with a subnormal replaced by the zero of its sign.
  constexpr uint64_t flush(uint64_t Bits) const {
    return isSubnormalOrZero(Bits) ? Bits & signBit() : Bits;
  }
};

constexpr FloatFormat F16Format{5, 10};
constexpr FloatFormat BF16Format{8, 7};
constexpr FloatFormat TF32Format{8, 10}; ///< Without its 13 trailing zeros.
constexpr FloatFormat F32Format{8, 23};
constexpr FloatFormat F64Format{11, 52};

/// A real number with a sign of zero, an infinity or NaN. A finite one is
/// Sig * 2^Exp, negated if Sign, and Sig is not zero.
struct Number {
  enum class Kind : uint8_t { Zero, Finite, Infinity, NaN };

  Kind K = Kind::Zero;
  bool Sign = false;
  int Exp = 0;
  UInt128 Sig = 0;

  bool isNaN() const { return K == Kind::NaN; }
  bool isZero() const { return K == Kind::Zero; }
  bool isInfinity() const { return K == Kind::Infinity; }
  bool isFinite() const { return K == Kind::Finite; }
  /// Exponent of the leading bit of a finite number.
  int leadingExp() const;
};

/// The position of the highest one of \p V, which is not zero.
int highestBit(UInt128 V);

Number unpack(uint64_t Bits, FloatFormat F);
Number fromInteger(bool Sign, uint64_t Magnitude);
/// Rounds \p N to the format. A NaN gives the canonical one.
uint64_t pack(const Number &N, FloatFormat F, Rounding R);

/// A format of at most 8 bits. Codes above Largest are an infinity, where there
/// is one, and NaNs.
struct NarrowFormat {
  int ExpBits;
  int FracBits;
  uint64_t Largest; ///< Magnitude of the largest number.
  uint64_t NaN; ///< What a NaN becomes; the largest number if there is none.
  bool HasInfinity = false;

  constexpr int minExp() const { return 2 - (1 << (ExpBits - 1)); }
  constexpr uint64_t signBit() const {
    return uint64_t(1) << (ExpBits + FracBits);
  }
};

constexpr NarrowFormat E4M3Format{4, 3, 0x7E, 0x7F};
constexpr NarrowFormat E5M2Format{5, 2, 0x7B, 0x7F, true};
constexpr NarrowFormat E3M2Format{3, 2, 0x1F, 0x1F};
constexpr NarrowFormat E2M3Format{2, 3, 0x1F, 0x1F};
constexpr NarrowFormat E2M1Format{2, 1, 0x7, 0x7};

Number unpackNarrow(uint64_t Bits, NarrowFormat F);
/// Rounds once; what is too large becomes the largest number of its sign.
uint64_t packNarrow(const Number &N, NarrowFormat F, Rounding R);

/// The product; \p A and \p B have significands of at most 64 bits.
Number multiply(const Number &A, const Number &B);
/// The sum. Its significand may end in a sticky bit, which is far enough below
/// the leading one for each FloatFormat if the operands have at most 106 bits.
/// \p R decides the sign of an exact zero.
Number add(const Number &A, const Number &B, Rounding R);
/// \p N rounded to an integer; a zero keeps the sign.
Number roundToIntegral(const Number &N, Rounding R);
/// A finite \p N plus (\p Direction > 0) or minus (< 0) an infinitesimal amount
/// of its magnitude.
Number nudge(const Number &N, int Direction);

/// \p N rounded to an integer of \p Width bits and clamped to its range; the
/// result is sign-extended for signed types. A NaN gives \p NaNValue.
uint64_t toInteger(const Number &N, Rounding R, unsigned Width, bool Signed,
                   uint64_t NaNValue);

/// a + b, a * b and a * b + c in one format, rounded once.
uint64_t addBits(uint64_t A, uint64_t B, FloatFormat F, Rounding R);
uint64_t multiplyBits(uint64_t A, uint64_t B, FloatFormat F, Rounding R);
uint64_t fmaBits(uint64_t A, uint64_t B, uint64_t C, FloatFormat F, Rounding R);
/// \p Bits of format \p From in format \p To.
uint64_t convertBits(uint64_t Bits, FloatFormat From, FloatFormat To,
                     Rounding R);

/// How two numbers compare; the value is the bit of the ISA's comparison codes
/// that it satisfies.
enum class Relation : uint8_t {
  Less = 0,
  Equal = 1,
  Greater = 2,
  Unordered = 3
};
Relation compareBits(uint64_t A, uint64_t B, FloatFormat F);

/// The smaller (or larger) of two numbers as the ISA's FMNMX defines it.
uint64_t minMaxBits(uint64_t A, uint64_t B, FloatFormat F, bool Max,
                    bool PropagateNaN, bool XorSign);

/// \p Bits clamped to [0, 1], NaN becoming +0.
uint64_t saturateBits(uint64_t Bits, FloatFormat F);

// Division and square root in two steps around the rounded quotient or root of
// the significands: see OP_FDPREP in isa-defs/HeddleInstrFloat.td.

/// The significand of \p Bits scaled into [1, 2); 1 for a special number.
uint64_t prepareDivision(uint64_t Bits, FloatFormat F);
/// \p Quotient of the prepared values and \p Remainder's sign to \p Num / \p
/// Den.
uint64_t finishDivision(uint64_t Quotient, uint64_t Remainder, uint64_t Num,
                        uint64_t Den, FloatFormat F, Rounding R);
/// \p Bits scaled into [1, 4) by an even power of two; 1 for a special number.
uint64_t prepareSquareRoot(uint64_t Bits, FloatFormat F);
/// \p Root of the prepared value and \p Remainder's sign to the root of \p
/// Bits.
uint64_t finishSquareRoot(uint64_t Root, uint64_t Remainder, uint64_t Bits,
                          FloatFormat F, Rounding R);

} // namespace heddle::emu

#endif // HEDDLE_EMULATOR_SOFTFLOAT_H
