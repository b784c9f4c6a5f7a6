//===- MathUnitTest.cpp - Errors of the approximations ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the math unit with MPFR over the arguments of some exponents: one
// in 1021 of them, or one in HEDDLE_MATH_STEP of the environment, which is how
// the figures in docs/math-unit.md were measured.
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Execute/MathUnit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mpfr.h>

using namespace heddle::emu;

namespace {

/// What an error is measured in.
enum class Measure { Ulp, Relative, Absolute };

struct Case {
  const char *Name;
  MufuFn Fn;
  int (*Exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  int LeastExp, MostExp; ///< Of the arguments.
  bool Negative;         ///< Arguments, too.
  Measure In;
  double Most; ///< That PTX allows.
};

int reciprocal(mpfr_ptr D, mpfr_srcptr X, mpfr_rnd_t R) {
  return mpfr_ui_div(D, 1, X, R);
}

const Case Cases[] = {
    {"rcp", MufuFn::Reciprocal, reciprocal, 0, 1, true, Measure::Ulp, 1},
    {"rsqrt", MufuFn::ReciprocalRoot, mpfr_rec_sqrt, 0, 1, false,
     Measure::Relative, std::exp2(-22.9)},
    {"sqrt", MufuFn::Root, mpfr_sqrt, 0, 1, false, Measure::Relative,
     std::exp2(-23)},
    {"lg2 inside (0.5, 2)", MufuFn::Log2, mpfr_log2, -1, 0, false,
     Measure::Absolute, std::exp2(-22)},
    {"lg2 outside", MufuFn::Log2, mpfr_log2, 1, 2, false, Measure::Relative,
     std::exp2(-22)},
    {"ex2", MufuFn::Exp2, mpfr_exp2, -2, 2, true, Measure::Ulp, 2},
    {"sin within 2 pi", MufuFn::Sin, mpfr_sin, -3, 1, true, Measure::Absolute,
     std::exp2(-20.5)},
    {"sin within 100 pi", MufuFn::Sin, mpfr_sin, 2, 7, true, Measure::Absolute,
     std::exp2(-14.7)},
    {"cos within 2 pi", MufuFn::Cos, mpfr_cos, -3, 1, true, Measure::Absolute,
     std::exp2(-20.5)},
    {"cos within 100 pi", MufuFn::Cos, mpfr_cos, 2, 7, true, Measure::Absolute,
     std::exp2(-14.7)},
    {"tanh", MufuFn::Tanh, mpfr_tanh, -8, 3, true, Measure::Relative,
     std::exp2(-11)}};

/// The largest error of a case over the arguments of one exponent and sign.
class Sweep {
public:
  explicit Sweep(const Case &C) : C(C) {
    mpfr_inits2(24, X, nullptr);
    mpfr_inits2(80, Want, Error, nullptr);
  }
  ~Sweep() { mpfr_clears(X, Want, Error, nullptr); }
  Sweep(const Sweep &) = delete;
  Sweep &operator=(const Sweep &) = delete;

  double run(int Exp, bool Negative, uint32_t Step) {
    double Largest = 0;
    uint32_t Base = uint32_t(Negative) << 31 | uint32_t(Exp + 127) << 23;
    for (uint32_t Fraction = 0; Fraction < 1u << 23; Fraction += Step)
      Largest = std::max(Largest, errorAt(Base | Fraction));
    return Largest;
  }

private:
  double errorAt(uint32_t Bits) {
    float Got = std::bit_cast<float>(evaluate(C.Fn, Bits, false));
    mpfr_set_flt(X, std::bit_cast<float>(Bits), MPFR_RNDN);
    C.Exact(Want, X, MPFR_RNDN);
    mpfr_set_flt(Error, Got, MPFR_RNDN);
    mpfr_sub(Error, Error, Want, MPFR_RNDA);
    double Size = std::fabs(mpfr_get_d(Error, MPFR_RNDA));
    double Value = std::fabs(mpfr_get_d(Want, MPFR_RNDN));
    switch (C.In) {
    case Measure::Ulp:
      return Size / std::ldexp(1.0, std::ilogb(Value) - 23);
    case Measure::Relative:
      return Size / Value;
    case Measure::Absolute:
      return Size;
    }
    return Size;
  }

  const Case &C;
  mpfr_t X, Want, Error;
};

} // namespace

class MathUnitErrors : public testing::TestWithParam<Case> {};

TEST_P(MathUnitErrors, AreInsideThoseOfPTX) {
  const char *Given = std::getenv("HEDDLE_MATH_STEP");
  uint32_t Step = Given ? std::max(1, std::atoi(Given)) : 1021;
  const Case &C = GetParam();
  Sweep S(C);
  double Largest = 0;
  for (int Exp = C.LeastExp; Exp <= C.MostExp; ++Exp)
    for (bool Negative : {false, true})
      if (!Negative || C.Negative)
        Largest = std::max(Largest, S.run(Exp, Negative, Step));
  EXPECT_LE(Largest, C.Most);
  if (Given)
    std::printf("%-20s %.4g or 2^%.2f\n", C.Name, Largest, std::log2(Largest));
}

INSTANTIATE_TEST_SUITE_P(Functions, MathUnitErrors, testing::ValuesIn(Cases));

// div.full of the device library needs better than 2^-23.41 of the value for
// its two units in the last place.
TEST(MathUnit, ReciprocalsOfAllSignificands) {
  double Worst = 0;
  for (uint32_t Bits = 0x3F800000; Bits != 0x40000000; ++Bits) {
    float Value =
        std::bit_cast<float>(evaluate(MufuFn::Reciprocal, Bits, /*Ftz=*/true));
    // The product has at most 48 bits.
    double Product = double(Value) * double(std::bit_cast<float>(Bits));
    Worst = std::max(Worst, std::fabs(Product - 1.0));
  }
  EXPECT_LE(Worst, 1.04 * 0x1p-24);
}

// rnorm4df of libdevice puts the roundings of a sum of four squares on top, and
// CUDA promises two units in the last place for it.
TEST(MathUnit, ReciprocalRootsOfAllSignificands) {
  long double Worst = 0;
  for (uint32_t Bits = 0x3F800000; Bits != 0x40800000; ++Bits) {
    float Value = std::bit_cast<float>(
        evaluate(MufuFn::ReciprocalRoot, Bits, /*Ftz=*/true));
    long double Exact = 1 / std::sqrt((long double)std::bit_cast<float>(Bits));
    // But for 1 itself results are in [1/2, 1).
    Worst = std::max(Worst, std::fabs(Value - Exact) * 0x1p24L);
  }
  EXPECT_LE(Worst, 0.66L);
}

// Where the exact result is a number of single precision and programs expect
// it, it is what comes out.
TEST(MathUnit, ExactResults) {
  auto At = [](MufuFn Fn, float X) {
    return std::bit_cast<float>(
        evaluate(Fn, std::bit_cast<uint32_t>(X), false));
  };
  for (int Exp = -120; Exp <= 120; Exp += 8) {
    float Power = std::ldexp(1.0f, Exp);
    EXPECT_EQ(At(MufuFn::Reciprocal, Power), std::ldexp(1.0f, -Exp));
    EXPECT_EQ(At(MufuFn::Root, Power), std::ldexp(1.0f, Exp / 2));
    EXPECT_EQ(At(MufuFn::ReciprocalRoot, Power), std::ldexp(1.0f, -Exp / 2));
    EXPECT_EQ(At(MufuFn::Log2, Power), static_cast<float>(Exp));
    EXPECT_EQ(At(MufuFn::Exp2, static_cast<float>(Exp)), Power);
  }
  EXPECT_EQ(At(MufuFn::Cos, 0.0f), 1.0f);
  EXPECT_EQ(At(MufuFn::Tanh, 20.0f), 1.0f);
}

/// Arguments over which a function only grows, or only falls.
struct Slope {
  const char *Name;
  MufuFn Fn;
  float From, To; ///< Of one sign; From has the smaller magnitude.
  bool Falls;
};

// PTX's manual asks for no monotonicity. These functions have it: results never
// run against them from one argument to the next. With HEDDLE_MATH_STEP=1 that
// is tried for all arguments of the ranges.
TEST(MathUnit, RunsWithTheFunction) {
  const Slope Slopes[] = {
      {"rcp", MufuFn::Reciprocal, 1, 2, true},
      {"rsqrt", MufuFn::ReciprocalRoot, 1, 4, true},
      {"sqrt", MufuFn::Root, 1, 4, false},
      {"lg2", MufuFn::Log2, 0.5, 4, false},
      {"ex2", MufuFn::Exp2, 0.25, 8, false},
      {"ex2 of negative numbers", MufuFn::Exp2, -0.25, -8, true},
      {"cos", MufuFn::Cos, 0.001f, 3.1415926f, true}};
  const char *Given = std::getenv("HEDDLE_MATH_STEP");
  uint32_t Step = Given ? std::max(1, std::atoi(Given)) : 1021;
  for (const Slope &S : Slopes) {
    // By magnitude and sign, a result's bits in the order of its values.
    auto At = [&](uint32_t Bits) {
      uint32_t V = evaluate(S.Fn, Bits, false);
      return V >> 31 ? -int64_t(V & 0x7FFFFFFF) : int64_t(V);
    };
    uint32_t End = std::bit_cast<uint32_t>(S.To);
    for (uint32_t X = std::bit_cast<uint32_t>(S.From); X < End; X += Step) {
      int64_t Change = At(X + 1) - At(X);
      ASSERT_LE(S.Falls ? Change : -Change, 0) << S.Name << " at " << X;
    }
  }
}
