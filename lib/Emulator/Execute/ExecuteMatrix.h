//===- ExecuteMatrix.h - Matrices in the registers of a warp ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments, the metadata of sparse matrices, and the frame of a product, for
// the products of a warp and of a warpgroup.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_EXECUTEMATRIX_H
#define HEDDLE_LIB_EMULATOR_EXECUTEMATRIX_H

#include "Execute/ExecuteMemory.h"
#include "Matrix/DenseProduct.h"

namespace heddle::emu {

using matrix::Element;
using matrix::Fragment;
using matrix::Layout;
using matrix::Result;
using matrix::sumRegisters;

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// The warp does it together, or not at all.
inline bool isWhole(Warp &W, LaneMask Exec) {
  if (Exec == ~LaneMask(0))
    return true;
  W.fault(rt::FaultKind::IllegalInstruction, std::countr_zero(Exec),
          "only some lanes of the warp execute a matrix instruction");
  return false;
}

/// Calls Visit with the row, the column and the bits of each element in
/// \p Registers rows of the register file from \p First on.
template <typename Fn>
void forElements(const Warp &W, const Layout &L, unsigned First,
                 unsigned Registers, unsigned Bits, Fn Visit) {
  unsigned PerWord = 32 / Bits;
  uint32_t Mask = Bits == 32 ? ~0u : (1u << Bits) - 1;
  for (unsigned R = 0; R < Registers; ++R)
    for (unsigned Lane = 0; Lane < WarpSize; ++Lane)
      for (unsigned E = 0; E < PerWord; ++E) {
        auto [Row, Column] = L(Lane, R, E);
        Visit(Row, Column, W.R[First + R][Lane] >> (E * Bits) & Mask);
      }
}

/// Writes what Compute gives for each row and column; of elements of 16 bits
/// two share a register.
template <typename Fn>
void writeElements(Warp &W, const Layout &L, unsigned First, unsigned Registers,
                   unsigned Bits, Fn Compute) {
  for (unsigned R = 0; R < Registers; ++R)
    for (unsigned Lane = 0; Lane < WarpSize; ++Lane) {
      uint32_t Word = 0;
      for (unsigned E = 0; E < 32 / Bits; ++E) {
        auto [Row, Column] = L(Lane, R, E);
        Word |= Compute(Row, Column) << (E * Bits);
      }
      W.R[First + R][Lane] = Word;
    }
}

/// The layout of D or C with so many rows.
inline const Layout &sumLayout(unsigned M, Result Type) {
  if (M == 8)
    return Layout::of(Fragment::C8, 1);
  return Type == Result::F16 ? Layout::of(Fragment::C16Pairs, 2)
                             : Layout::of(Fragment::C16, 1);
}
inline unsigned sumBits(Result Type) { return Type == Result::F16 ? 16 : 32; }

//===----------------------------------------------------------------------===//
// Metadata of sparse matrices
//===----------------------------------------------------------------------===//

/// The place in a chunk of its stored element \p N, by the chunk's four bits.
inline unsigned chunkPlace(unsigned Chunk, uint32_t Indices, unsigned N) {
  switch (Chunk) {
  case 2: // A pair of halves.
    return Indices >> 1 & 1;
  case 4:
    return Indices >> (2 * N) & 3;
  default: // Pairs.
    return 2 * (Indices >> (2 * (N / 2)) & 3) + N % 2;
  }
}

/// Which columns the stored elements of A stand in.
class SparseColumns {
public:
  /// \p K columns, zeros included, of elements of that type.
  SparseColumns(const Warp &W, Inst I, Element Type, unsigned K)
      : W(W), I(I), Chunk(matrix::chunkElements(Type)),
        HasWholeWords(matrix::bitsOf(Type) <= 8),
        Holders(HasWholeWords ? 2 : std::max(K / Chunk / 4, 1u)) {}

  unsigned operator()(unsigned Row, unsigned Stored) const {
    unsigned Half = Chunk / 2, C = Stored / Half, N = Stored % Half;
    return C * Chunk + chunkPlace(Chunk, chunkIndices(Row, C), N);
  }

private:
  uint32_t chunkIndices(unsigned Row, unsigned C) const {
    unsigned First = Row % 8 * 4 + I.Matrix.Selector * Holders;
    if (HasWholeWords)
      return W.R[I.E][First + C / 8 * 2 + Row / 8] >> 4 * (C % 8) & 15;
    return W.R[I.E][First + C / 4] >> (16 * (Row / 8) + 4 * (C % 4)) & 15;
  }

  const Warp &W;
  Inst I;
  unsigned Chunk;
  bool HasWholeWords; ///< A lane's chunks are of one row, not of two.
  unsigned Holders;   ///< Lanes that a selector chooses among four.
};

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// C, and what Compute makes of a row of it and of its number, in D.
template <typename Fn> void addRows(Warp &W, Inst I, unsigned M, Fn Compute) {
  Result DType = I.Matrix.D, CType = I.Matrix.C;
  uint32_t C[MaxMatrixM][MaxMatrixN], D[MaxMatrixM][MaxMatrixN];
  forElements(
      W, sumLayout(M, CType), I.C, sumRegisters(M, CType), sumBits(CType),
      [&](unsigned Row, unsigned Column, uint32_t V) { C[Row][Column] = V; });
  for (unsigned Row = 0; Row < M; ++Row)
    Compute(Row, C[Row], D[Row]);
  writeElements(W, sumLayout(M, DType), I.D, sumRegisters(M, DType),
                sumBits(DType),
                [&](unsigned Row, unsigned Column) { return D[Row][Column]; });
}

/// C, and what Compute makes of an element of it, a row and a column, in D.
template <typename Fn>
void addProducts(Warp &W, Inst I, unsigned M, Fn Compute) {
  addRows(W, I, M, [&](unsigned Row, const uint32_t *C, uint32_t *D) {
    for (unsigned Column = 0; Column < MaxMatrixN; ++Column)
      D[Column] = Compute(Row, Column, C[Column]);
  });
}

/// C and the product of \p X in D.
void addFloatProducts(Warp &W, Inst I, const FloatMatrices &X, unsigned M,
                      unsigned K, unsigned Scales);

/// C and the product of A and B of \p X in D. False, and nothing done, if
/// something is not finite.
bool addDenseProduct(Warp &W, Inst I, DenseMatrices &X);
/// The same of bytes, of which none is left.
void addByteProduct(Warp &W, Inst I, DenseMatrices &X);

/// Sixteen elements of a few bits become bytes.
void unpackElements(matrix::Unpack U, uint8_t *Bytes);

inline int32_t decodeInteger(Element E, uint32_t Bits) {
  switch (E) {
  case Element::S8:
    return static_cast<int8_t>(Bits);
  case Element::S4:
    return static_cast<int32_t>(Bits ^ 8) - 8;
  case Element::S1Z4M11: {
    auto Magnitude = static_cast<int32_t>(Bits & 0x7FF);
    return Bits & 0x8000 ? -Magnitude : Magnitude;
  }
  default:
    return static_cast<int32_t>(Bits);
  }
}

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_EXECUTEMATRIX_H
