//===- Matrix.h - Shapes, elements and fragments of matrices ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the modifiers of isa-defs/HeddleInstrMatrix.td mean and how matrices lie
// in the registers of a warp: docs/matrix.md.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ISA_MATRIX_H
#define HEDDLE_ISA_MATRIX_H

#include "heddle/ISA/ISA.h"
#include <array>

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::matrix {

/// The values of the ISA's modifier MatrixElement, and one behind them that
/// instructions do not name.
enum class Element : uint8_t {
  F16,
  BF16,
  TF32,
  E4M3,
  E5M2,
  E3M2,
  E2M3,
  E2M1,
  E2M1P,
  S8,
  U8,
  S4,
  U4,
  B1,
  S1Z4M11 ///< A sign, four zeros, and a magnitude of 11 bits.
};
using Result = isa::MatrixResult;
using Shape = isa::MatrixShape;
using Tile = isa::MatrixTile;
using isa::Unpack;

/// Registers that a matrix has in a lane.
constexpr unsigned registersOf(Tile T) {
  return T == Tile::Bytes16Transposed ? 2 : 1;
}

/// Rows of A, columns of B, columns of A.
struct Extents {
  unsigned M, N, K;
};
Extents extentsOf(Shape S);
/// None if there is no such shape.
std::optional<Shape> findShape(unsigned M, unsigned N, unsigned K);

unsigned bitsOf(Element E); ///< In a register, with padding.
constexpr bool isInteger(Element E) { return E >= Element::S8; }
constexpr bool isSigned(Element E) {
  return E == Element::S8 || E == Element::S4;
}

/// A product that the ISA has.
struct Multiply {
  Shape S;
  Element A, B;
  Result D, C;
  bool Sparse = false;
  unsigned Scales = 0; ///< Chunks of K with a scale; 0: none.
};
/// Whether PTX has a form for it, so that it is an instruction.
bool isDefined(const Multiply &M);

/// Registers in a lane of D or C with \p M rows, all but those of M8N8K4.
constexpr unsigned sumRegisters(unsigned M, Result Type) {
  return M == 8 || Type == Result::F16 ? 2 : 4;
}
/// Whether D or C has two registers in a lane.
bool isPairOfSums(Shape S, Result Type);

/// Elements of A, zeros included, that 4 bits of a sparse product's metadata
/// describe; half of them are stored.
unsigned chunkElements(Element E);

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

enum class Fragment : uint8_t {
#define HEDDLE_FRAGMENT(Name, Row, Column) Name,
#include "heddle/ISA/Fragments.def"
};

/// A layout for elements of one size.
class Layout {
public:
  /// \p ElementsPerWord is a power of two.
  Layout(Fragment F, unsigned ElementsPerWord);
  /// The same, made once.
  static const Layout &of(Fragment F, unsigned ElementsPerWord);

  struct Place {
    unsigned Row, Column;
    bool operator==(const Place &) const = default;
  };
  Place operator()(unsigned Lane, unsigned Register, unsigned Element) const {
    const Place &L = OfLane[Lane], &R = OfRegister[Register],
                &E = OfElement[Element];
    return {L.Row | R.Row | E.Row, L.Column | R.Column | E.Column};
  }

  /// A bit of a row or a column: which bit of which number it is.
  struct Bit {
    enum Source : uint8_t { Lane, Register, Element } From;
    uint8_t Number;
  };
  /// The lowest bit first.
  struct Bits {
    std::array<Bit, 12> Values;
    unsigned Count = 0;
  };
  const Bits &rowBits() const { return Row; }
  const Bits &columnBits() const { return Column; }

private:
  static unsigned value(const Bits &B, unsigned Lane, unsigned Register,
                        unsigned Element);
  static Bits parse(std::string_view Text, unsigned ElementBits);

  Bits Row, Column;
  // What each of the three numbers adds to a place.
  std::array<Place, 32> OfLane, OfElement;
  std::array<Place, 128> OfRegister;
};

} // namespace heddle::matrix

#endif // HEDDLE_ISA_MATRIX_H
