//===- ComparisonTest.cpp - Tests of the tolerances -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What matches bit by bit and within each kind of tolerance.
//
//===----------------------------------------------------------------------===//

#include "heddle/Manifest/Comparison.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace heddle::rt;

static constexpr ElementType F32 = ElementType::F32;

static bool match(float Expected, float Found, const Tolerance &Bound) {
  return matches(F32, floatBits(F32, Expected), floatBits(F32, Found), Bound);
}

static Tolerance relative(double R) {
  Tolerance T;
  T.Relative = R;
  return T;
}
static Tolerance absolute(double A) {
  Tolerance T;
  T.Absolute = A;
  return T;
}
static Tolerance ulp(uint64_t U) {
  Tolerance T;
  T.Ulp = U;
  return T;
}

TEST(Comparison, ExactMeansTheSameBits) {
  EXPECT_TRUE(match(1.5f, 1.5f, {}));
  EXPECT_FALSE(match(1.5f, std::nextafter(1.5f, 2.0f), {}));
  EXPECT_FALSE(match(0.0f, -0.0f, {}));
  EXPECT_TRUE(matches(F32, 0x7fc00000, 0x7fc00000, {}));
  EXPECT_FALSE(matches(F32, 0x7fc00000, 0x7fffffff, {}));
}

TEST(Comparison, AnyNaNMatchesOnlyNaN) {
  Tolerance Any;
  Any.AnyNaN = true;
  EXPECT_TRUE(matches(F32, 0x7fc00000, 0xffffffff, Any));
  EXPECT_FALSE(match(NAN, 1.0f, Any));
  EXPECT_FALSE(match(1.0f, NAN, Any));
  EXPECT_FALSE(match(1.0f, 2.0f, Any));
  // An integer is never a NaN.
  EXPECT_FALSE(matches(ElementType::U32, 0x7fc00000, 0x7fc00001, Any));
}

TEST(Comparison, NaNIsNeverWithinATolerance) {
  EXPECT_FALSE(match(NAN, 1.0f, absolute(1e30)));
  EXPECT_FALSE(match(1.0f, NAN, absolute(INFINITY)));
  EXPECT_FALSE(match(1.0f, NAN, ulp(UINT64_MAX)));
}

TEST(Comparison, InfinityMatchesOnlyItself) {
  EXPECT_TRUE(match(INFINITY, INFINITY, relative(0.5)));
  EXPECT_FALSE(match(INFINITY, 3e38f, relative(0.5)));
  EXPECT_FALSE(match(3e38f, INFINITY, ulp(UINT64_MAX)));
  EXPECT_FALSE(match(INFINITY, -INFINITY, relative(0.5)));
}

TEST(Comparison, RelativeIsOfTheExpected) {
  EXPECT_TRUE(match(100.0f, 101.0f, relative(0.01)));
  EXPECT_FALSE(match(100.0f, 101.1f, relative(0.01)));
  EXPECT_TRUE(match(-100.0f, -99.0f, relative(0.01)));
  EXPECT_TRUE(match(0.0f, -0.0f, relative(0)));
  EXPECT_FALSE(match(0.0f, 1e-30f, relative(0.5)));
}

TEST(Comparison, AbsoluteAddsToRelative) {
  EXPECT_TRUE(match(0.0f, 0.5f, absolute(0.5)));
  EXPECT_FALSE(match(0.0f, 0.6f, absolute(0.5)));
  Tolerance Both = absolute(0.5);
  Both.Relative = 0.01;
  EXPECT_TRUE(match(100.0f, 101.4f, Both));
  EXPECT_FALSE(match(100.0f, 101.6f, Both));
}

TEST(Comparison, UlpCountsRepresentableNumbers) {
  float Next = std::nextafter(1.0f, 2.0f);
  float Third = std::nextafter(Next, 2.0f);
  EXPECT_TRUE(match(1.0f, Next, ulp(1)));
  EXPECT_FALSE(match(1.0f, Third, ulp(1)));
  EXPECT_TRUE(match(1.0f, Third, ulp(2)));
  // Across zero: both zeros are one number.
  EXPECT_TRUE(match(0x1p-149f, -0x1p-149f, ulp(2)));
  EXPECT_FALSE(match(0x1p-149f, -0x1p-149f, ulp(1)));
  EXPECT_TRUE(match(0.0f, -0.0f, ulp(0)));
}

TEST(Comparison, IntegersCompareByDifference) {
  EXPECT_TRUE(matches(ElementType::S32, 5, 0xffffffff, absolute(6)));
  EXPECT_FALSE(matches(ElementType::S32, 5, 0xffffffff, absolute(5)));
  EXPECT_FALSE(matches(ElementType::U32, 5, 0xffffffff, absolute(6)));
  EXPECT_TRUE(matches(ElementType::U64, 0, UINT64_MAX, ulp(UINT64_MAX)));
  EXPECT_TRUE(
      matches(ElementType::S64, uint64_t(1) << 63, INT64_MAX, ulp(UINT64_MAX)));
}

TEST(Comparison, KeepsTheFirstMismatchesAndCountsAll) {
  const ElementType U16 = ElementType::U16;
  std::vector<uint8_t> Expected(40), Found(40);
  for (unsigned I = 0; I < 20; I += 2)
    storeElement(U16, I + 1, Found.data() + 2 * I);
  Comparison Result;
  llvm::ArrayRef<uint8_t> E(Expected), F(Found);
  compareMore(U16, E.take_front(10), F.take_front(10), {}, Result);
  compareMore(U16, E.drop_front(10), F.drop_front(10), {}, Result);
  EXPECT_EQ(Result.Compared, 20u);
  EXPECT_EQ(Result.Mismatched, 10u);
  ASSERT_EQ(Result.First.size(), Comparison::MaxKept);
  for (unsigned I = 0; I < Comparison::MaxKept; ++I) {
    EXPECT_EQ(Result.First[I].Index, 2 * I);
    EXPECT_EQ(Result.First[I].Found, 2 * I + 1);
    EXPECT_EQ(Result.First[I].Expected, 0u);
  }
}
