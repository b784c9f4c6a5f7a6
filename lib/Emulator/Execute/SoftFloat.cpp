//===- SoftFloat.cpp - Exact binary floating point --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unpacks to a 128-bit significand, computes exactly, rounds once.
//
//===----------------------------------------------------------------------===//

#include "heddle/Emulator/SoftFloat.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace heddle::emu {

using Kind = Number::Kind;

int highestBit(UInt128 V) {
  uint64_t High = static_cast<uint64_t>(V >> 64);
  if (High)
    return 127 - std::countl_zero(High);
  return 63 - std::countl_zero(static_cast<uint64_t>(V));
}

int Number::leadingExp() const { return Exp + highestBit(Sig); }

Number unpack(uint64_t Bits, FloatFormat F) {
  Number N;
  N.Sign = Bits & F.signBit();
  uint64_t Frac = Bits & F.fracMask();
  int Biased = static_cast<int>((Bits & F.infinity()) >> F.FracBits);
  if (Biased == (1 << F.ExpBits) - 1) {
    N.K = Frac ? Kind::NaN : Kind::Infinity;
    return N;
  }
  if (Biased == 0 && Frac == 0)
    return N;
  N.K = Kind::Finite;
  N.Sig = Biased ? Frac | (F.fracMask() + 1) : Frac;
  N.Exp = std::max(Biased, 1) - F.bias() - F.FracBits;
  return N;
}

Number fromInteger(bool Sign, uint64_t Magnitude) {
  Number N;
  N.Sign = Sign;
  N.Sig = Magnitude;
  N.K = Magnitude ? Kind::Finite : Kind::Zero;
  return N;
}

/// Whether rounding takes a kept value up, away from zero. Rest holds what was
/// cut off, Half the value of one half in its units.
static bool roundsUp(bool Sign, bool Odd, UInt128 Rest, UInt128 Half,
                     Rounding R) {
  if (Rest == 0)
    return false;
  switch (R) {
  case Rounding::NearestEven:
    return Rest > Half || (Rest == Half && Odd);
  case Rounding::TowardZero:
    return false;
  case Rounding::Down:
    return Sign;
  case Rounding::Up:
    return !Sign;
  }
  return false;
}

/// Sig / 2^Shift rounded to an integer.
static UInt128 shiftAndRound(UInt128 Sig, int Shift, bool Sign, Rounding R) {
  if (Shift <= 0)
    return Sig << -Shift;
  // Beyond 127 bits nothing is kept, and what is cut off is less than a half.
  if (Shift > 127)
    return roundsUp(Sign, false, 1, 2, R);
  UInt128 Kept = Sig >> Shift;
  UInt128 Rest = Sig & ((UInt128(1) << Shift) - 1);
  return Kept + roundsUp(Sign, Kept & 1, Rest, UInt128(1) << (Shift - 1), R);
}

/// The magnitude of a finite number as exponent and fraction, as if the
/// exponent had more bits; all ones if it is far too large.
static uint64_t roundedMagnitude(const Number &N, int MinExp, int FracBits,
                                 Rounding R) {
  int Lead = N.leadingExp();
  if (Lead - MinExp >= 1 << 12)
    return ~uint64_t(0);
  int Exp = std::max(Lead, MinExp);
  UInt128 Kept = shiftAndRound(N.Sig, Exp - FracBits - N.Exp, N.Sign, R);
  // The leading one of a normal number, and a carry out of the rounding, add
  // themselves to the exponent.
  return (static_cast<uint64_t>(Exp - MinExp) << FracBits) +
         static_cast<uint64_t>(Kept);
}

uint64_t pack(const Number &N, FloatFormat F, Rounding R) {
  uint64_t Sign = N.Sign ? F.signBit() : 0;
  switch (N.K) {
  case Kind::NaN:
    return F.canonicalNaN();
  case Kind::Infinity:
    return Sign | F.infinity();
  case Kind::Zero:
    return Sign;
  case Kind::Finite:
    break;
  }
  uint64_t Magnitude = roundedMagnitude(N, F.minExp(), F.FracBits, R);
  if (Magnitude >= F.infinity()) {
    bool ToInfinity = R == Rounding::NearestEven ||
                      R == (N.Sign ? Rounding::Down : Rounding::Up);
    Magnitude = F.infinity() - !ToInfinity;
  }
  return Sign | Magnitude;
}

Number unpackNarrow(uint64_t Bits, NarrowFormat F) {
  Number N;
  uint64_t Magnitude = Bits & (F.signBit() - 1);
  N.Sign = Bits & F.signBit();
  if (Magnitude == 0)
    return N;
  if (Magnitude > F.Largest) {
    N.K = F.HasInfinity && Magnitude == F.Largest + 1 ? Kind::Infinity
                                                      : Kind::NaN;
    return N;
  }
  int Biased = static_cast<int>(Magnitude >> F.FracBits);
  uint64_t One = uint64_t(1) << F.FracBits;
  N.K = Kind::Finite;
  N.Sig = Biased ? (Magnitude & (One - 1)) | One : Magnitude;
  N.Exp = std::max(Biased, 1) - 1 + F.minExp() - F.FracBits;
  return N;
}

uint64_t packNarrow(const Number &N, NarrowFormat F, Rounding R) {
  if (N.isNaN())
    return F.NaN;
  uint64_t Magnitude = 0;
  if (N.isInfinity())
    Magnitude = F.Largest;
  else if (N.isFinite())
    Magnitude =
        std::min(roundedMagnitude(N, F.minExp(), F.FracBits, R), F.Largest);
  return (N.Sign ? F.signBit() : 0) | Magnitude;
}

Number multiply(const Number &A, const Number &B) {
  Number N;
  N.Sign = A.Sign != B.Sign;
  if (A.isNaN() || B.isNaN() || (A.isInfinity() && B.isZero()) ||
      (A.isZero() && B.isInfinity())) {
    N.K = Kind::NaN;
  } else if (A.isInfinity() || B.isInfinity()) {
    N.K = Kind::Infinity;
  } else if (A.isFinite() && B.isFinite()) {
    N.K = Kind::Finite;
    N.Exp = A.Exp + B.Exp;
    N.Sig = A.Sig * B.Sig;
  }
  return N;
}

/// N with its leading bit at position 125: room for a carry above, and for a
/// sticky bit far below.
static Number normalized(Number N) {
  int Shift = 125 - highestBit(N.Sig);
  N.Sig <<= Shift;
  N.Exp -= Shift;
  return N;
}

static Number addFinite(Number A, Number B, Rounding R) {
  A = normalized(A);
  B = normalized(B);
  if (A.Exp < B.Exp)
    std::swap(A, B);
  int Distance = A.Exp - B.Exp;
  if (Distance > 127) {
    B.Sig = 1;
  } else if (Distance) {
    bool Sticky = B.Sig & ((UInt128(1) << Distance) - 1);
    B.Sig = B.Sig >> Distance | Sticky;
  }
  if (A.Sign == B.Sign) {
    A.Sig += B.Sig;
    return A;
  }
  if (A.Sig == B.Sig) {
    Number Zero;
    Zero.Sign = R == Rounding::Down;
    return Zero;
  }
  if (A.Sig < B.Sig)
    std::swap(A.Sign, B.Sign);
  A.Sig = A.Sig > B.Sig ? A.Sig - B.Sig : B.Sig - A.Sig;
  return A;
}

Number add(const Number &A, const Number &B, Rounding R) {
  if (A.isNaN() || B.isNaN() ||
      (A.isInfinity() && B.isInfinity() && A.Sign != B.Sign)) {
    Number N;
    N.K = Kind::NaN;
    return N;
  }
  if (A.isInfinity())
    return A;
  if (B.isInfinity())
    return B;
  if (A.isZero() && B.isZero()) {
    Number N;
    N.Sign = A.Sign == B.Sign ? A.Sign : R == Rounding::Down;
    return N;
  }
  if (A.isZero())
    return B;
  if (B.isZero())
    return A;
  return addFinite(A, B, R);
}

Number roundToIntegral(const Number &N, Rounding R) {
  if (!N.isFinite() || N.Exp >= 0)
    return N;
  Number Result = N;
  Result.Sig = shiftAndRound(N.Sig, -N.Exp, N.Sign, R);
  Result.Exp = 0;
  if (Result.Sig == 0)
    Result.K = Kind::Zero;
  return Result;
}

Number nudge(const Number &N, int Direction) {
  if (!N.isFinite() || Direction == 0)
    return N;
  Number Result = normalized(N);
  Result.Sig += Direction > 0 ? 1 : -1;
  return Result;
}

uint64_t toInteger(const Number &N, Rounding R, unsigned Width, bool Signed,
                   uint64_t NaNValue) {
  if (N.isNaN())
    return NaNValue;
  if (N.isZero())
    return 0;
  uint64_t AllOnes = ~uint64_t(0) >> (64 - Width);
  uint64_t MaxPositive = Signed ? AllOnes >> 1 : AllOnes;
  uint64_t MaxNegative = Signed ? MaxPositive + 1 : 0;
  uint64_t Limit = N.Sign ? MaxNegative : MaxPositive;
  uint64_t Magnitude = Limit;
  if (N.isFinite() && N.leadingExp() < 64) {
    UInt128 Rounded = shiftAndRound(N.Sig, -N.Exp, N.Sign, R);
    if (Rounded < Limit)
      Magnitude = static_cast<uint64_t>(Rounded);
  }
  return N.Sign ? 0 - Magnitude : Magnitude;
}

uint64_t addBits(uint64_t A, uint64_t B, FloatFormat F, Rounding R) {
  return pack(add(unpack(A, F), unpack(B, F), R), F, R);
}

uint64_t multiplyBits(uint64_t A, uint64_t B, FloatFormat F, Rounding R) {
  return pack(multiply(unpack(A, F), unpack(B, F)), F, R);
}

uint64_t fmaBits(uint64_t A, uint64_t B, uint64_t C, FloatFormat F,
                 Rounding R) {
  return pack(add(multiply(unpack(A, F), unpack(B, F)), unpack(C, F), R), F, R);
}

uint64_t convertBits(uint64_t Bits, FloatFormat From, FloatFormat To,
                     Rounding R) {
  return pack(unpack(Bits, From), To, R);
}

/// The bits as a signed integer that orders like the numbers; the zeros stay
/// apart, -0 below +0.
static int64_t orderKey(uint64_t Bits, FloatFormat F) {
  int64_t Magnitude = static_cast<int64_t>(Bits & (F.signBit() - 1));
  return Bits & F.signBit() ? -Magnitude - 1 : Magnitude;
}

Relation compareBits(uint64_t A, uint64_t B, FloatFormat F) {
  if (F.isNaN(A) || F.isNaN(B))
    return Relation::Unordered;
  bool BothZero = ((A | B) & (F.signBit() - 1)) == 0;
  int64_t KeyA = orderKey(A, F), KeyB = orderKey(B, F);
  if (KeyA == KeyB || BothZero)
    return Relation::Equal;
  return KeyA < KeyB ? Relation::Less : Relation::Greater;
}

uint64_t minMaxBits(uint64_t A, uint64_t B, FloatFormat F, bool Max,
                    bool PropagateNaN, bool XorSign) {
  bool NaNA = F.isNaN(A), NaNB = F.isNaN(B);
  if ((NaNA && NaNB) || (PropagateNaN && (NaNA || NaNB)))
    return F.canonicalNaN();
  uint64_t Sign = (A ^ B) & F.signBit();
  if (XorSign) {
    A &= ~F.signBit();
    B &= ~F.signBit();
  }
  uint64_t Result;
  if (NaNA || NaNB)
    Result = NaNA ? B : A;
  else
    Result = (orderKey(A, F) < orderKey(B, F)) != Max ? A : B;
  return XorSign ? Result | Sign : Result;
}

uint64_t saturateBits(uint64_t Bits, FloatFormat F) {
  if (F.isNaN(Bits) || (Bits & F.signBit()))
    return 0;
  return std::min(Bits, F.one());
}

uint64_t prepareDivision(uint64_t Bits, FloatFormat F) {
  Number N = unpack(Bits, F);
  if (!N.isFinite())
    return F.one();
  N.Sign = false;
  N.Exp -= N.leadingExp();
  return pack(N, F, Rounding::NearestEven);
}

/// The direction in which the exact value lies from the rounded one.
static int remainderSign(const Number &Remainder) {
  if (Remainder.isZero())
    return 0;
  return Remainder.Sign ? -1 : 1;
}

uint64_t finishDivision(uint64_t Quotient, uint64_t Remainder, uint64_t Num,
                        uint64_t Den, FloatFormat F, Rounding R) {
  Number A = unpack(Num, F), B = unpack(Den, F);
  Number Result;
  Result.Sign = A.Sign != B.Sign;
  if (A.isNaN() || B.isNaN() || (A.isInfinity() && B.isInfinity()) ||
      (A.isZero() && B.isZero()))
    return F.canonicalNaN();
  if (A.isInfinity() || B.isZero()) {
    Result.K = Kind::Infinity;
    return pack(Result, F, R);
  }
  if (B.isInfinity() || A.isZero())
    return pack(Result, F, R);
  Number Q = unpack(Quotient, F), Rem = unpack(Remainder, F);
  if (Rem.isNaN())
    return F.canonicalNaN();
  Result = nudge(Q, remainderSign(Rem));
  Result.Sign = (A.Sign != B.Sign) != Q.Sign;
  Result.Exp += A.leadingExp() - B.leadingExp();
  return pack(Result, F, R);
}

/// The even exponent that prepareSquareRoot takes out of a finite number.
static int evenExponent(const Number &N) { return N.leadingExp() & ~1; }

uint64_t prepareSquareRoot(uint64_t Bits, FloatFormat F) {
  Number N = unpack(Bits, F);
  if (!N.isFinite())
    return F.one();
  N.Sign = false;
  N.Exp -= evenExponent(N);
  return pack(N, F, Rounding::NearestEven);
}

uint64_t finishSquareRoot(uint64_t Root, uint64_t Remainder, uint64_t Bits,
                          FloatFormat F, Rounding R) {
  Number N = unpack(Bits, F);
  if (N.isZero())
    return Bits;
  if (N.isNaN() || N.Sign)
    return F.canonicalNaN();
  if (N.isInfinity())
    return Bits;
  Number Rem = unpack(Remainder, F);
  if (Rem.isNaN())
    return F.canonicalNaN();
  Number Result = nudge(unpack(Root, F), remainderSign(Rem));
  Result.Exp += evenExponent(N) / 2;
  return pack(Result, F, R);
}

} // namespace heddle::emu
