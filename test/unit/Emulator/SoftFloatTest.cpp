//===- SoftFloatTest.cpp - Exact arithmetic against MPFR --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPFR computes with the exponent range and precision of each format, with its
// own rounding of subnormal numbers.
//
//===----------------------------------------------------------------------===//

#include "heddle/Emulator/SoftFloat.h"
#include "gtest/gtest.h"

#include <mpfr.h>
#include <random>
#include <vector>

using namespace heddle::emu;

namespace {

constexpr FloatFormat Formats[] = {F16Format, BF16Format, TF32Format, F32Format,
                                   F64Format};
constexpr Rounding Modes[] = {Rounding::NearestEven, Rounding::TowardZero,
                              Rounding::Down, Rounding::Up};

mpfr_rnd_t toMPFR(Rounding R) {
  switch (R) {
  case Rounding::NearestEven:
    return MPFR_RNDN;
  case Rounding::TowardZero:
    return MPFR_RNDZ;
  case Rounding::Down:
    return MPFR_RNDD;
  case Rounding::Up:
    return MPFR_RNDU;
  }
  return MPFR_RNDN;
}

/// A number of MPFR that frees itself.
struct Real {
  mpfr_t V;
  explicit Real(mpfr_prec_t Precision) { mpfr_init2(V, Precision); }
  ~Real() { mpfr_clear(V); }
  Real(const Real &) = delete;
};

/// Sets X to a number of a format; NaN and infinity included.
void setBits(Real &X, uint64_t Bits, FloatFormat F) {
  bool Sign = Bits & F.signBit();
  uint64_t Frac = Bits & F.fracMask();
  int Exp = int((Bits & F.infinity()) >> F.FracBits);
  if (Exp == (1 << F.ExpBits) - 1) {
    if (Frac)
      mpfr_set_nan(X.V);
    else
      mpfr_set_inf(X.V, Sign ? -1 : 1);
    return;
  }
  uint64_t Sig = Exp ? Frac + F.fracMask() + 1 : Frac;
  mpfr_set_ui_2exp(X.V, Sig, std::max(Exp, 1) - F.bias() - F.FracBits,
                   MPFR_RNDN);
  mpfr_setsign(X.V, X.V, Sign, MPFR_RNDN);
}

/// The bits of a number that is one of the format.
uint64_t getBits(const Real &X, FloatFormat F) {
  if (mpfr_nan_p(X.V))
    return F.canonicalNaN();
  uint64_t Sign = mpfr_signbit(X.V) ? F.signBit() : 0;
  if (mpfr_inf_p(X.V))
    return Sign | F.infinity();
  if (mpfr_zero_p(X.V))
    return Sign;
  // MPFR's exponent is that of a significand in [1/2, 1).
  long Exp = mpfr_get_exp(X.V) - 1;
  long Quantum = std::max<long>(Exp, F.minExp()) - F.FracBits;
  Real Scaled(F.FracBits + 1);
  mpfr_mul_2si(Scaled.V, X.V, -Quantum, MPFR_RNDN);
  mpfr_abs(Scaled.V, Scaled.V, MPFR_RNDN);
  uint64_t Sig = mpfr_get_ui(Scaled.V, MPFR_RNDN);
  if (Exp < F.minExp())
    return Sign | Sig;
  return Sign | (uint64_t(Exp + F.bias()) << F.FracBits) | (Sig & F.fracMask());
}

/// Evaluates Compute, which takes the result and a rounding mode and returns
/// MPFR's ternary value, in the format.
template <typename Fn>
uint64_t inFormat(FloatFormat F, Rounding R, Fn Compute) {
  mpfr_set_emin(F.minExp() - F.FracBits + 1);
  mpfr_set_emax(F.bias() + 1);
  Real Result(F.FracBits + 1);
  int Ternary = Compute(Result, toMPFR(R));
  Ternary = mpfr_check_range(Result.V, Ternary, toMPFR(R));
  mpfr_subnormalize(Result.V, Ternary, toMPFR(R));
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  return getBits(Result, F);
}

std::vector<uint64_t> edgeValues(FloatFormat F) {
  std::vector<uint64_t> List;
  for (uint64_t Magnitude :
       {uint64_t(0), uint64_t(1), uint64_t(2), F.fracMask() - 1, F.fracMask(),
        F.fracMask() + 1, F.fracMask() + 2, F.one() - 1, F.one(), F.one() + 1,
        F.one() + F.fracMask() + 1, F.infinity() - 1, F.infinity() - 2,
        F.infinity(), F.infinity() + 1, F.canonicalNaN() & (F.signBit() - 1)})
    for (uint64_t Sign : {uint64_t(0), F.signBit()})
      List.push_back(Magnitude | Sign);
  return List;
}

/// A random pattern; in half of the cases with an exponent near another's, so
/// that sums cancel and round.
uint64_t randomValue(std::mt19937_64 &Random, FloatFormat F, uint64_t Near) {
  uint64_t Bits = Random() & (F.signBit() | (F.signBit() - 1));
  if (Random() & 1)
    return Bits;
  int64_t Exp = int64_t((Near & F.infinity()) >> F.FracBits);
  Exp += int64_t(Random() % (2 * F.FracBits + 8)) - F.FracBits - 4;
  uint64_t Max = (uint64_t(1) << F.ExpBits) - 2;
  uint64_t Clamped = Exp < 0 ? 0 : std::min<uint64_t>(Exp, Max);
  return (Bits & ~F.infinity()) | Clamped << F.FracBits;
}

template <typename Fn> void forOperands(FloatFormat F, int Count, Fn Check) {
  std::mt19937_64 Random(F.ExpBits * 100 + F.FracBits);
  std::vector<uint64_t> Edges = edgeValues(F);
  for (uint64_t A : Edges)
    for (uint64_t B : Edges)
      Check(A, B, Edges[Random() % Edges.size()]);
  for (int N = 0; N < Count; ++N) {
    uint64_t A = randomValue(Random, F, F.one());
    uint64_t B = randomValue(Random, F, A);
    // A third operand near the product, for fused operations.
    uint64_t Product = multiplyBits(A, B, F, Rounding::NearestEven);
    Check(A, B, randomValue(Random, F, Product));
  }
}

TEST(SoftFloat, ArithmeticIsCorrectlyRounded) {
  for (FloatFormat F : Formats)
    forOperands(F, 20000, [&](uint64_t A, uint64_t B, uint64_t C) {
      Real X(F.FracBits + 1), Y(F.FracBits + 1), Z(F.FracBits + 1);
      setBits(X, A, F);
      setBits(Y, B, F);
      setBits(Z, C, F);
      for (Rounding R : Modes) {
        ASSERT_EQ(addBits(A, B, F, R), inFormat(F, R,
                                                [&](Real &D, mpfr_rnd_t M) {
                                                  return mpfr_add(D.V, X.V, Y.V,
                                                                  M);
                                                }))
            << A << " + " << B << " mode " << int(R);
        ASSERT_EQ(multiplyBits(A, B, F, R),
                  inFormat(F, R,
                           [&](Real &D, mpfr_rnd_t M) {
                             return mpfr_mul(D.V, X.V, Y.V, M);
                           }))
            << A << " * " << B << " mode " << int(R);
        ASSERT_EQ(fmaBits(A, B, C, F, R),
                  inFormat(F, R,
                           [&](Real &D, mpfr_rnd_t M) {
                             return mpfr_fma(D.V, X.V, Y.V, Z.V, M);
                           }))
            << A << " * " << B << " + " << C << " mode " << int(R);
      }
    });
}

TEST(SoftFloat, ConversionsAreCorrectlyRounded) {
  for (FloatFormat From : Formats)
    for (FloatFormat To : Formats)
      forOperands(From, 5000, [&](uint64_t A, uint64_t, uint64_t) {
        Real X(From.FracBits + 1);
        setBits(X, A, From);
        for (Rounding R : Modes)
          ASSERT_EQ(convertBits(A, From, To, R),
                    inFormat(To, R,
                             [&](Real &D, mpfr_rnd_t M) {
                               return mpfr_set(D.V, X.V, M);
                             }))
              << A << " from " << From.FracBits << " to " << To.FracBits
              << " mode " << int(R);
      });
}

TEST(SoftFloat, IntegersAreRoundedAndClamped) {
  for (FloatFormat F : Formats)
    forOperands(F, 20000, [&](uint64_t A, uint64_t, uint64_t) {
      Real X(F.FracBits + 1), Rounded(128);
      setBits(X, A, F);
      for (Rounding R : Modes) {
        mpfr_rint(Rounded.V, X.V, toMPFR(R));
        ASSERT_EQ(pack(roundToIntegral(unpack(A, F), R), F, R),
                  getBits(Rounded, F))
            << A << " mode " << int(R);
        if (mpfr_nan_p(X.V))
          continue;
        for (unsigned Width : {8, 16, 32, 64}) {
          long Min = Width == 64 ? INT64_MIN : -(1L << (Width - 1));
          long Max = ~Min;
          long Signed = mpfr_cmp_si(Rounded.V, Max) > 0 ? Max
                        : mpfr_cmp_si(Rounded.V, Min) < 0
                            ? Min
                            : mpfr_get_si(Rounded.V, MPFR_RNDN);
          ASSERT_EQ(int64_t(toInteger(unpack(A, F), R, Width, true, 0)), Signed)
              << A << " mode " << int(R) << " width " << Width;
          unsigned long UMax = ~0ul >> (64 - Width);
          unsigned long Unsigned = mpfr_cmp_ui(Rounded.V, UMax) > 0 ? UMax
                                   : mpfr_sgn(Rounded.V) <= 0
                                       ? 0
                                       : mpfr_get_ui(Rounded.V, MPFR_RNDN);
          ASSERT_EQ(toInteger(unpack(A, F), R, Width, false, 0), Unsigned)
              << A << " mode " << int(R) << " width " << Width;
        }
      }
    });
}

TEST(SoftFloat, IntegersConvertToFloats) {
  std::mt19937_64 Random(7);
  for (FloatFormat F : Formats)
    for (int N = 0; N < 5000; ++N) {
      uint64_t V = N < 128 ? (N & 1 ? ~uint64_t(0) : 1) << (N / 2)
                           : Random() >> (Random() % 64);
      Real X(64);
      mpfr_set_ui(X.V, V, MPFR_RNDN);
      for (bool Sign : {false, true})
        for (Rounding R : Modes) {
          if (V == 0)
            continue;
          mpfr_setsign(X.V, X.V, Sign, MPFR_RNDN);
          ASSERT_EQ(pack(fromInteger(Sign, V), F, R),
                    inFormat(F, R,
                             [&](Real &D, mpfr_rnd_t M) {
                               return mpfr_set(D.V, X.V, M);
                             }))
              << V;
        }
    }
}

/// The steps of a division around the fix-up operations, with the quotient of
/// the significands from MPFR.
uint64_t divideInSteps(uint64_t A, uint64_t B, FloatFormat F, Rounding R) {
  Real X(F.FracBits + 1), Y(F.FracBits + 1), Q(F.FracBits + 1), Rem(4 * 64);
  setBits(X, prepareDivision(A, F), F);
  setBits(Y, prepareDivision(B, F), F);
  EXPECT_TRUE(mpfr_cmp_ui(X.V, 1) >= 0 && mpfr_cmp_ui(X.V, 2) < 0);
  mpfr_div(Q.V, X.V, Y.V, MPFR_RNDN);
  mpfr_mul(Rem.V, Q.V, Y.V, MPFR_RNDN);
  mpfr_sub(Rem.V, X.V, Rem.V, MPFR_RNDN);
  // Only the sign of the remainder counts.
  uint64_t Sign = mpfr_zero_p(Rem.V)    ? 0
                  : mpfr_signbit(Rem.V) ? F.one() | F.signBit()
                                        : F.one();
  return finishDivision(getBits(Q, F), Sign, A, B, F, R);
}

TEST(SoftFloat, DivisionFromTheFixUpOperations) {
  for (FloatFormat F : {F16Format, F32Format, F64Format})
    forOperands(F, 20000, [&](uint64_t A, uint64_t B, uint64_t) {
      Real X(F.FracBits + 1), Y(F.FracBits + 1);
      setBits(X, A, F);
      setBits(Y, B, F);
      for (Rounding R : Modes)
        ASSERT_EQ(divideInSteps(A, B, F, R),
                  inFormat(F, R,
                           [&](Real &D, mpfr_rnd_t M) {
                             return mpfr_div(D.V, X.V, Y.V, M);
                           }))
            << A << " / " << B << " mode " << int(R);
    });
}

TEST(SoftFloat, SquareRootFromTheFixUpOperations) {
  for (FloatFormat F : {F16Format, F32Format, F64Format})
    forOperands(F, 20000, [&](uint64_t A, uint64_t, uint64_t) {
      Real X(F.FracBits + 1), Scaled(F.FracBits + 1), S(F.FracBits + 1),
          Rem(4 * 64);
      setBits(X, A, F);
      setBits(Scaled, prepareSquareRoot(A, F), F);
      ASSERT_TRUE(mpfr_cmp_ui(Scaled.V, 1) >= 0 &&
                  mpfr_cmp_ui(Scaled.V, 4) < 0);
      mpfr_sqrt(S.V, Scaled.V, MPFR_RNDN);
      mpfr_sqr(Rem.V, S.V, MPFR_RNDN);
      mpfr_sub(Rem.V, Scaled.V, Rem.V, MPFR_RNDN);
      uint64_t Sign = mpfr_zero_p(Rem.V)    ? 0
                      : mpfr_signbit(Rem.V) ? F.one() | F.signBit()
                                            : F.one();
      for (Rounding R : Modes)
        ASSERT_EQ(finishSquareRoot(getBits(S, F), Sign, A, F, R),
                  inFormat(F, R,
                           [&](Real &D, mpfr_rnd_t M) {
                             return mpfr_sqrt(D.V, X.V, M);
                           }))
            << A << " mode " << int(R);
    });
}

TEST(SoftFloat, FixUpTakesTheQuotientItIsGiven) {
  // 2 / 1 with the quotient of the significands said to be 1.5.
  uint64_t Two = 0x40000000, One = 0x3F800000, OneAndHalf = 0x3FC00000;
  EXPECT_EQ(
      finishDivision(OneAndHalf, 0, Two, One, F32Format, Rounding::NearestEven),
      0x40400000u);
  EXPECT_EQ(finishDivision(OneAndHalf, One, Two, One, F32Format, Rounding::Up),
            0x40400001u);
  EXPECT_EQ(finishDivision(OneAndHalf, One | 0x80000000, Two, One, F32Format,
                           Rounding::TowardZero),
            0x403FFFFFu);
}

TEST(SoftFloat, MinimumAndMaximum) {
  FloatFormat F = F32Format;
  uint64_t One = F.one(), MinusTwo = 0xC0000000, NaN = 0x7FC00000;
  auto Min = [&](uint64_t A, uint64_t B, bool NaNs = false, bool Xor = false) {
    return minMaxBits(A, B, F, false, NaNs, Xor);
  };
  auto Max = [&](uint64_t A, uint64_t B, bool NaNs = false, bool Xor = false) {
    return minMaxBits(A, B, F, true, NaNs, Xor);
  };
  EXPECT_EQ(Min(One, MinusTwo), MinusTwo);
  EXPECT_EQ(Max(One, MinusTwo), One);
  EXPECT_EQ(Min(0, 0x80000000), 0x80000000u);
  EXPECT_EQ(Min(0x80000000, 0), 0x80000000u);
  EXPECT_EQ(Max(0, 0x80000000), 0u);
  EXPECT_EQ(Max(0x80000000, 0), 0u);
  EXPECT_EQ(Min(NaN, One), One);
  EXPECT_EQ(Max(One, NaN), One);
  EXPECT_EQ(Max(NaN, NaN), F.canonicalNaN());
  EXPECT_EQ(Min(One, NaN, true), F.canonicalNaN());
  EXPECT_EQ(Min(One, MinusTwo, false, true), One | F.signBit());
  EXPECT_EQ(Max(One, MinusTwo, false, true), MinusTwo);
  EXPECT_EQ(Max(One | F.signBit(), MinusTwo, false, true), 0x40000000u);
}

TEST(SoftFloat, Comparison) {
  for (FloatFormat F : Formats)
    forOperands(F, 5000, [&](uint64_t A, uint64_t B, uint64_t) {
      Real X(F.FracBits + 1), Y(F.FracBits + 1);
      setBits(X, A, F);
      setBits(Y, B, F);
      Relation R = mpfr_unordered_p(X.V, Y.V) ? Relation::Unordered
                   : mpfr_less_p(X.V, Y.V)    ? Relation::Less
                   : mpfr_equal_p(X.V, Y.V)   ? Relation::Equal
                                              : Relation::Greater;
      ASSERT_EQ(int(compareBits(A, B, F)), int(R)) << A << " " << B;
    });
}

TEST(SoftFloat, Saturation) {
  EXPECT_EQ(saturateBits(0x7FC00000, F32Format), 0u);
  EXPECT_EQ(saturateBits(0x80000000, F32Format), 0u);
  EXPECT_EQ(saturateBits(0xBF800000, F32Format), 0u);
  EXPECT_EQ(saturateBits(0x3F800001, F32Format), 0x3F800000u);
  EXPECT_EQ(saturateBits(0x3F7FFFFF, F32Format), 0x3F7FFFFFu);
  EXPECT_EQ(saturateBits(0x7F800000, F32Format), 0x3F800000u);
}

} // namespace
