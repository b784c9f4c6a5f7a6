//===- DenseFragmentsTest.cpp - Registers of dense products -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is written out in DenseFragments.cpp is what the table of fragments
// says.
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Matrix/DenseFragments.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace heddle;
using namespace heddle::emu;
using matrix::Element;
using matrix::Fragment;
using matrix::Layout;
using matrix::Result;

namespace {

constexpr unsigned MaxRegisters = 4;

struct Registers {
  alignas(64) RegisterRow Rows[MaxRegisters];

  explicit Registers(unsigned Seed) {
    std::mt19937 R(Seed);
    for (auto &Row : Rows)
      for (uint32_t &Word : Row)
        Word = R();
  }
  uint32_t element(unsigned Register, unsigned Lane, unsigned E,
                   unsigned Bits) const {
    uint64_t Word = Rows[Register][Lane];
    return Word >> (E * Bits) & ((uint64_t(1) << Bits) - 1);
  }
};

/// Calls \p Check with each place of a fragment and the bits that are there.
template <typename Fn>
void forElements(Fragment F, const Registers &R, unsigned Count, unsigned Bits,
                 Fn Check) {
  const Layout &L = Layout::of(F, 32 / Bits);
  for (unsigned Register = 0; Register < Count; ++Register)
    for (unsigned Lane = 0; Lane < WarpSize; ++Lane)
      for (unsigned E = 0; E < 32 / Bits; ++E) {
        auto [Row, Column] = L(Lane, Register, E);
        Check(Row, Column, R.element(Register, Lane, E, Bits));
      }
}

class Operands : public testing::TestWithParam<std::pair<Element, unsigned>> {
protected:
  Operands() {
    std::memset(&X, 0xEE, sizeof(X));
    X.TypeA = X.TypeB = GetParam().first;
    X.K = GetParam().second;
    Bits = matrix::bitsOf(X.TypeA);
  }
  DenseMatrices X;
  unsigned Bits;
};

TEST_P(Operands, OfAAreWhereTheTableHasThem) {
  Registers R(1);
  loadDenseA(R.Rows, X);
  forElements(Fragment::A16, R, 2 * X.K * Bits / 128, Bits,
              [&](unsigned Row, unsigned K, uint32_t V) {
                ASSERT_EQ(X.A[K][Row], V) << Row << ", " << K;
              });
}

TEST_P(Operands, OfBAreWhereTheTableHasThem) {
  Registers R(2);
  loadDenseB(R.Rows, X);
  forElements(Fragment::B8, R, X.K * Bits / 128, Bits,
              [&](unsigned K, unsigned Column, uint32_t V) {
                ASSERT_EQ(X.B[Column][K], V) << K << ", " << Column;
              });
  for (const auto &Column : X.B)
    for (unsigned K = X.K; K % DenseMatrices::M; ++K)
      EXPECT_EQ(Column[K], 0U);
}

/// Those of which a row fills one of memory.
class WholeRows : public Operands {};

TEST_P(WholeRows, OfMemoryAreInOrder) {
  ASSERT_EQ(X.K * Bits, 8 * sizeof(DenseMatrices::Row));
  DenseMatrices::Row Rows[DenseMatrices::M];
  std::mt19937 R(3);
  for (auto &Row : Rows)
    for (uint32_t &Word : Row)
      Word = R();
  arrangeDenseA(Rows, X);
  arrangeDenseB(Rows, X);
  for (unsigned N = 0; N < DenseMatrices::M; ++N)
    for (unsigned K = 0; K < X.K; ++K) {
      uint64_t Word = Rows[N][K * Bits / 32];
      uint64_t V = Word >> (K * Bits % 32) & ((uint64_t(1) << Bits) - 1);
      ASSERT_EQ(X.A[K][N], V);
      if (N < DenseMatrices::N)
        ASSERT_EQ(X.B[N][K], V);
    }
}

INSTANTIATE_TEST_SUITE_P(DenseFragments, Operands,
                         testing::Values(std::pair(Element::TF32, 8U),
                                         std::pair(Element::F16, 8U),
                                         std::pair(Element::BF16, 16U),
                                         std::pair(Element::S8, 16U),
                                         std::pair(Element::E4M3, 32U)));
INSTANTIATE_TEST_SUITE_P(DenseFragments, WholeRows,
                         testing::Values(std::pair(Element::TF32, 8U),
                                         std::pair(Element::F16, 16U),
                                         std::pair(Element::S8, 32U)));

class SumsOf : public testing::TestWithParam<Result> {
protected:
  Fragment F = GetParam() == Result::F16 ? Fragment::C16Pairs : Fragment::C16;
  unsigned Bits = GetParam() == Result::F16 ? 16 : 32;
  unsigned Count = matrix::sumRegisters(DenseMatrices::M, GetParam());
};

TEST_P(SumsOf, RegistersComeAndGo) {
  Registers R(4), Written(5);
  DenseMatrices X;
  X.TypeC = GetParam();
  loadDenseC(R.Rows, X);
  forElements(F, R, Count, Bits, [&](unsigned Row, unsigned N, uint32_t V) {
    ASSERT_EQ(X.C[N][Row], V) << Row << ", " << N;
  });
  storeDenseD(X.C, GetParam(), Written.Rows);
  for (unsigned Register = 0; Register < Count; ++Register)
    for (unsigned Lane = 0; Lane < WarpSize; ++Lane)
      ASSERT_EQ(Written.Rows[Register][Lane], R.Rows[Register][Lane]);
}

INSTANTIATE_TEST_SUITE_P(DenseFragments, SumsOf,
                         testing::Values(Result::F32, Result::F16));

} // namespace
