//===- Matrix.cpp - Shapes, elements and fragments of matrices --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which products there are, and the layouts of Fragments.def.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/Matrix.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <vector>

namespace heddle::matrix {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static constexpr Extents ShapeExtents[] = {
    {8, 8, 4},   {8, 8, 16},   {8, 8, 32},  {8, 8, 128},
    {16, 8, 4},  {16, 8, 8},   {16, 8, 16}, {16, 8, 32},
    {16, 8, 64}, {16, 8, 128}, {16, 8, 256}};

Extents extentsOf(Shape S) { return ShapeExtents[size_t(S)]; }

bool isPairOfSums(Shape S, Result Type) {
  return S != Shape::M8N8K4 && sumRegisters(extentsOf(S).M, Type) == 2;
}

std::optional<Shape> findShape(unsigned M, unsigned N, unsigned K) {
  for (size_t I = 0; I < std::size(ShapeExtents); ++I)
    if (ShapeExtents[I].M == M && ShapeExtents[I].N == N &&
        ShapeExtents[I].K == K)
      return static_cast<Shape>(I);
  return std::nullopt;
}

unsigned bitsOf(Element E) {
  switch (E) {
  case Element::TF32:
    return 32;
  case Element::F16:
  case Element::BF16:
  case Element::S1Z4M11:
    return 16;
  case Element::E2M1P:
  case Element::S4:
  case Element::U4:
    return 4;
  case Element::B1:
    return 1;
  default:
    return 8;
  }
}

unsigned chunkElements(Element E) {
  unsigned Bits = bitsOf(E);
  return Bits == 32 ? 2 : Bits == 4 ? 8 : 4;
}

/// Types that stand together in a product.
static bool areMates(Element A, Element B) {
  auto IsNarrow = [](Element E) {
    return E >= Element::E4M3 && E <= Element::E2M1;
  };
  auto IsByte = [](Element E) { return E == Element::S8 || E == Element::U8; };
  auto IsNibble = [](Element E) {
    return E == Element::S4 || E == Element::U4;
  };
  return A == B || (IsNarrow(A) && IsNarrow(B)) || (IsByte(A) && IsByte(B)) ||
         (IsNibble(A) && IsNibble(B));
}

static bool areResults(const Multiply &M) {
  if (isInteger(M.A))
    return M.D == Result::S32 && M.C == Result::S32 && !M.Scales;
  if (M.D == Result::S32 || M.C == Result::S32)
    return false;
  // Only products of half precision mix the types of sums.
  if (M.D != M.C && (M.A != Element::F16 || M.Sparse))
    return false;
  bool OnlySingle = M.A == Element::BF16 || M.A == Element::TF32 ||
                    M.A == Element::E2M1P || M.Scales;
  return !OnlySingle || M.D == Result::F32;
}

static bool areScales(const Multiply &M) {
  if (M.A == Element::E2M1P)
    return M.Scales == 2 || M.Scales == 4;
  bool IsNarrow = M.A >= Element::E4M3 && M.A <= Element::E2M1;
  return M.Scales == 0 || (IsNarrow && M.Scales == 1);
}

bool isDefined(const Multiply &M) {
  if (!areMates(M.A, M.B) || !areResults(M) || !areScales(M))
    return false;
  Extents X = extentsOf(M.S);
  if (M.S == Shape::M8N8K4)
    return M.A == Element::F16 && !M.Sparse &&
           (M.D == Result::F32 || M.C == Result::F16);
  // Bits of a row of A in the registers of a group of four lanes.
  unsigned Stored = X.K * bitsOf(M.A) / (M.Sparse ? 2 : 1);
  if (X.M == 8)
    return isInteger(M.A) && Stored == 128 && !M.Sparse;
  if (M.Scales || M.A == Element::E2M1P)
    return Stored == 256;
  if (Stored == 128)
    return !(M.Sparse && (M.A >= Element::E4M3 && M.A <= Element::E2M1)) &&
           !(M.Sparse && M.A == Element::B1);
  return Stored == 256 && !(M.Sparse && M.A == Element::B1);
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

namespace {
struct FragmentText {
  std::string_view Row, Column;
};
} // namespace

static constexpr FragmentText FragmentTexts[] = {
#define HEDDLE_FRAGMENT(Name, Row, Column) {Row, Column},
#include "heddle/ISA/Fragments.def"
};

Layout::Layout(Fragment F, unsigned ElementsPerWord) {
  unsigned ElementBits = std::countr_zero(ElementsPerWord);
  Row = parse(FragmentTexts[size_t(F)].Row, ElementBits);
  Column = parse(FragmentTexts[size_t(F)].Column, ElementBits);
  auto PlaceOf = [&](unsigned Lane, unsigned Register, unsigned Element) {
    return Place{value(Row, Lane, Register, Element),
                 value(Column, Lane, Register, Element)};
  };
  for (unsigned N = 0; N < OfLane.size(); ++N) {
    OfLane[N] = PlaceOf(N, 0, 0);
    OfElement[N] = PlaceOf(0, 0, N);
  }
  unsigned Registers = 1;
  for (const Bits *B : {&Row, &Column})
    for (unsigned N = 0; N < B->Count; ++N)
      if (B->Values[N].From == Bit::Register)
        Registers = std::max(Registers, 2u << B->Values[N].Number);
  for (unsigned N = 0; N < Registers; ++N)
    OfRegister[N] = PlaceOf(0, N, 0);
}

const Layout &Layout::of(Fragment F, unsigned ElementsPerWord) {
  constexpr unsigned NumSizes = 6; // 1 to 32 elements.
  static const std::vector<Layout> Layouts = [] {
    std::vector<Layout> All;
    for (size_t N = 0; N < std::size(FragmentTexts); ++N)
      for (unsigned Size = 0; Size < NumSizes; ++Size)
        All.emplace_back(static_cast<Fragment>(N), 1u << Size);
    return All;
  }();
  return Layouts[size_t(F) * NumSizes + std::countr_zero(ElementsPerWord)];
}

Layout::Bits Layout::parse(std::string_view Text, unsigned ElementBits) {
  Bits Result;
  auto Add = [&](Bit::Source From, unsigned Number) {
    Result.Values[Result.Count++] = {From, static_cast<uint8_t>(Number)};
  };
  // From the last word on, which is the lowest bit.
  for (size_t End = Text.size(); End != 0;) {
    size_t Space = Text.rfind(' ', End - 1);
    size_t Begin = Space == std::string_view::npos ? 0 : Space + 1;
    std::string_view Word = Text.substr(Begin, End - Begin);
    if (Word == "e")
      for (unsigned N = 0; N < ElementBits; ++N)
        Add(Bit::Element, N);
    else
      Add(Word[0] == 'l'   ? Bit::Lane
          : Word[0] == 'r' ? Bit::Register
                           : Bit::Element,
          Word[1] - '0');
    End = Begin == 0 ? 0 : Begin - 1;
  }
  return Result;
}

unsigned Layout::value(const Bits &B, unsigned Lane, unsigned Register,
                       unsigned Element) {
  unsigned Result = 0;
  for (unsigned N = 0; N < B.Count; ++N) {
    const Bit &V = B.Values[N];
    unsigned From = V.From == Bit::Lane       ? Lane
                    : V.From == Bit::Register ? Register
                                              : Element;
    Result |= (From >> V.Number & 1) << N;
  }
  return Result;
}

} // namespace heddle::matrix
