//===- Judge.cpp - Errors of results ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit in the last place is that of the binade of the exact value, and not
// less than the distance of subnormal numbers. An infinity counts as the power
// of two behind the largest number.
//
//===----------------------------------------------------------------------===//

#include "Judge.h"

#include <algorithm>
#include <cmath>

using namespace heddle::accuracy;

/// Findings of a piece that are kept, to look around them.
static constexpr size_t KeptOfPiece = 16;

Judge::Judge(const Function &F, bool FastMath)
    : F(F), FlushesAll(FastMath && F.In == Group::Single),
      ChecksSpecials(F.ChecksSpecials && !FastMath), P(F.promised(FastMath)),
      X0(64), X1(64), X2(64), X3(64), Want(F.Precision), Scratch(F.Precision),
      Kept(P.size()) {}

static uint64_t flushed(uint64_t Bits, const Format &Of) {
  if (Of.isInteger())
    return Bits;
  // Instructions on the upper words of doubles.
  if (Of.bits() == 64)
    Bits &= 0xFFFFFFFF00000000;
  return Of.isSubnormal(Bits) ? Bits & Of.signBit() : Bits;
}

size_t Judge::pieceAt(const double *X) const {
  size_t At = 0;
  while (At + 1 != P.size() && !P[At].holdsAt(X))
    ++At;
  return At;
}

/// The exponent of the unit in the last place of numbers with an exponent.
static int unitExponent(int Exponent, const Format &Of) {
  return std::clamp(Exponent, Of.leastExponent(), Of.mostExponent()) -
         static_cast<int>(Of.FracBits);
}

/// Whether the quick value shows that the error is below the worst until now.
bool Judge::isTooGood(const double *X, double Got, size_t At) const {
  if (!F.Nearly || Kept[At].size() < KeptOfPiece || !std::isfinite(Got))
    return false;
  long double Args[MaxArguments];
  std::copy_n(X, F.Arguments.size(), Args);
  long double Value = F.Nearly(Args);
  if (!std::isnormal(Value))
    return false;
  long double Error = fabsl(Got - Value);
  long double Unit = ldexpl(1, unitExponent(ilogbl(Value), F.Result));
  // What the quick value may be wrong by.
  long double Slack = fabsl(Value) * 0x1p-60L;
  switch (P[At].In) {
  case Measure::Absolute:
    break;
  case Measure::Relative:
    Error /= fabsl(Value);
    Slack = 0x1p-60L;
    break;
  case Measure::Ulp:
  case Measure::Real:
  case Measure::Nothing:
    Error /= Unit;
    Slack /= Unit;
    break;
  }
  Finding Guess;
  Guess.Error = static_cast<double>(Error + Slack);
  Guess.Most = P[At].mostAt(X);
  return score(Guess) < score(Kept[At].back());
}

/// Sets the exact value; false where there is none to compare with.
bool Judge::setWant(const uint64_t *Arguments, double Hint) {
  mpfr_ptr Xs[] = {X0, X1, X2, X3};
  Point At{{X0, X1, X2, X3}, {}, Hint, F.Rounding};
  for (size_t A = 0; A != F.Arguments.size(); ++A) {
    double V = toDouble(Arguments[A], F.Arguments[A]);
    mpfr_set_d(Xs[A], V, MPFR_RNDN);
    if (F.Arguments[A].isInteger())
      At.N[A] = static_cast<long>(V);
  }
  return F.Want(Want, At);
}

/// Whether the exact value or the result is special; then it is judged here. A
/// NaN in place of a number is wrong wherever something is promised.
bool Judge::checkSpecial(const uint64_t *Arguments, uint64_t Got,
                         bool Promised) {
  const Format &Of = F.Result;
  bool Right;
  if (Of.isInteger())
    return false;
  if (mpfr_nan_p(Want))
    Right = Of.isNaN(Got);
  else if (mpfr_inf_p(Want) || mpfr_zero_p(Want))
    Right = (mpfr_inf_p(Want) ? Of.isInfinity(Got) : Of.isZero(Got)) &&
            Of.isNegative(Got) == (mpfr_signbit(Want) != 0);
  else if (Of.isNaN(Got))
    Right = false;
  else
    return false;
  bool Counts =
      ChecksSpecials || (Promised && Of.isNaN(Got) && mpfr_regular_p(Want));
  if (!Right && Counts && Result.WrongSpecials++ == 0) {
    Result.FirstSpecial.Arguments.assign(Arguments,
                                         Arguments + F.Arguments.size());
    Result.FirstSpecial.Got = Got;
  }
  return true;
}

/// The error of a result; Steps is what it is away from the rounded one.
double Judge::errorOf(uint64_t Got, Measure In, double &Steps) {
  const Format &Of = F.Result;
  if (!Of.isInteger() && mpfr_get_exp(Want) > Of.mostExponent() + 1) {
    bool Negative = mpfr_signbit(Want);
    mpfr_set_ui_2exp(Want, 1, Of.mostExponent() + 1, MPFR_RNDN);
    mpfr_setsign(Want, Want, Negative, MPFR_RNDN);
  }
  int Lead = static_cast<int>(mpfr_get_exp(Want));
  int Unit = Of.isInteger() ? 0 : unitExponent(Lead - 1, Of);
  long double Value = toDouble(Got, Of);
  if (Of.isInfinity(Got))
    Value = std::copysign(ldexpl(1, Of.mostExponent() + 1),
                          Of.isNegative(Got) ? -1.0L : 1.0L);
  // The rounded result in units.
  mpfr_mul_2si(Scratch, Want, -Unit, MPFR_RNDN);
  mpfr_rint(Scratch, Scratch, F.Rounding);
  long double Rounded = mpfr_get_ld(Scratch, MPFR_RNDN);
  if (!Of.isInteger()) {
    long double End = ldexpl(1, static_cast<int>(Of.FracBits) + 1);
    bool Stays = F.Rounding == MPFR_RNDZ ||
                 F.Rounding == (Rounded < 0 ? MPFR_RNDU : MPFR_RNDD);
    if (Lead - 1 >= Of.mostExponent() && fabsl(Rounded) >= End)
      Rounded = std::copysign(Stays ? End - 1 : End, Rounded);
  }
  Steps = static_cast<double>(fabsl(ldexpl(Value, -Unit) - Rounded));
  mpfr_set_ld(Scratch, Value, MPFR_RNDN);
  mpfr_sub(Scratch, Scratch, Want, MPFR_RNDN);
  mpfr_abs(Scratch, Scratch, MPFR_RNDN);
  if (In == Measure::Relative)
    mpfr_div(Scratch, Scratch, Want, MPFR_RNDN);
  else if (In != Measure::Absolute)
    mpfr_mul_2si(Scratch, Scratch, -Unit, MPFR_RNDN);
  return std::fabs(mpfr_get_d(Scratch, MPFR_RNDU));
}

/// How bad a finding is among those of its piece: where the bound grows, the
/// part of it.
double Judge::score(const Finding &Found) const {
  return Found.Most > 0 ? Found.Error / (Found.Most + 0.5) : Found.Error;
}

void Judge::keep(size_t At, const Finding &Found) {
  std::vector<Finding> &List = Kept[At];
  auto Better = [&](const Finding &A, const Finding &B) {
    return score(A) > score(B);
  };
  if (List.size() == KeptOfPiece && !Better(Found, List.back()))
    return;
  List.insert(std::upper_bound(List.begin(), List.end(), Found, Better), Found);
  if (List.size() > KeptOfPiece)
    List.pop_back();
}

void Judge::look(const uint64_t *Given, uint64_t Got) {
  uint64_t Arguments[MaxArguments];
  double X[MaxArguments] = {};
  for (size_t A = 0; A != F.Arguments.size(); ++A) {
    Arguments[A] =
        F.Flushes || FlushesAll ? flushed(Given[A], F.Arguments[A]) : Given[A];
    X[A] = toDouble(Arguments[A], F.Arguments[A]);
  }
  if (F.LowBitsOnly) {
    auto Quotient = static_cast<int32_t>(Got);
    Got = static_cast<uint32_t>(Quotient < 0 ? -(-Quotient & 7) : Quotient & 7);
  }
  ++Result.Samples;
  size_t At = pieceAt(X);
  double Value = toDouble(Got, F.Result);
  if (isTooGood(X, Value, At) || !setWant(Arguments, Value) ||
      checkSpecial(Arguments, Got, P[At].In != Measure::Nothing))
    return;
  Finding Found;
  Found.Got = Got;
  Found.Most = P[At].mostAt(X);
  Found.Error = errorOf(Got, P[At].In, Found.Steps);
  // A zero is as good as a subnormal result.
  bool Flushed = (F.Flushes || FlushesAll) && F.Result.isZero(Got) &&
                 mpfr_get_exp(Want) - 1 <= F.Result.leastExponent();
  if (Flushed)
    Found.Error = Found.Steps = 0;
  if (P[At].In == Measure::Ulp && P[At].Most == 0)
    Found.Error = Found.Steps;
  Found.Arguments.assign(Given, Given + F.Arguments.size());
  keep(At, Found);
}

std::vector<std::vector<uint64_t>> Judge::centers() const {
  std::vector<std::vector<uint64_t>> Centers;
  for (const std::vector<Finding> &List : Kept)
    for (const Finding &Found : List)
      Centers.push_back(Found.Arguments);
  return Centers;
}

Verdict Judge::verdict() const {
  Verdict V = Result;
  for (size_t At = 0; At != P.size(); ++At) {
    V.Worst.push_back(Kept[At].empty() ? Finding() : Kept[At].front());
    const Finding &Worst = V.Worst.back();
    if (!Worst.exists() || P[At].In == Measure::Nothing)
      continue;
    double Error = P[At].In == Measure::Ulp ? Worst.Steps : Worst.Error;
    V.Broken |= Error > Worst.Most;
  }
  V.Broken |= V.WrongSpecials != 0;
  return V;
}
