//===- MathUnit.cpp - Approximate functions ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quadratic interpolation in tables, in integers: docs/math-unit.md. The tables
// are made by make-math-tables.py.
//
//===----------------------------------------------------------------------===//

#include "Execute/MathUnit.h"
#include "Execute/MathTables.h"
#include "heddle/Emulator/SoftFloat.h"

namespace heddle::emu {

using namespace mathtables;

namespace {

/// Fraction bits of single precision.
constexpr int FractionWidth = F32Format.FracBits;

/// A positive number: 1.Fraction * 2^Exp.
struct Normalized {
  uint32_t Fraction;
  int Exp;
};

} // namespace

/// The polynomial of segment \p Code >> TBits at t = the rest of \p Code.
static int64_t interpolate(const Segment *Table, uint64_t Code, int TBits) {
  const Segment &S = Table[Code >> TBits];
  int64_t T = static_cast<int64_t>(Code & ((uint64_t(1) << TBits) - 1));
  return (int64_t(S.C0) << GuardBits) + (S.C1 * T >> (TBits - GuardBits)) +
         (S.C2 * T * T >> (2 * TBits - GuardBits));
}

/// Value * 2^Exp, in units of an interpolated value, rounded to single
/// precision.
static uint32_t round(bool Sign, int64_t Value, int Exp) {
  Number N;
  N.Sign = Sign;
  if (Value != 0) {
    N.K = Number::Kind::Finite;
    N.Sig = static_cast<UInt128>(Value);
    N.Exp = Exp - ValueBits;
  }
  return static_cast<uint32_t>(pack(N, F32Format, Rounding::NearestEven));
}

static uint32_t signedBits(bool Sign, uint64_t Magnitude) {
  return static_cast<uint32_t>((Sign ? F32Format.signBit() : 0) | Magnitude);
}
static uint32_t signedZero(bool Sign) { return signedBits(Sign, 0); }
static uint32_t signedInfinity(bool Sign) {
  return signedBits(Sign, F32Format.infinity());
}
static uint32_t signedOne(bool Sign) {
  return signedBits(Sign, F32Format.one());
}
static uint32_t notANumber() {
  return static_cast<uint32_t>(F32Format.canonicalNaN());
}

/// A subnormal number has its leading bit moved up.
static Normalized normalize(const Number &N) {
  int Lead = N.leadingExp();
  int Shift = FractionWidth - (Lead - N.Exp);
  uint32_t Significand = static_cast<uint32_t>(N.Sig << Shift);
  return {Significand & ((1u << FractionWidth) - 1), Lead};
}

static uint32_t reciprocal(const Number &N) {
  if (N.isZero())
    return signedInfinity(N.Sign);
  if (N.isInfinity())
    return signedZero(N.Sign);
  Normalized M = normalize(N);
  return round(N.Sign, interpolate(Reciprocal, M.Fraction, 16), -M.Exp);
}

/// The number in [1, 4) that an even power of two leaves, as a code whose top
/// bit says whether it is in [2, 4).
static uint64_t rootCode(Normalized &M) {
  uint64_t Odd = M.Exp & 1;
  M.Exp -= static_cast<int>(Odd);
  return Odd << FractionWidth | M.Fraction;
}

static uint32_t reciprocalRoot(const Number &N) {
  if (N.isZero())
    return signedInfinity(N.Sign);
  if (N.Sign)
    return notANumber();
  if (N.isInfinity())
    return signedZero(false);
  Normalized M = normalize(N);
  uint64_t Code = rootCode(M);
  return round(false, interpolate(ReciprocalRoot, Code, 16), -M.Exp / 2);
}

static uint32_t root(const Number &N) {
  if (N.isZero())
    return signedZero(N.Sign);
  if (N.Sign)
    return notANumber();
  if (N.isInfinity())
    return signedInfinity(false);
  Normalized M = normalize(N);
  uint64_t Code = rootCode(M);
  return round(false, interpolate(Root, Code, 17), M.Exp / 2);
}

static uint32_t logarithm(const Number &N) {
  if (N.isZero())
    return signedInfinity(true);
  if (N.Sign)
    return notANumber();
  if (N.isInfinity())
    return signedInfinity(false);
  Normalized M = normalize(N);
  int64_t Value = interpolate(Logarithm, M.Fraction, 16) +
                  int64_t(M.Exp) * (int64_t(1) << ValueBits);
  return round(Value < 0, Value < 0 ? -Value : Value, 0);
}

static uint32_t exponential(const Number &N) {
  constexpr int PointBits = 26;
  if (N.isZero())
    return signedOne(false);
  // From 2^8 on the result is too large or too small for any rounding.
  if (N.isInfinity() || N.leadingExp() >= 8)
    return N.Sign ? signedZero(false) : signedInfinity(false);
  // The argument with 26 bits behind the point, rounded down.
  int Shift = -N.Exp - PointBits;
  int64_t Magnitude = static_cast<int64_t>(N.Sig), X;
  if (Shift <= 0)
    X = N.Sign ? -(Magnitude << -Shift) : Magnitude << -Shift;
  else
    X = (N.Sign ? -Magnitude : Magnitude) >> (Shift > 62 ? 62 : Shift);
  uint64_t Fraction = static_cast<uint64_t>(X) & ((1u << PointBits) - 1);
  return round(false, interpolate(Exponential, Fraction, PointBits - 6),
               static_cast<int>(X >> PointBits));
}

/// The fraction of a full turn that an angle's magnitude is, in units of 2^-32.
/// Large angles lose what their precision does not hold.
static uint32_t phaseOf(const Number &N) {
  UInt128 Product = N.Sig * InverseTurn; // Units of 2^(Exp - 64).
  int Shift = 32 - N.Exp;
  if (Shift <= 0)
    return Shift <= -32 ? 0 : static_cast<uint32_t>(Product << -Shift);
  return Shift >= 128 ? 0 : static_cast<uint32_t>(Product >> Shift);
}

/// The sine of a phase.
static uint32_t wave(bool Sign, uint32_t Phase) {
  constexpr int QuarterBits = 30, TBits = 20, Dropped = 3;
  uint32_t Quarter = 1u << QuarterBits;
  uint32_t Within = Phase & (Quarter - 1);
  if (Phase & Quarter) // The second and the fourth quarter run backwards.
    Within = Quarter - Within;
  Sign ^= Phase >> 31 != 0;
  if (Within == Quarter)
    return signedOne(Sign);
  return round(Sign, interpolate(QuarterWave, Within >> Dropped, TBits), 0);
}

static uint32_t sine(const Number &N, uint32_t Bits) {
  // Below 2^-12 the argument itself is near enough.
  if (N.isZero() || (N.isFinite() && N.leadingExp() < -12))
    return Bits;
  if (N.isInfinity())
    return notANumber();
  return wave(N.Sign, phaseOf(N));
}

static uint32_t cosine(const Number &N) {
  constexpr uint32_t QuarterTurn = 1u << 30;
  if (N.isInfinity())
    return notANumber();
  return wave(false, (N.isZero() ? 0 : phaseOf(N)) + QuarterTurn);
}

static uint32_t hyperbolicTangent(const Number &N, uint32_t Bits) {
  constexpr int LeastExp = -5, MostExp = 3;
  if (N.isZero() || (N.isFinite() && N.leadingExp() < LeastExp))
    return Bits;
  if (N.isInfinity() || N.leadingExp() > MostExp)
    return signedOne(N.Sign);
  Normalized M = normalize(N);
  uint64_t Code =
      static_cast<uint64_t>(M.Exp - LeastExp) << FractionWidth | M.Fraction;
  return round(N.Sign, interpolate(HyperbolicTangent, Code, 18), 0);
}

static uint32_t compute(MufuFn Fn, const Number &N, uint32_t Bits) {
  switch (Fn) {
  case MufuFn::Reciprocal:
    return reciprocal(N);
  case MufuFn::ReciprocalRoot:
    return reciprocalRoot(N);
  case MufuFn::Root:
    return root(N);
  case MufuFn::Log2:
    return logarithm(N);
  case MufuFn::Exp2:
    return exponential(N);
  case MufuFn::Sin:
    return sine(N, Bits);
  case MufuFn::Cos:
    return cosine(N);
  case MufuFn::Tanh:
    return hyperbolicTangent(N, Bits);
  }
  return notANumber();
}

uint32_t evaluate(MufuFn Fn, uint32_t Bits, bool Ftz) {
  if (Ftz)
    Bits = static_cast<uint32_t>(F32Format.flush(Bits));
  Number N = unpack(Bits, F32Format);
  if (N.isNaN())
    return notANumber();
  uint32_t Result = compute(Fn, N, Bits);
  return Ftz ? static_cast<uint32_t>(F32Format.flush(Result)) : Result;
}

} // namespace heddle::emu
