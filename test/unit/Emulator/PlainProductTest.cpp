//===- PlainProductTest.cpp - Sums of eight columns at once -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They are bit for bit those of sumProducts, for all types of elements.
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Matrix/PlainProduct.h"
#include "gtest/gtest.h"

#include <random>

using namespace heddle;
using namespace heddle::emu;
using matrix::Element;
using matrix::Result;

namespace {

/// Numbers of any size, zeros, subnormal and largest ones; not only finite
/// ones.
class Source {
public:
  explicit Source(unsigned Seed) : Engine(Seed) {}
  uint32_t bits(unsigned Width) {
    uint32_t Any = static_cast<uint32_t>(Engine());
    switch (Engine() % 8) {
    case 0:
      return 0;
    case 1: // Small exponents.
      return Any & ((1u << (Width / 2)) - 1);
    case 2: // Large ones, but seldom what is not finite.
      return (Any | uint32_t(uint64_t(0x30) << Width >> 8)) & mask(Width);
    default:
      return Any & mask(Width);
    }
  }
  static uint32_t mask(unsigned Width) {
    return Width == 32 ? ~0u : (1u << Width) - 1;
  }

private:
  std::mt19937_64 Engine;
};

void compare(Element TypeA, Element TypeB, unsigned WidthA, unsigned WidthB,
             Result CType, Result DType, unsigned K, unsigned &Compared) {
  Source S(K * 131 + unsigned(TypeA) * 17 + unsigned(TypeB));
  unsigned Fraction = fractionBits(TypeA) + fractionBits(TypeB);
  for (unsigned Round = 0; Round < 200; ++Round) {
    std::vector<MatrixTerm> A(K), B(PlainTerms::Group * K);
    PlainTerms PlainA(K), PlainB(K, PlainTerms::Group);
    bool IsPlain = true;
    for (unsigned I = 0; I < K; ++I)
      IsPlain &= PlainA.set(I, 0, A[I] = decodeElement(TypeA, S.bits(WidthA)));
    for (unsigned N = 0; N < PlainTerms::Group; ++N)
      for (unsigned I = 0; I < K; ++I)
        IsPlain &= PlainB.set(
            I, N, B[N * K + I] = decodeElement(TypeB, S.bits(WidthB)));
    MatrixTerm C[PlainTerms::Group];
    bool CIsPlain = true;
    for (MatrixTerm &T : C) {
      T = decodeAddend(CType, S.bits(CType == Result::F16 ? 16 : 32));
      CIsPlain &=
          T.K == MatrixTerm::Kind::Zero || T.K == MatrixTerm::Kind::Finite;
    }
    uint32_t Results[PlainTerms::Group];
    if (!IsPlain)
      continue;
    ASSERT_EQ(sumPlainProducts(PlainA, PlainB, 0, K, Fraction, C, CType, DType,
                               Results),
              CIsPlain);
    if (!CIsPlain)
      continue;
    for (unsigned N = 0; N < PlainTerms::Group; ++N)
      ASSERT_EQ(Results[N], sumProducts({A.data(), &B[N * K], nullptr, nullptr,
                                         K, 0, Fraction},
                                        C[N], CType, DType))
          << "round " << Round << ", column " << N;
    ++Compared;
  }
}

TEST(PlainProduct, IsThatOfOneColumn) {
  struct Type {
    Element E;
    unsigned Width;
  };
  const Type Types[] = {
      {Element::F16, 16}, {Element::BF16, 16}, {Element::TF32, 32},
      {Element::E4M3, 8}, {Element::E5M2, 8},  {Element::E3M2, 6},
      {Element::E2M3, 6}, {Element::E2M1, 6},  {Element::E2M1P, 4}};
  for (Type A : Types)
    for (Type B : Types)
      for (Result D : {Result::F32, Result::F16})
        for (unsigned K : {4u, 8u, 16u, 64u}) {
          if ((A.Width > 8) != (B.Width > 8) || (A.Width > 8 && A.E != B.E))
            continue;
          unsigned Compared = 0;
          compare(A.E, B.E, A.Width, B.Width, D, D, K, Compared);
          // Of types with many that are not finite few rows are left.
          if (A.Width < 8 && B.Width < 8)
            EXPECT_GT(Compared, 50u);
        }
}

/// The largest terms there are do not leave their words.
TEST(PlainProduct, HasRoomForTheLargest) {
  constexpr unsigned K = 96;
  for (auto [Significand, Fraction] :
       {std::pair{2047, 20u}, {255, 14u}, {15, 6u}, {45, 8u}}) {
    PlainTerms A(K), B(K, PlainTerms::Group);
    std::vector<MatrixTerm> TermsA(K), TermsB(K);
    for (unsigned I = 0; I < K; ++I) {
      MatrixTerm T{Significand, 0, MatrixTerm::Kind::Finite};
      TermsA[I] = TermsB[I] = T;
      A.set(I, 0, T);
      T.Significand = -Significand;
      TermsB[I] = T;
      for (unsigned N = 0; N < PlainTerms::Group; ++N)
        B.set(I, N, T);
    }
    MatrixTerm C[PlainTerms::Group];
    for (MatrixTerm &T : C)
      T = {-0xFFFFFF, 0, MatrixTerm::Kind::Finite};
    uint32_t Results[PlainTerms::Group];
    ASSERT_TRUE(sumPlainProducts(A, B, 0, K, Fraction, C, Result::F32,
                                 Result::F32, Results));
    for (uint32_t Got : Results)
      EXPECT_EQ(Got, sumProducts({TermsA.data(), TermsB.data(), nullptr,
                                  nullptr, K, 0, Fraction},
                                 C[0], Result::F32, Result::F32));
  }
}

} // namespace
