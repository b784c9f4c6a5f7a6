//===- IntegerTest.cpp - Tests of integer division --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against the host's division, for each error that the approximate reciprocal
// may have.
//
//===----------------------------------------------------------------------===//

#include "HostModel.h"
#include "gtest/gtest.h"

namespace {

class IntegerDivision : public testing::TestWithParam<int> {
protected:
  IntegerDivision() { heddle::device::ApproximationError = GetParam(); }
  ~IntegerDivision() override { heddle::device::ApproximationError = 0; }
};

INSTANTIATE_TEST_SUITE_P(ReciprocalError, IntegerDivision,
                         testing::Values(-1, 0, 1));

/// Powers of two and what is near them, and near the float's own precision.
template <typename T> std::vector<T> edges() {
  std::vector<T> Values = {0, 3, 5, 7, 10, 1000, 1000000007};
  for (unsigned Shift = 0; Shift != 8 * sizeof(T); ++Shift)
    for (int Offset : {-2, -1, 0, 1, 2})
      Values.push_back((T(1) << Shift) + Offset);
  for (unsigned Shift = 24; Shift != 8 * sizeof(T); ++Shift)
    Values.push_back((T(1) << Shift) + (T(1) << (Shift - 24)));
  return Values;
}

/// Random numbers of random width.
template <typename T> T draw(std::mt19937_64 &Random) {
  return static_cast<T>(Random()) >> (Random() % (8 * sizeof(T)));
}

void check(uint32_t A, uint32_t B) {
  EXPECT_EQ(__heddle_udiv32(A, B), B ? A / B : ~0u) << A << " / " << B;
  EXPECT_EQ(__heddle_urem32(A, B), B ? A % B : ~0u) << A << " % " << B;
  // Wider, so that the least value by -1 wraps.
  int64_t SA = int32_t(A), SB = int32_t(B);
  EXPECT_EQ(__heddle_sdiv32(SA, SB), SB ? int32_t(SA / SB) : -1) << SA << SB;
  EXPECT_EQ(__heddle_srem32(SA, SB), SB ? int32_t(SA % SB) : -1) << SA << SB;
}

void check(uint64_t A, uint64_t B) {
  EXPECT_EQ(__heddle_udiv64(A, B), B ? A / B : ~0ull) << A << " / " << B;
  EXPECT_EQ(__heddle_urem64(A, B), B ? A % B : ~0ull) << A << " % " << B;
  __int128 SA = int64_t(A), SB = int64_t(B);
  EXPECT_EQ(__heddle_sdiv64(SA, SB), SB ? int64_t(SA / SB) : -1) << A << B;
  EXPECT_EQ(__heddle_srem64(SA, SB), SB ? int64_t(SA % SB) : -1) << A << B;
}

template <typename T> void checkEdgesAndRandom(unsigned Count) {
  std::vector<T> Values = edges<T>();
  for (T A : Values)
    for (T B : Values) {
      check(A, B);
      // Multiples of the divisor and what is one beside them.
      T Multiple = A - (B ? A % B : 0);
      check(Multiple, B);
      check(static_cast<T>(Multiple - 1), B);
    }
  std::mt19937_64 Random(2);
  for (unsigned I = 0; I != Count; ++I) {
    T A = draw<T>(Random), B = draw<T>(Random);
    check(A, B);
    T Multiple = A - (B ? A % B : 0);
    check(Multiple, B);
    check(static_cast<T>(Multiple - 1), B);
  }
}

} // namespace

TEST_P(IntegerDivision, Bits32) { checkEdgesAndRandom<uint32_t>(200000); }

TEST_P(IntegerDivision, Bits64) { checkEdgesAndRandom<uint64_t>(200000); }
