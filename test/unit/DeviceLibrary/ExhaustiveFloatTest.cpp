//===- ExhaustiveFloatTest.cpp - All significands of floats -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reciprocals, square roots and the hardest quotients over every significand of
// 24 bits, for each error that the approximate instructions may have.
//
//===----------------------------------------------------------------------===//

#include "HostModel.h"
#include "gtest/gtest.h"

namespace {

class AllFloats : public testing::TestWithParam<int> {
protected:
  AllFloats() { heddle::device::ApproximationError = GetParam(); }
  ~AllFloats() override { heddle::device::ApproximationError = 0; }
};

INSTANTIATE_TEST_SUITE_P(ApproximationError, AllFloats,
                         testing::Values(-1, 0, 1));

/// Counts failures itself: EXPECT_* for each of millions of cases is slow.
template <typename Check>
void expectAll(uint32_t First, uint32_t Last, Check Holds) {
  unsigned Failures = 0;
  for (uint32_t Bits = First; Bits != Last; ++Bits)
    if (float Value = std::bit_cast<float>(Bits); !Holds(Value) && !Failures++)
      ADD_FAILURE() << "first at " << std::hexfloat << Value;
  EXPECT_EQ(Failures, 0u);
}

const uint32_t One = std::bit_cast<uint32_t>(1.0f);
const uint32_t Two = std::bit_cast<uint32_t>(2.0f);
const uint32_t Four = std::bit_cast<uint32_t>(4.0f);

} // namespace

TEST_P(AllFloats, Reciprocals) {
  expectAll(One, Two, [](float B) {
    return __heddle_rcp_rn_f32(B) == static_cast<float>(1.0 / double(B));
  });
}

TEST_P(AllFloats, Roots) {
  expectAll(One, Four,
            [](float A) { return __heddle_sqrt_rn_f32(A) == std::sqrt(A); });
}

TEST_P(AllFloats, QuotientsByHardDivisors) {
  // The longest runs of ones and zeros in the divisor, where the reciprocal is
  // nearest to a tie.
  for (float B : {0x1.fffffep0f, 0x1.fffffcp0f, 0x1.000002p0f, 0x1.555554p0f})
    expectAll(One, Two,
              [B](float A) { return __heddle_div_rn_f32(A, B) == A / B; });
}
