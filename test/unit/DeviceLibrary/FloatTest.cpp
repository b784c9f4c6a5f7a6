//===- FloatTest.cpp - Tests of float division and roots --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against the host's IEEE arithmetic in each rounding mode, for each error that
// the approximate instructions may have; over all significands where there is
// one operand of 24 bits.
//
//===----------------------------------------------------------------------===//

#include "HostModel.h"
#include "gtest/gtest.h"

namespace {

template <typename T> struct Operations {
  const char *Name;
  int HostMode;
  bool FTZ;
  T (*Divide)(T, T);
  T (*Invert)(T);
  T (*Root)(T);
};

#define OPERATIONS(Suffix, HostMode, FTZ)                                      \
  {#Suffix,                                                                    \
   HostMode,                                                                   \
   FTZ,                                                                        \
   __heddle_div_##Suffix,                                                      \
   __heddle_rcp_##Suffix,                                                      \
   __heddle_sqrt_##Suffix}

const Operations<float> Float[] = {OPERATIONS(rn_f32, FE_TONEAREST, false),
                                   OPERATIONS(rz_f32, FE_TOWARDZERO, false),
                                   OPERATIONS(rm_f32, FE_DOWNWARD, false),
                                   OPERATIONS(rp_f32, FE_UPWARD, false),
                                   OPERATIONS(rn_ftz_f32, FE_TONEAREST, true),
                                   OPERATIONS(rz_ftz_f32, FE_TOWARDZERO, true),
                                   OPERATIONS(rm_ftz_f32, FE_DOWNWARD, true),
                                   OPERATIONS(rp_ftz_f32, FE_UPWARD, true)};

const Operations<double> Double[] = {OPERATIONS(rn_f64, FE_TONEAREST, false),
                                     OPERATIONS(rz_f64, FE_TOWARDZERO, false),
                                     OPERATIONS(rm_f64, FE_DOWNWARD, false),
                                     OPERATIONS(rp_f64, FE_UPWARD, false)};

class FloatDivision : public testing::TestWithParam<int> {
protected:
  FloatDivision() { heddle::device::ApproximationError = GetParam(); }
  ~FloatDivision() override { heddle::device::ApproximationError = 0; }
};

INSTANTIATE_TEST_SUITE_P(ApproximationError, FloatDivision,
                         testing::Values(-1, 0, 1));

template <typename T> auto bits(T Value) {
  return std::bit_cast<typename BitsOf<T>::Type>(Value);
}

template <typename T> T fromBits(uint64_t Bits) {
  return std::bit_cast<T>(static_cast<typename BitsOf<T>::Type>(Bits));
}

/// The same bits, where all NaN are one.
template <typename T> bool same(T A, T B) {
  return (std::isnan(A) && std::isnan(B)) || bits(A) == bits(B);
}

template <typename T> T hostDivide(T A, T B, int Mode) {
  RoundingScope Scope(Mode);
  volatile T VA = A, VB = B;
  volatile T Result = VA / VB;
  return Result;
}

template <typename T> T hostRoot(T A, int Mode) {
  RoundingScope Scope(Mode);
  volatile T VA = A;
  volatile T Result = std::sqrt(VA);
  return Result;
}

template <typename T> void checkDivision(T A, T B, const Operations<T> &O) {
  T X = O.FTZ ? flush(A) : A, Y = O.FTZ ? flush(B) : B;
  T Expected = hostDivide(X, Y, O.HostMode);
  Expected = O.FTZ ? flush(Expected) : Expected;
  T Found = O.Divide(A, B);
  EXPECT_TRUE(same(Found, Expected))
      << O.Name << std::hexfloat << ": " << A << " / " << B << " = " << Expected
      << ", found " << Found;
}

template <typename T> void checkUnary(T A, const Operations<T> &O) {
  T X = O.FTZ ? flush(A) : A;
  T Inverse = hostDivide(T(1), X, O.HostMode), Root = hostRoot(X, O.HostMode);
  Inverse = O.FTZ ? flush(Inverse) : Inverse;
  EXPECT_TRUE(same(O.Invert(A), Inverse))
      << O.Name << std::hexfloat << ": 1 / " << A << " = " << Inverse
      << ", found " << O.Invert(A);
  EXPECT_TRUE(same(O.Root(A), Root))
      << O.Name << std::hexfloat << ": root of " << A << " = " << Root
      << ", found " << O.Root(A);
}

/// Special numbers, the ends of each range, and significands at their ends.
template <typename T> std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> Values = {T(0),
                           T(1),
                           T(3),
                           T(10),
                           T(1) / 3,
                           Limits::max(),
                           Limits::min(),
                           Limits::denorm_min(),
                           std::nextafter(Limits::min(), T(0)),
                           Limits::denorm_min() * 3,
                           Limits::infinity(),
                           Limits::quiet_NaN()};
  for (T Power :
       {T(1), T(2), T(0.5), std::ldexp(T(1), Limits::max_exponent - 1),
        std::ldexp(T(1), Limits::max_exponent - 2),
        std::ldexp(T(1), 2 - Limits::max_exponent),
        std::ldexp(T(1), Limits::max_exponent / 2)}) {
    Values.push_back(std::nextafter(Power, T(0)));
    Values.push_back(std::nextafter(Power, Limits::infinity()));
  }
  size_t Count = Values.size();
  for (size_t I = 0; I != Count; ++I)
    Values.push_back(-Values[I]);
  return Values;
}

/// Any bits; every other time with an exponent near the middle, so that most
/// results are finite.
template <typename T> T draw(std::mt19937_64 &Random) {
  T Value = fromBits<T>(Random());
  if (Random() & 1 && std::isfinite(Value) && Value != 0) {
    int Exponent;
    Value = std::ldexp(std::frexp(Value, &Exponent), int(Random() % 41) - 20);
  }
  return Value;
}

template <typename T, size_t N>
void checkEdgesAndRandom(const Operations<T> (&All)[N], unsigned Count) {
  std::vector<T> Values = edges<T>();
  std::mt19937_64 Random(7);
  for (const Operations<T> &O : All) {
    for (T A : Values) {
      checkUnary(A, O);
      for (T B : Values)
        checkDivision(A, B, O);
    }
    for (unsigned I = 0; I != Count; ++I) {
      T A = draw<T>(Random), B = draw<T>(Random);
      checkUnary(A, O);
      checkDivision(A, B, O);
      // Quotients that are exact, or beside one, are the hard ones.
      checkDivision(A * B, B, O);
      checkDivision(std::nextafter(A * B, T(0)), B, O);
    }
  }
}

} // namespace

TEST_P(FloatDivision, Floats) { checkEdgesAndRandom(Float, 20000); }

TEST_P(FloatDivision, Doubles) { checkEdgesAndRandom(Double, 40000); }

TEST_P(FloatDivision, DoubleRootsBesideTies) {
  // Squares of numbers halfway between two doubles, rounded: their roots are as
  // near to a tie as roots come.
  std::mt19937_64 Random(11);
  for (unsigned I = 0; I != 100000; ++I) {
    double S = std::bit_cast<double>((Random() >> 12) | 0x3ff0000000000000);
    long double Halfway = (long double)S + 0x1p-53L;
    double A = static_cast<double>(Halfway * Halfway);
    for (double X : {std::nextafter(A, 0.0), A, std::nextafter(A, 4.0)})
      ASSERT_EQ(__heddle_sqrt_rn_f64(X), std::sqrt(X)) << std::hexfloat << X;
  }
}

TEST_P(FloatDivision, DoubleQuotientsBesideTies) {
  // a is the product of b and a number halfway between two doubles, rounded.
  std::mt19937_64 Random(13);
  for (unsigned I = 0; I != 100000; ++I) {
    double B = std::bit_cast<double>((Random() >> 12) | 0x3ff0000000000000);
    if (I % 4 == 0)
      B = std::nextafter(2.0, 0.0) - 0x1p-52 * (I % 64);
    double Q = std::bit_cast<double>((Random() >> 12) | 0x3ff0000000000000);
    double A = static_cast<double>(((long double)Q + 0x1p-53L) * B);
    for (double X : {std::nextafter(A, 0.0), A, std::nextafter(A, 4.0)})
      ASSERT_EQ(__heddle_div_rn_f64(X, B), X / B)
          << std::hexfloat << X << " / " << B;
  }
}

//===----------------------------------------------------------------------===//
// The divisions that are not exact
//===----------------------------------------------------------------------===//

/// The distance of \p Found from the exact quotient in units in the last place.
static double errorInUlps(float Found, float A, float B) {
  double Exact = double(A) / double(B);
  int Exponent = std::max(std::ilogb(Exact), -126);
  return std::fabs(Found - Exact) / std::ldexp(1.0, Exponent - 23);
}

TEST_P(FloatDivision, FullIsWithinTwoUlps) {
  std::mt19937_64 Random(17);
  double Worst = 0;
  for (unsigned I = 0; I != 500000; ++I) {
    float A = draw<float>(Random), B = draw<float>(Random);
    float Exact = A / B, Found = __heddle_div_full_f32(A, B);
    if (!std::isfinite(Exact) || Exact == 0 || A == 0)
      continue; // below
    if (std::fabs(Exact) < 0x1.fffffcp127f)
      Worst = std::max(Worst, errorInUlps(Found, A, B));
  }
  // As for div.approx below: two units with the emulator's reciprocal and with
  // one that is rounded to nearest.
  EXPECT_LE(Worst, GetParam() == 0 ? 2.0 : 2.5);
  for (float A : edges<float>())
    for (float B : edges<float>()) {
      float Exact = A / B;
      if (A == 0 || B == 0 || !std::isfinite(A) || !std::isfinite(B)) {
        EXPECT_TRUE(same(__heddle_div_full_f32(A, B), Exact)) << A << " " << B;
      }
      float X = flush(A), Y = flush(B);
      if (X == 0 || Y == 0 || !std::isfinite(A) || !std::isfinite(B)) {
        EXPECT_TRUE(same(__heddle_div_full_ftz_f32(A, B), X / Y));
      }
    }
}

// The factor that scales a divisor, at each exponent of the divisor and of the
// dividend.
TEST_P(FloatDivision, FullAtAllExponents) {
  std::mt19937_64 Random(18);
  double Worst = 0;
  for (uint32_t ExpA = 0; ExpA != 255; ++ExpA)
    for (uint32_t ExpB = 0; ExpB != 255; ++ExpB)
      for (unsigned I = 0; I != 4; ++I) {
        uint64_t Drawn = Random();
        float A = fromBits<float>(ExpA << 23 | (Drawn & 0x7FFFFF));
        float B = fromBits<float>(ExpB << 23 | (Drawn >> 32 & 0x7FFFFF));
        float Full = __heddle_div_full_f32(A, B);
        float Flushed = __heddle_div_full_ftz_f32(A, B);
        double Exact = double(A) / double(B);
        if (A == 0 || B == 0)
          continue;
        if (Exact >= 0x1p128) {
          EXPECT_GE(Full, 0x1.fffffcp127f) << A << " / " << B;
          continue;
        }
        if (Exact < 0x1.fffffcp127)
          Worst = std::max(Worst, errorInUlps(Full, A, B));
        if (std::isnormal(A) && std::isnormal(B) && Exact > 0x1.000004p-126 &&
            Exact < 0x1.fffffcp127)
          Worst = std::max(Worst, errorInUlps(Flushed, A, B));
        if (!std::isnormal(A) || Exact < 0x1.fffffcp-127)
          EXPECT_TRUE(same(Flushed, std::isnormal(B) ? 0.0f : flush(A) / 0.0f))
              << A << " / " << B;
      }
  EXPECT_LE(Worst, GetParam() == 0 ? 2.0 : 2.5);
}

TEST_P(FloatDivision, ApproxIsAProductWithTheReciprocal) {
  std::mt19937_64 Random(19);
  double Worst = 0;
  for (unsigned I = 0; I != 500000; ++I) {
    float A = draw<float>(Random), B = draw<float>(Random);
    float Exact = A / B;
    if (!std::isnormal(Exact) || !std::isnormal(A) || std::fabs(B) > 0x1p126f ||
        std::fabs(Exact) > 0x1.fffffcp127f ||
        std::fabs(Exact) < 0x1.000004p-126f)
      continue;
    Worst = std::max(Worst, errorInUlps(__heddle_div_approx_f32(A, B), A, B));
    if (std::isnormal(B))
      Worst =
          std::max(Worst, errorInUlps(__heddle_div_approx_ftz_f32(A, B), A, B));
  }
  // A reciprocal that is rounded to nearest gives PTX's two units; one that is
  // off by a whole unit may give half a unit more.
  EXPECT_LE(Worst, GetParam() == 0 ? 2.0 : 2.5);
}

TEST_P(FloatDivision, ApproxOfHugeDivisors) {
  // PTX: 0, and NaN for an infinite dividend.
  EXPECT_EQ(__heddle_div_approx_f32(3.0f, 0x1.8p126f), 0.0f);
  EXPECT_TRUE(std::isnan(__heddle_div_approx_f32(INFINITY, 0x1.8p126f)));
  EXPECT_EQ(__heddle_div_approx_ftz_f32(3.0f, 0x1.8p126f), 0.0f);
  EXPECT_EQ(__heddle_div_approx_f32(1.0f, 0.0f), INFINITY);
  EXPECT_TRUE(std::isnan(__heddle_div_approx_f32(0.0f, 0.0f)));
  EXPECT_NEAR(__heddle_div_approx_f32(0x1p-130f, 0x1p-130f), 1.0f, 0x1p-22f);
  EXPECT_EQ(__heddle_div_approx_ftz_f32(1.0f, 0x1p-130f), INFINITY);
}

//===----------------------------------------------------------------------===//
// The reciprocal root that is not exact
//===----------------------------------------------------------------------===//

/// The distance of \p Found from 1 / sqrt(A) in units in the last place.
static long double rootErrorInUlps(double Found, double A) {
  long double Exact = 1.0L / std::sqrt(static_cast<long double>(A));
  return std::fabs(Found - Exact) / std::ldexp(1.0L, std::ilogb(Exact) - 52);
}

TEST_P(FloatDivision, InverseRootsInDoubleAreWithinAUnit) {
  std::mt19937_64 Random(23);
  long double Worst = 0;
  for (unsigned I = 0; I != 500000; ++I) {
    double A = std::fabs(draw<double>(Random));
    if (A != 0 && std::isfinite(A))
      Worst = std::max(Worst, rootErrorInUlps(__heddle_rsqrt_approx_f64(A), A));
  }
  EXPECT_LE(Worst, 0.51L);
  for (double A : edges<double>()) {
    double Found = __heddle_rsqrt_approx_f64(A);
    if (A > 0 && std::isfinite(A))
      EXPECT_LE(rootErrorInUlps(Found, A), 0.51L) << std::hexfloat << A;
    else
      EXPECT_TRUE(same(Found, A == 0 ? 1.0 / A : 1.0 / std::sqrt(A))) << A;
  }
}
