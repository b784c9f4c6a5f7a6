//===- HostModel.cpp - Models of the instructions ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The approximations with an error that the test sets, and the fix-up
// operations as docs/ir-contract.md states them: the quotient or root that they
// are given, moved an infinitesimal amount towards the remainder's sign, scaled
// and rounded in a wider format.
//
//===----------------------------------------------------------------------===//

#include "HostModel.h"
#include "../../../lib/DeviceLibrary/Device/Instructions.h"

int heddle::device::ApproximationError = 0;

using namespace heddle::device;

/// 1 / X within one unit in the last place: rounded to nearest, towards zero or
/// away from it.
float heddle::device::approxReciprocal(float X) {
  double Exact = 1.0 / double(flush(X));
  float Value = static_cast<float>(Exact);
  double Excess = std::fabs(double(Value)) - std::fabs(Exact);
  if (std::isnormal(Value) && ApproximationError < 0 && Excess > 0)
    Value = std::nextafter(Value, 0.0f);
  if (std::isnormal(Value) && ApproximationError > 0 && Excess < 0)
    Value = std::nextafter(Value, std::copysign(INFINITY, Value));
  return flush(Value);
}

/// 1 / sqrt(X) rounded to nearest, then two units in the last place off.
float heddle::device::approxReciprocalRoot(float X) {
  float Value = static_cast<float>(1.0 / std::sqrt(double(flush(X))));
  for (int I = 0; I != 2 * std::abs(ApproximationError); ++I)
    if (std::isnormal(Value))
      Value = std::nextafter(Value, ApproximationError < 0 ? 0.0f : INFINITY);
  return flush(Value);
}

float heddle::device::multiplyFTZ(float A, float B) {
  return flush(flush(A) * flush(B));
}

/// The significand in [1, 2) and its exponent; 1 and 0 for special numbers.
template <typename T> static T split(T Value, int &Exponent) {
  Exponent = 0;
  if (Value == 0 || !std::isfinite(Value))
    return 1;
  T Significand = std::frexp(std::fabs(Value), &Exponent);
  --Exponent;
  return Significand * 2;
}

/// The same in [1, 4) with an even exponent.
template <typename T> static T splitEven(T Value, int &Exponent) {
  T Significand = split(Value, Exponent);
  if (Exponent & 1) {
    --Exponent;
    Significand *= 2;
  }
  return Significand;
}

/// Rounds Value * 2^Exponent, moved towards the sign of Remainder, to T. Wide
/// holds T's values, subnormals included, with bits to spare.
template <typename T, typename Wide>
static T finish(T Value, T Remainder, int Exponent, bool IsNegative, int Mode) {
  Wide Exact = std::ldexp(Wide(Value), Exponent);
  if (Remainder != 0)
    Exact = std::nextafter(Exact, Remainder > 0 ? Wide(INFINITY) : Wide(0));
  volatile Wide Signed = IsNegative ? -Exact : Exact;
  static const int Modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};
  RoundingScope Scope(Modes[Mode & 3]);
  volatile T Result = static_cast<T>(Signed);
  T Rounded = Result;
  return Mode & FTZ ? flush(Rounded) : Rounded;
}

template <typename T, typename Wide>
static T finishDivision(T Q, T R, T A, T B, int Mode) {
  if (Mode & FTZ) {
    A = flush(A);
    B = flush(B);
  }
  if (A == 0 || B == 0 || !std::isfinite(A) || !std::isfinite(B))
    return A / B; // exact whatever the mode
  int EA, EB;
  split(A, EA);
  split(B, EB);
  return finish<T, Wide>(Q, R, EA - EB, std::signbit(A) != std::signbit(B),
                         Mode);
}

template <typename T, typename Wide>
static T finishRoot(T S, T R, T A, int Mode) {
  if (Mode & FTZ)
    A = flush(A);
  if (A == 0 || !std::isfinite(A) || A < 0)
    return std::sqrt(A);
  int Exponent;
  splitEven(A, Exponent);
  return finish<T, Wide>(S, R, Exponent / 2, false, Mode);
}

Float2 heddle::device::__heddle_fdprep_f32(float A, float B) {
  int Ignored;
  return Float2{split(A, Ignored), split(B, Ignored)};
}

float heddle::device::__heddle_fdfix_f32(float Q, float R, float A, float B,
                                         int Mode) {
  return finishDivision<float, double>(Q, R, A, B, Mode);
}

float heddle::device::__heddle_fsqprep_f32(float A) {
  int Ignored;
  return splitEven(A, Ignored);
}

float heddle::device::__heddle_fsqfix_f32(float S, float R, float A, int Mode) {
  return finishRoot<float, double>(S, R, A, Mode);
}

static_assert(std::numeric_limits<long double>::digits >= 64,
              "the models of double need a wider format");

Double2 heddle::device::__heddle_ddprep_f64(double A, double B) {
  int Ignored;
  return Double2{split(A, Ignored), split(B, Ignored)};
}

double heddle::device::__heddle_ddfix_f64(double Q, double R, double A,
                                          double B, int Mode) {
  return finishDivision<double, long double>(Q, R, A, B, Mode);
}

double heddle::device::__heddle_dsqprep_f64(double A) {
  int Ignored;
  return splitEven(A, Ignored);
}

double heddle::device::__heddle_dsqfix_f64(double S, double R, double A,
                                           int Mode) {
  return finishRoot<double, long double>(S, R, A, Mode);
}
