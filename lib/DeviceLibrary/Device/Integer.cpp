//===- Integer.cpp - Integer division ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quotients and remainders of 32 and 64 bits. A division by zero gives all
// ones, for the remainder too: that is what ptxas 13.0 folds and emits for
// sm_90.
//
// The method, for operands of N bits, b not 0, X = 2^N / b:
//   1. x0 = X (1 - d), from the approximate reciprocal of b as a float, scaled
//   by
//      2^N (1 - 2^-21). Converting b, the reciprocal (one unit in the last
//      place) and the product err by less than 2^-22, so 2^-22 < d < 2^-20.
//   2. A Newton step, x' = x + floor(x e / 2^N) with e = 2^N - b x, which is
//   exact
//      as x < X. It leaves x1 = X (1 - d^2) - t, 0 <= t < 1; a second one has
//      e = 2^N (d^2 + t / X). X is at most 2^N: d^2 X is below 2^-8 for 32 bits
//      after one step, and d^4 X below 2^-16 for 64 bits after two.
//   3. q = floor(a x / 2^N) is then at most the quotient, and at least the
//      quotient - 2: for X >= 2 the last x is less than 1.6 below X, so that
//      a x / 2^N is less than 1.6 below a / b, and less than 2.6 with the
//      floor; for X < 2 the quotient itself is at most 1. Two corrections make
//      it exact.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

using namespace heddle::device;

using U32 = unsigned;
using S32 = int;
using U64 = unsigned long long;
using S64 = long long;

static_assert(sizeof(U32) == 4 && sizeof(U64) == 8);

namespace {

template <typename T> struct DivRem {
  T Quotient, Remainder;
};

/// 2^N (1 - 2^-21) as a float.
template <typename T> constexpr float Scale = 0;
template <> constexpr float Scale<U32> = 0x1p32f - 0x1p11f;
template <> constexpr float Scale<U64> = 0x1p64f - 0x1p43f;

} // namespace

static inline U32 multiplyHigh(U32 A, U32 B) {
  return static_cast<U32>((static_cast<U64>(A) * B) >> 32);
}

static inline U64 multiplyHigh(U64 A, U64 B) {
  return static_cast<U64>((static_cast<unsigned __int128>(A) * B) >> 64);
}

/// Unsigned division; B must not be 0.
template <typename T> static inline DivRem<T> divideNonZero(T A, T B) {
  T X = static_cast<T>(approxReciprocal(static_cast<float>(B)) * Scale<T>);
  T Minus = static_cast<T>(0) - B;
  X += multiplyHigh(X, Minus * X);
  if (sizeof(T) == 8)
    X += multiplyHigh(X, Minus * X);
  T Q = multiplyHigh(A, X);
  T R = A + Minus * Q;
  for (int Correction = 0; Correction != 2; ++Correction) {
    bool Over = R >= B;
    Q = Over ? Q + 1 : Q;
    R = Over ? R - B : R;
  }
  return {Q, R};
}

/// Unsigned division as PTX has it.
template <typename T> static inline DivRem<T> divide(T A, T B) {
  bool IsZero = B == 0;
  DivRem<T> D = divideNonZero<T>(A, IsZero ? 1 : B);
  T AllOnes = ~static_cast<T>(0);
  return {IsZero ? AllOnes : D.Quotient, IsZero ? AllOnes : D.Remainder};
}

/// Division of 64 bits that takes the short way where 32 bits hold both.
static inline DivRem<U64> divideWide(U64 A, U64 B) {
  if (((A | B) >> 32) == 0 && B != 0) {
    DivRem<U32> D =
        divideNonZero<U32>(static_cast<U32>(A), static_cast<U32>(B));
    return {D.Quotient, D.Remainder};
  }
  return divide<U64>(A, B);
}

/// \p Value with its sign dropped; the least value is its own magnitude.
template <typename U> static inline U magnitude(U Value) {
  U Sign = static_cast<U>(0) - (Value >> (8 * sizeof(U) - 1));
  return (Value ^ Sign) - Sign;
}

/// \p Magnitude, negated where the top bit of \p Sign is set.
template <typename U> static inline U withSign(U Magnitude, U Sign) {
  U Mask = static_cast<U>(0) - (Sign >> (8 * sizeof(U) - 1));
  return (Magnitude ^ Mask) - Mask;
}

/// Signed division as PTX has it. Both results come without branches, so that
/// a quotient and a remainder of the same numbers share what they can.
static inline DivRem<S32> divideSigned(U32 A, U32 B) {
  bool IsZero = B == 0;
  U32 Divisor = magnitude(B);
  DivRem<U32> D = divideNonZero<U32>(magnitude(A), IsZero ? 1 : Divisor);
  S32 Quotient = withSign(D.Quotient, A ^ B);
  S32 Remainder = withSign(D.Remainder, A);
  return {IsZero ? -1 : Quotient, IsZero ? -1 : Remainder};
}

HEDDLE_DEVICE_INLINE U32 __heddle_udiv32(U32 A, U32 B) {
  return divide(A, B).Quotient;
}

HEDDLE_DEVICE_INLINE U32 __heddle_urem32(U32 A, U32 B) {
  return divide(A, B).Remainder;
}

HEDDLE_DEVICE_INLINE S32 __heddle_sdiv32(S32 SA, S32 SB) {
  return divideSigned(SA, SB).Quotient;
}

HEDDLE_DEVICE_INLINE S32 __heddle_srem32(S32 SA, S32 SB) {
  return divideSigned(SA, SB).Remainder;
}

HEDDLE_DEVICE_CALLED U64 __heddle_udiv64(U64 A, U64 B) {
  return divideWide(A, B).Quotient;
}

HEDDLE_DEVICE_CALLED U64 __heddle_urem64(U64 A, U64 B) {
  return divideWide(A, B).Remainder;
}

HEDDLE_DEVICE_CALLED S64 __heddle_sdiv64(S64 SA, S64 SB) {
  U64 A = SA, B = SB;
  U64 Q = divideWide(magnitude(A), magnitude(B)).Quotient;
  return B == 0 ? -1 : static_cast<S64>(withSign(Q, A ^ B));
}

HEDDLE_DEVICE_CALLED S64 __heddle_srem64(S64 SA, S64 SB) {
  U64 A = SA, B = SB;
  U64 R = divideWide(magnitude(A), magnitude(B)).Remainder;
  return B == 0 ? -1 : static_cast<S64>(withSign(R, A));
}
