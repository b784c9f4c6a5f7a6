//===- Float.cpp - Division and square root of floats -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Division, reciprocal and square root, correctly rounded in every mode, by the
// method of docs/ir-contract.md: the significands, scaled so that nothing
// overflows or underflows, go through Newton steps (Markstein: with the
// reciprocal y of b correctly rounded and q within a unit in the last place of
// a / b, q + y (a - b q) rounds to the correctly rounded quotient, and the
// remainder is exact); a fix-up instruction puts exponents, signs and special
// cases back and rounds.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

using namespace heddle::device;

/// 1 / B for B in [1, 2), rounded to nearest. The approximation is good to
/// about 2^-23, and one step is for all B but one: a step gives at most 1 / B,
/// which for the B next to 2 is just above a tie and then rounds the wrong way.
/// No rounded reciprocal is below that of this B, hence the maximum.
static inline float reciprocal(float B) {
  float Y = approxReciprocal(B);
  Y = fma(Y, fma(-B, Y, 1.0f), Y);
  return __builtin_elementwise_maximumnum(Y, 0x1.000002p-1f);
}

/// The same in double, from a seed in float: 2^-22, then cubic 2^-66, cut to
/// double, and a last step that rounds.
static inline double reciprocal(double B) {
  double Y = approxReciprocal(static_cast<float>(B));
  double E = fma(-B, Y, 1.0);
  Y = fma(Y, fma(E, E, E), Y);
  Y = fma(Y, fma(-B, Y, 1.0), Y);
  return __builtin_elementwise_maximumnum(Y, 0x1.0000000000001p-1);
}

/// A / B for significands in [1, 2), rounded to nearest.
template <typename T> static inline T quotient(T A, T B) {
  T Y = reciprocal(B);
  T Q = A * Y;
  return fma(fma(-B, Q, A), Y, Q);
}

/// The square root of X in [1, 4), rounded to nearest. H is half its
/// reciprocal.
static inline float root(float X) {
  float Y = approxReciprocalRoot(X);
  float S = X * Y, H = 0.5f * Y;
  float E = fma(-H, S, 0.5f);
  S = fma(S, E, S);
  H = fma(H, E, H);
  return fma(fma(-S, S, X), H, S);
}

/// The same in double; each coupled step doubles the 2^-21 of the seed.
static inline double root(double X) {
  double Y = approxReciprocalRoot(static_cast<float>(X));
  double S = X * Y, H = 0.5 * Y;
  for (int Step = 0; Step != 2; ++Step) {
    double E = fma(-H, S, 0.5);
    S = fma(S, E, S);
    H = fma(H, E, H);
  }
  S = fma(fma(-S, S, X), H, S);
  return fma(fma(-S, S, X), H, S);
}

template <int Mode> static inline float divide(float A, float B) {
  Float2 P = __heddle_fdprep_f32(A, B);
  float Q = quotient(P.x, P.y);
  return __heddle_fdfix_f32(Q, fma(-P.y, Q, P.x), A, B, Mode);
}

template <int Mode> static inline double divide(double A, double B) {
  Double2 P = __heddle_ddprep_f64(A, B);
  double Q = quotient(P.x, P.y);
  return __heddle_ddfix_f64(Q, fma(-P.y, Q, P.x), A, B, Mode);
}

template <int Mode> static inline float invert(float B) {
  float P = __heddle_fdprep_f32(1.0f, B).y;
  float Q = reciprocal(P);
  return __heddle_fdfix_f32(Q, fma(-P, Q, 1.0f), 1.0f, B, Mode);
}

template <int Mode> static inline double invert(double B) {
  double P = __heddle_ddprep_f64(1.0, B).y;
  double Q = reciprocal(P);
  return __heddle_ddfix_f64(Q, fma(-P, Q, 1.0), 1.0, B, Mode);
}

template <int Mode> static inline float squareRoot(float A) {
  float X = __heddle_fsqprep_f32(A);
  float S = root(X);
  return __heddle_fsqfix_f32(S, fma(-S, S, X), A, Mode);
}

template <int Mode> static inline double squareRoot(double A) {
  double X = __heddle_dsqprep_f64(A);
  double S = root(X);
  return __heddle_dsqfix_f64(S, fma(-S, S, X), A, Mode);
}

#define HEDDLE_DEFINE(Type, Suffix, ModeSuffix, Mode)                          \
  HEDDLE_DEVICE_INLINE Type __heddle_div_##ModeSuffix##_##Suffix(Type A,       \
                                                                 Type B) {     \
    return divide<Mode>(A, B);                                                 \
  }                                                                            \
  HEDDLE_DEVICE_INLINE Type __heddle_rcp_##ModeSuffix##_##Suffix(Type A) {     \
    return invert<Mode>(A);                                                    \
  }                                                                            \
  HEDDLE_DEVICE_INLINE Type __heddle_sqrt_##ModeSuffix##_##Suffix(Type A) {    \
    return squareRoot<Mode>(A);                                                \
  }

HEDDLE_DEFINE(float, f32, rn, RN)
HEDDLE_DEFINE(float, f32, rz, RZ)
HEDDLE_DEFINE(float, f32, rm, RM)
HEDDLE_DEFINE(float, f32, rp, RP)
HEDDLE_DEFINE(float, f32, rn_ftz, RN | FTZ)
HEDDLE_DEFINE(float, f32, rz_ftz, RZ | FTZ)
HEDDLE_DEFINE(float, f32, rm_ftz, RM | FTZ)
HEDDLE_DEFINE(float, f32, rp_ftz, RP | FTZ)
HEDDLE_DEFINE(double, f64, rn, RN)
HEDDLE_DEFINE(double, f64, rz, RZ)
HEDDLE_DEFINE(double, f64, rm, RM)
HEDDLE_DEFINE(double, f64, rp, RP)

/// About the root of 1 / |B|, a power of two: 2^63 for a subnormal B, 2^-64
/// where B is greatest. B times it is a normal number, whose reciprocal is one,
/// too. A greater factor than 1 goes with a product below 1 and a smaller one
/// with a product from 1 on; so A times it overflows only where A / B does, and
/// loses bits only where A / B is subnormal.
static inline float rootOfInverseScale(float B) {
  unsigned EvenExponent = __builtin_bit_cast(unsigned, B) & 0x7F000000u;
  return __builtin_bit_cast(float, 0x5F000000u - (EvenExponent >> 1));
}

/// PTX div.full: two units in the last place over the whole range. The
/// reciprocal is good to 1.04 * 2^-24 of the value (docs/math-unit.md), its
/// product with the dividend thus to 1.54 units. All but two products depends
/// on the divisor alone, so that divisions by the same share it.
HEDDLE_DEVICE_INLINE float __heddle_div_full_f32(float A, float B) {
  float Scale = rootOfInverseScale(B);
  return multiply(multiply(A, Scale), approxReciprocal(multiply(B, Scale)));
}

HEDDLE_DEVICE_INLINE float __heddle_div_full_ftz_f32(float A, float B) {
  float Scale = rootOfInverseScale(B);
  return multiplyFTZ(multiplyFTZ(A, Scale),
                     approxReciprocal(multiplyFTZ(B, Scale)));
}

/// PTX div.approx: two units in the last place for |B| in [2^-126, 2^126], a
/// product with the reciprocal beyond. The reciprocal takes subnormals for
/// zero, so a subnormal divisor is scaled first.
HEDDLE_DEVICE_INLINE float __heddle_div_approx_f32(float A, float B) {
  bool IsTiny = __builtin_fabsf(B) < 0x1p-126f;
  float Q = multiply(A, approxReciprocal(IsTiny ? B * 0x1p24f : B));
  return IsTiny ? Q * 0x1p24f : Q;
}

HEDDLE_DEVICE_INLINE float __heddle_div_approx_ftz_f32(float A, float B) {
  return multiplyFTZ(A, approxReciprocal(B));
}

/// What PTX's gross approximations in double read and write: the upper word,
/// with subnormals as zeros.
static inline double upperWord(double X) {
  if (__builtin_fabs(X) < 0x1p-1022)
    return __builtin_copysign(0.0, X);
  return __builtin_bit_cast(double, __builtin_bit_cast(unsigned long long, X) &
                                        0xFFFFFFFF00000000ull);
}

/// The same of a result; a NaN becomes the one that PTX names.
static inline double upperResult(double X) {
  double NaN = __builtin_bit_cast(double, 0x7FFFFFFF00000000ull);
  return X != X ? NaN : upperWord(X);
}

/// 1 / B good to about 2^-22: the seed alone, with exponent and special cases.
static inline double approxInvert(double B) {
  double P = __heddle_ddprep_f64(1.0, B).y;
  double Q = approxReciprocal(static_cast<float>(P));
  return __heddle_ddfix_f64(Q, 0.0, 1.0, B, RN);
}

/// 1 / sqrt(A) good to about 2^-21.
static inline double approxInvertRoot(double A) {
  double X = __heddle_dsqprep_f64(A);
  double S = X * approxReciprocalRoot(static_cast<float>(X));
  return approxInvert(__heddle_dsqfix_f64(S, 0.0, A, RN));
}

HEDDLE_DEVICE_INLINE double __heddle_rcp_approx_ftz_f64(double A) {
  return upperResult(approxInvert(A != A ? A : upperWord(A)));
}

HEDDLE_DEVICE_INLINE double __heddle_rsqrt_approx_ftz_f64(double A) {
  return upperResult(approxInvertRoot(A != A ? A : upperWord(A)));
}

/// 1 / sqrt(X) for X in [1, 4): one cubic step takes the 2^-21 of the seed to
/// 2^-64, so that little more than the last rounding is left. The square of
/// the seed is exact.
static inline double inverseRoot(double X) {
  double Y = approxReciprocalRoot(static_cast<float>(X));
  double E = fma(-X, Y * Y, 1.0);
  return fma(Y * E, fma(E, 0.375, 0.5), Y);
}

/// PTX rsqrt.approx.f64, which CUDA's rsqrt(double) is: one unit in the last
/// place. The root of the power of two that the significand was scaled by has
/// the special cases, too.
HEDDLE_DEVICE_INLINE double __heddle_rsqrt_approx_f64(double A) {
  double Y = inverseRoot(__heddle_dsqprep_f64(A));
  double Scale = __heddle_dsqfix_f64(1.0, 0.0, A, RN);
  return __heddle_ddfix_f64(Y, 0.0, 1.0, Scale, RN);
}
