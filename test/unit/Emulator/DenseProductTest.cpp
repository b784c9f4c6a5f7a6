//===- DenseProductTest.cpp - Dense products of matrices --------*- C++ -*-===//
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

#include "lib/Emulator/Matrix/DenseProduct.h"
#include "lib/Emulator/Matrix/NearProduct.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <random>
#include <utility>

using namespace heddle;
using namespace heddle::emu;
using matrix::Element;
using matrix::Result;

namespace {

constexpr unsigned M = DenseMatrices::M, N = DenseMatrices::N;

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

/// Any number of a type of eight bits.
uint32_t randomBits(NarrowFormat F, std::mt19937 &R) {
  uint32_t Sign = R() % 2 ? F.signBit() : 0;
  return Sign | R() % (F.Largest + 1);
}

uint32_t randomBits(Element E, std::mt19937 &R) {
  switch (E) {
  case Element::F16:
    return randomBits(F16Format, R);
  case Element::BF16:
    return randomBits(BF16Format, R);
  case Element::TF32:
    // What is below its bits does not count.
    return randomBits(TF32Format, R) << 13 | R() % (1u << 13);
  case Element::E4M3:
    return randomBits(E4M3Format, R);
  default:
    return randomBits(E5M2Format, R);
  }
}

FloatFormat formatOf(Result E) {
  return E == Result::F16 ? F16Format : F32Format;
}

DenseMatrices randomMatrices(Element A, Element B, Result C, Result D,
                             unsigned K, std::mt19937 &R) {
  DenseMatrices X = {};
  X.TypeA = A;
  X.TypeB = B;
  X.TypeC = C;
  X.TypeD = D;
  X.K = K;
  for (unsigned I = 0; I < K; ++I) {
    for (unsigned Row = 0; Row < M; ++Row)
      X.A[I][Row] = randomBits(A, R);
    for (unsigned Column = 0; Column < N; ++Column)
      X.B[Column][I] = randomBits(B, R);
  }
  for (unsigned Column = 0; Column < N; ++Column)
    for (unsigned Row = 0; Row < M; ++Row)
      X.C[Column][Row] = randomBits(formatOf(C), R);
  return X;
}

uint32_t expected(const DenseMatrices &X, unsigned Row, unsigned Column) {
  MatrixTerm A[DenseMatrices::MaxK], B[DenseMatrices::MaxK];
  for (unsigned I = 0; I < X.K; ++I) {
    A[I] = decodeElement(X.TypeA, X.A[I][Row]);
    B[I] = decodeElement(X.TypeB, X.B[Column][I]);
  }
  unsigned Fraction = fractionBits(X.TypeA) + fractionBits(X.TypeB);
  return sumProducts({A, B, nullptr, nullptr, X.K, 0, Fraction},
                     decodeAddend(X.TypeC, X.C[Column][Row]), X.TypeC, X.TypeD);
}

void expectAsOneByOne(Element A, Element B, Result C, Result D, unsigned K,
                      std::mt19937 &R) {
  for (unsigned Round = 0; Round < 100; ++Round) {
    DenseMatrices X = randomMatrices(A, B, C, D, K, R);
    uint32_t Results[N][M];
    ASSERT_TRUE(multiplyDense(X, Results));
    for (unsigned Row = 0; Row < M; ++Row)
      for (unsigned Column = 0; Column < N; ++Column)
        ASSERT_EQ(Results[Column][Row], expected(X, Row, Column))
            << "types " << unsigned(A) << " and " << unsigned(B) << ", round "
            << Round << ", row " << Row << ", column " << Column;
  }
}

TEST(DenseProduct, IsThatOfOneElement) {
  constexpr std::pair<Element, Element> Pairs[] = {
      {Element::F16, Element::F16},   {Element::BF16, Element::BF16},
      {Element::TF32, Element::TF32}, {Element::E4M3, Element::E4M3},
      {Element::E5M2, Element::E5M2}, {Element::E4M3, Element::E5M2}};
  std::mt19937 R(5);
  for (auto [A, B] : Pairs)
    for (Result C : {Result::F16, Result::F32})
      for (Result D : {Result::F16, Result::F32})
        for (unsigned K : {8u, 16u, 32u}) {
          ASSERT_TRUE(DenseMatrices::take(A, B, K));
          expectAsOneByOne(A, B, C, D, K, R);
        }
}

/// Bits of a type that has the exponents of single precision, from 2^-Reach to
/// 2^Reach.
uint32_t randomNear(FloatFormat F, uint32_t Reach, std::mt19937 &R) {
  auto Exponent = static_cast<uint32_t>(F.bias()) - Reach + R() % (2 * Reach);
  uint32_t Sign = R() % 2 ? F.signBit() : 0;
  return R() % 16 ? Sign | Exponent << F.FracBits | (R() & F.fracMask()) : Sign;
}

/// Sums from 2^-100 to 2^118 are done in single precision, also where they are
/// next to these bounds; others are left.
TEST(DenseProduct, IsThatOfOneElementNearToOne) {
  constexpr std::pair<Element, FloatFormat> Types[] = {
      {Element::BF16, BF16Format}, {Element::TF32, TF32Format}};
  std::mt19937 R(7);
  unsigned NumNear = 0, NumFar = 0;
  for (auto [Type, Format] : Types)
    for (uint32_t Reach : {1, 12, 50, 58, 62})
      for (unsigned Round = 0; Round < 50; ++Round) {
        DenseMatrices X =
            randomMatrices(Type, Type, Result::F32, Result::F32, 16, R);
        unsigned Shift = Type == Element::TF32 ? 13 : 0;
        for (unsigned I = 0; I < X.K; ++I) {
          for (uint32_t &V : X.A[I])
            V = randomNear(Format, Reach, R) << Shift;
          for (auto &Column : X.B)
            Column[I] = randomNear(Format, Reach, R) << Shift;
        }
        for (auto &Column : X.C)
          for (uint32_t &V : Column)
            V = randomNear(F32Format, 2 * Reach, R);
        uint32_t Results[N][M];
        ++(multiplyNear(X, Results) ? NumNear : NumFar);
        ASSERT_TRUE(multiplyDense(X, Results));
        for (unsigned Row = 0; Row < M; ++Row)
          for (unsigned Column = 0; Column < N; ++Column)
            ASSERT_EQ(Results[Column][Row], expected(X, Row, Column))
                << "reach " << Reach << ", row " << Row << ", column "
                << Column;
      }
  EXPECT_GE(NumNear, 300U);
  EXPECT_GE(NumFar, 50U);
}

/// The largest terms there are do not leave their words.
TEST(DenseProduct, HasRoomForTheLargest) {
  constexpr std::pair<Element, uint32_t> Largest[] = {
      {Element::F16, 0x3FFF},
      {Element::BF16, 0x3FFF},
      {Element::TF32, 0x3FFFE000},
      {Element::E4M3, 0x3F},
      {Element::E5M2, 0x3F}};
  for (auto [Type, Bits] : Largest) {
    std::mt19937 R(1);
    DenseMatrices X =
        randomMatrices(Type, Type, Result::F32, Result::F32, 32, R);
    for (unsigned I = 0; I < X.K; ++I) {
      std::fill_n(X.A[I], M, Bits);
      for (unsigned Column = 0; Column < N; ++Column)
        X.B[Column][I] = Bits;
    }
    for (auto &Column : X.C)
      std::fill_n(Column, M, 0x3FFFFFFF);
    uint32_t Results[N][M];
    ASSERT_TRUE(multiplyDense(X, Results));
    EXPECT_EQ(Results[3][7], expected(X, 7, 3));
  }
}

TEST(DenseProduct, LeavesWhatIsNotFinite) {
  constexpr std::pair<Element, uint32_t> Others[] = {
      {Element::F16, 0x7C00},
      {Element::BF16, 0xFF80},
      {Element::TF32, 0x7F802000},
      {Element::E4M3, 0xFF},
      {Element::E5M2, 0x7C}};
  std::mt19937 R(2);
  uint32_t Results[N][M];
  for (auto [Type, Bits] : Others) {
    DenseMatrices X =
        randomMatrices(Type, Type, Result::F32, Result::F32, 32, R);
    for (uint32_t *Place : {&X.A[31][15], &X.B[7][31], &X.C[7][15]}) {
      uint32_t Old = *Place;
      *Place = Place == &X.C[7][15] ? 0x7F800000 : Bits;
      EXPECT_FALSE(multiplyDense(X, Results));
      *Place = Old;
      EXPECT_TRUE(multiplyDense(X, Results));
    }
  }
}

TEST(DenseProduct, TakesNoOtherTypesAndDepths) {
  EXPECT_FALSE(DenseMatrices::take(Element::E2M1, Element::E4M3, 32));
  EXPECT_FALSE(DenseMatrices::take(Element::F16, Element::E3M2, 32));
  EXPECT_FALSE(DenseMatrices::take(Element::TF32, Element::TF32, 4));
  EXPECT_FALSE(DenseMatrices::take(Element::E4M3, Element::E4M3, 64));
}

} // namespace
