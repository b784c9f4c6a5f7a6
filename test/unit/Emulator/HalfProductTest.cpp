//===- HalfProductTest.cpp - Products of matrices of halves -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They are bit for bit those of sumProducts.
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Matrix/HalfProduct.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace heddle;
using namespace heddle::emu;
using matrix::Element;
using matrix::Result;

namespace {

constexpr unsigned M = HalfMatrices::M, N = HalfMatrices::N;

/// Zeros, subnormal numbers, and others whose exponents are near to each other
/// or anything that is finite.
uint32_t randomBits(FloatFormat F, std::mt19937 &R) {
  uint32_t Fraction = R() & F.fracMask();
  uint32_t Sign = R() % 2 ? F.signBit() : 0;
  uint32_t Most = (1u << F.ExpBits) - 1;
  uint32_t Exponent = R() % Most;
  switch (R() % 4) {
  case 0:
    return Sign;
  case 1:
    Exponent = R() % 2;
    break;
  case 2:
    Exponent = F.bias() - 3 + R() % 6;
    break;
  default:
    break;
  }
  return Sign | Exponent << F.FracBits | Fraction;
}

FloatFormat formatOf(Element E) {
  return E == Element::F16 ? F16Format : BF16Format;
}
FloatFormat formatOf(Result E) {
  return E == Result::F16 ? F16Format : F32Format;
}

HalfMatrices randomMatrices(Element Type, Result C, Result D, unsigned K,
                            std::mt19937 &R) {
  HalfMatrices X = {};
  X.TypeA = X.TypeB = Type;
  X.TypeC = C;
  X.TypeD = D;
  X.K = K;
  for (unsigned I = 0; I < K; ++I) {
    for (unsigned Row = 0; Row < M; ++Row)
      X.A[I][Row] = randomBits(formatOf(Type), R);
    for (unsigned Column = 0; Column < N; ++Column)
      X.B[Column][I] = randomBits(formatOf(Type), R);
  }
  for (unsigned Column = 0; Column < N; ++Column)
    for (unsigned Row = 0; Row < M; ++Row)
      X.C[Column][Row] = randomBits(formatOf(C), R);
  return X;
}

uint32_t expected(const HalfMatrices &X, unsigned Row, unsigned Column) {
  MatrixTerm A[HalfMatrices::MaxK], B[HalfMatrices::MaxK];
  for (unsigned I = 0; I < X.K; ++I) {
    A[I] = decodeElement(X.TypeA, X.A[I][Row]);
    B[I] = decodeElement(X.TypeB, X.B[Column][I]);
  }
  unsigned Fraction = fractionBits(X.TypeA) + fractionBits(X.TypeB);
  return sumProducts({A, B, nullptr, nullptr, X.K, 0, Fraction},
                     decodeAddend(X.TypeC, X.C[Column][Row]), X.TypeC, X.TypeD);
}

TEST(HalfProduct, IsThatOfOneElement) {
  std::mt19937 R(5);
  for (Element Type : {Element::F16, Element::BF16})
    for (Result C : {Result::F16, Result::F32})
      for (Result D : {Result::F16, Result::F32})
        for (unsigned K : {8u, 16u})
          for (unsigned Round = 0; Round < 100; ++Round) {
            HalfMatrices X = randomMatrices(Type, C, D, K, R);
            uint32_t Results[N][M];
            ASSERT_TRUE(multiplyHalves(X, Results));
            for (unsigned Row = 0; Row < M; ++Row)
              for (unsigned Column = 0; Column < N; ++Column)
                ASSERT_EQ(Results[Column][Row], expected(X, Row, Column))
                    << "round " << Round << ", row " << Row << ", column "
                    << Column;
          }
}

/// The largest terms there are do not leave their words.
TEST(HalfProduct, HasRoomForTheLargest) {
  for (Element Type : {Element::F16, Element::BF16}) {
    std::mt19937 R(1);
    HalfMatrices X = randomMatrices(Type, Result::F32, Result::F32, 16, R);
    FloatFormat F = formatOf(Type);
    auto Largest = static_cast<uint32_t>(F.one() | F.fracMask());
    for (unsigned I = 0; I < X.K; ++I) {
      std::fill_n(X.A[I], M, Largest | (I % 8 == 7 ? F.signBit() : 0));
      for (unsigned Column = 0; Column < N; ++Column)
        X.B[Column][I] = Largest;
    }
    for (auto &Column : X.C)
      std::fill_n(Column, M, 0x3FFFFFFF);
    uint32_t Results[N][M];
    ASSERT_TRUE(multiplyHalves(X, Results));
    EXPECT_EQ(Results[3][7], expected(X, 7, 3));
  }
}

TEST(HalfProduct, LeavesWhatIsNotFinite) {
  std::mt19937 R(2);
  HalfMatrices X =
      randomMatrices(Element::F16, Result::F32, Result::F32, 16, R);
  uint32_t Results[N][M];
  for (uint32_t *Place : {&X.A[15][15], &X.B[7][15], &X.C[7][15]}) {
    uint32_t Old = *Place;
    *Place = Place == &X.C[7][15] ? 0x7F800000 : 0x7C00;
    EXPECT_FALSE(multiplyHalves(X, Results));
    *Place = Old;
    EXPECT_TRUE(multiplyHalves(X, Results));
  }
}

} // namespace
