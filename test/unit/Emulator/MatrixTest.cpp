//===- MatrixTest.cpp - Layouts and sums of matrices ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element of every layout against the formulas of PTX's manual, and the
// enumerators against the ISA's modifiers.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/Matrix.h"
#include "heddle/ISA/ISA.h"
#include "gtest/gtest.h"

#include <functional>
#include <set>
#include <string>

using namespace heddle;
using matrix::Fragment;
using matrix::Layout;

namespace {

using Place = Layout::Place;
/// From the lane and the number of an element among the fragment's.
using Formula = std::function<Place(unsigned Lane, unsigned I)>;

/// Compares all elements, and checks that no two share a place.
void check(Fragment F, unsigned PerWord, unsigned Registers, unsigned Products,
           const Formula &Expected) {
  Layout L(F, PerWord);
  std::multiset<std::pair<unsigned, unsigned>> Places;
  for (unsigned Lane = 0; Lane < 32; ++Lane)
    for (unsigned I = 0; I < Registers * PerWord; ++I) {
      Place P = L(Lane, I / PerWord, I % PerWord), E = Expected(Lane, I);
      ASSERT_EQ(P.Row, E.Row) << "lane " << Lane << ", element " << I;
      ASSERT_EQ(P.Column, E.Column) << "lane " << Lane << ", element " << I;
      Places.emplace(P.Row, P.Column);
    }
  for (auto P : Places)
    ASSERT_EQ(Places.count(P), Products);
}

unsigned group(unsigned Lane) { return Lane >> 2; }
unsigned thread(unsigned Lane) { return Lane % 4; }
/// Lanes 0 to 3 and 16 to 19 count 0 to 7.
unsigned inQuad(unsigned Lane) { return Lane % 4 + (Lane < 16 ? 0 : 4); }

} // namespace

TEST(MatrixLayout, MultiplicandsOfHalves) {
  check(Fragment::A16, 2, 4, 1, [](unsigned L, unsigned I) {
    bool Upper = I < 2 || (I >= 4 && I < 6);
    return Place{group(L) + (Upper ? 0 : 8),
                 thread(L) * 2 + (I & 1) + (I < 4 ? 0 : 8)};
  });
  check(Fragment::B8, 2, 2, 1, [](unsigned L, unsigned I) {
    return Place{thread(L) * 2 + (I & 1) + (I < 2 ? 0 : 8), group(L)};
  });
}

TEST(MatrixLayout, MultiplicandsOfWords) {
  check(Fragment::A16, 1, 4, 1, [](unsigned L, unsigned I) {
    return Place{group(L) + (I == 0 || I == 2 ? 0 : 8),
                 thread(L) + (I < 2 ? 0 : 4)};
  });
  check(Fragment::B8, 1, 2, 1, [](unsigned L, unsigned I) {
    return Place{thread(L) + (I == 0 ? 0 : 4), group(L)};
  });
}

TEST(MatrixLayout, MultiplicandsOfBytes) {
  check(Fragment::A16, 4, 4, 1, [](unsigned L, unsigned I) {
    bool Upper = I < 4 || (I >= 8 && I < 12);
    return Place{group(L) + (Upper ? 0 : 8),
                 thread(L) * 4 + (I & 3) + (I < 8 ? 0 : 16)};
  });
  check(Fragment::B8, 4, 2, 1, [](unsigned L, unsigned I) {
    return Place{thread(L) * 4 + (I & 3) + (I < 4 ? 0 : 16), group(L)};
  });
  check(Fragment::A8, 4, 1, 1, [](unsigned L, unsigned I) {
    return Place{group(L), thread(L) * 4 + I};
  });
  // Of a sparse product: 64 rows.
  check(Fragment::B8, 4, 4, 1, [](unsigned L, unsigned I) {
    return Place{thread(L) * 4 + (I & 3) + 16 * (I / 4), group(L)};
  });
}

TEST(MatrixLayout, MultiplicandsOfFourBitsAndOne) {
  check(Fragment::A16, 8, 4, 1, [](unsigned L, unsigned I) {
    bool Upper = I < 8 || (I >= 16 && I < 24);
    return Place{group(L) + (Upper ? 0 : 8),
                 thread(L) * 8 + (I & 7) + (I < 16 ? 0 : 32)};
  });
  check(Fragment::B8, 8, 2, 1, [](unsigned L, unsigned I) {
    return Place{thread(L) * 8 + (I & 7) + (I < 8 ? 0 : 32), group(L)};
  });
  check(Fragment::A16, 32, 4, 1, [](unsigned L, unsigned I) {
    bool Upper = I < 32 || (I >= 64 && I < 96);
    return Place{group(L) + (Upper ? 0 : 8),
                 thread(L) * 32 + (I & 31) + (I < 64 ? 0 : 128)};
  });
  check(Fragment::B8, 32, 2, 1, [](unsigned L, unsigned I) {
    return Place{thread(L) * 32 + (I & 31) + (I < 32 ? 0 : 128), group(L)};
  });
}

TEST(MatrixLayout, Sums) {
  Formula Tall = [](unsigned L, unsigned I) {
    return Place{group(L) + (I < 2 ? 0 : 8), thread(L) * 2 + (I & 1)};
  };
  check(Fragment::C16, 1, 4, 1, Tall);
  check(Fragment::C16Pairs, 2, 2, 1, Tall);
  check(Fragment::C8, 1, 2, 1, [](unsigned L, unsigned I) {
    return Place{group(L), thread(L) * 2 + I};
  });
}

TEST(MatrixLayout, Quads) {
  check(Fragment::QuadARow, 2, 2, 4,
        [](unsigned L, unsigned I) { return Place{inQuad(L), I}; });
  check(Fragment::QuadACol, 2, 2, 4, [](unsigned L, unsigned I) {
    return Place{I % 4 + (L < 16 ? 0 : 4), L % 4};
  });
  check(Fragment::QuadBRow, 2, 2, 4, [](unsigned L, unsigned I) {
    return Place{L % 4, I + (L < 16 ? 0 : 4)};
  });
  check(Fragment::QuadBCol, 2, 2, 4,
        [](unsigned L, unsigned I) { return Place{I, inQuad(L)}; });
  check(Fragment::QuadCPairs, 2, 4, 4,
        [](unsigned L, unsigned I) { return Place{inQuad(L), I}; });
  check(Fragment::QuadC, 1, 8, 4, [](unsigned L, unsigned I) {
    return Place{(L & 1) + (I & 2) + (L < 16 ? 0 : 4),
                 (I & 4) + (L & 2) + (I & 1)};
  });
}

TEST(MatrixLayout, Tiles) {
  check(Fragment::Tile8, 2, 1, 1,
        [](unsigned L, unsigned I) { return Place{L / 4, L % 4 * 2 + I}; });
  check(Fragment::Tile8Transposed, 2, 1, 1,
        [](unsigned L, unsigned I) { return Place{L % 4 * 2 + I, L / 4}; });
  check(Fragment::Tile8, 4, 1, 1,
        [](unsigned L, unsigned I) { return Place{L / 4, L % 4 * 4 + I}; });
  // Four columns of two rows of the transposed matrix.
  check(Fragment::Tile16Transposed, 4, 2, 1, [](unsigned L, unsigned I) {
    return Place{L % 4 * 4 + I / 4 * 2 + I % 2, L / 4 + (I % 4 < 2 ? 0 : 8)};
  });
  check(Fragment::TileBytes8Transposed, 4, 1, 1, [](unsigned L, unsigned I) {
    return Place{L % 4 * 2 + I % 2, L / 4 + (I < 2 ? 0 : 8)};
  });
}

TEST(MatrixModifiers, ShapesHaveTheirNames) {
  for (const isa::ModifierInfo &M : isa::modifiers()) {
    if (M.Name != "MatrixShape")
      continue;
    for (size_t N = 0; N < M.Values.size(); ++N) {
      auto X = matrix::extentsOf(static_cast<matrix::Shape>(N));
      EXPECT_EQ(M.Values[N], "M" + std::to_string(X.M) + "N" +
                                 std::to_string(X.N) + "K" +
                                 std::to_string(X.K));
      EXPECT_EQ(matrix::findShape(X.M, X.N, X.K),
                static_cast<matrix::Shape>(N));
    }
    EXPECT_EQ(M.Values.size(), size_t(matrix::Shape::M16N8K256) + 1);
    return;
  }
  FAIL() << "no modifier MatrixShape";
}

TEST(MatrixModifiers, SomeSumsArePairs) {
  using matrix::Result;
  using matrix::Shape;
  EXPECT_TRUE(matrix::isPairOfSums(Shape::M16N8K16, Result::F16));
  EXPECT_TRUE(matrix::isPairOfSums(Shape::M8N8K16, Result::S32));
  EXPECT_FALSE(matrix::isPairOfSums(Shape::M16N8K16, Result::F32));
  EXPECT_FALSE(matrix::isPairOfSums(Shape::M16N8K16, Result::S32));
  EXPECT_FALSE(matrix::isPairOfSums(Shape::M8N8K4, Result::F16));
}

TEST(MatrixModifiers, SomeProductsAreNone) {
  using matrix::Element;
  using matrix::Result;
  using matrix::Shape;
  auto Defined = [](Shape S, Element A, Element B, Result D, Result C,
                    bool Sparse = false, unsigned Scales = 0) {
    return matrix::isDefined({S, A, B, D, C, Sparse, Scales});
  };
  EXPECT_TRUE(Defined(Shape::M16N8K16, Element::F16, Element::F16, Result::F32,
                      Result::F32));
  EXPECT_FALSE(Defined(Shape::M16N8K32, Element::F16, Element::F16, Result::F32,
                       Result::F32));
  EXPECT_TRUE(Defined(Shape::M16N8K32, Element::F16, Element::F16, Result::F32,
                      Result::F32, /*Sparse=*/true));
  EXPECT_FALSE(Defined(Shape::M16N8K16, Element::F16, Element::BF16,
                       Result::F32, Result::F32));
  EXPECT_FALSE(Defined(Shape::M16N8K16, Element::BF16, Element::BF16,
                       Result::F16, Result::F16));
  EXPECT_FALSE(Defined(Shape::M16N8K64, Element::E2M1P, Element::E2M1P,
                       Result::F32, Result::F32));
  EXPECT_TRUE(Defined(Shape::M16N8K64, Element::E2M1P, Element::E2M1P,
                      Result::F32, Result::F32, false, 4));
  EXPECT_FALSE(Defined(Shape::M16N8K256, Element::B1, Element::B1, Result::F32,
                       Result::F32));
}
