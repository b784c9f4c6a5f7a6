//===- TensorMemory.h - Matrices in tensor memory ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the modifiers and the descriptors of isa-defs/HeddleInstrTensor.td mean:
// docs/matrix.md.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ISA_TENSORMEMORY_H
#define HEDDLE_ISA_TENSORMEMORY_H

#include "heddle/ISA/Matrix.h"

namespace heddle::tensor {

/// Of a CTA; a cell has 32 bits.
constexpr unsigned Lanes = 128, Columns = 512;
/// Columns of an allocation that is the only one.
constexpr unsigned ExclusiveColumns = 576;
/// Lanes that a warp reaches, and columns that are allocated together.
constexpr unsigned WarpLanes = 32, ColumnGranule = 32;

using Copy = isa::TensorCopy;
using Kind = isa::TensorKind;
using Shape = isa::TensorShape;

/// The layout of a warp's registers in a shape.
matrix::Fragment fragmentOf(Shape S);

/// A row of HEDDLE_TENSOR_COPY.
struct CopyRows {
  unsigned Rows, Bytes, GroupRows, GroupLanes, Copies, CopyLanes;
  unsigned lane(unsigned Row, unsigned Copy) const {
    return GroupLanes * (Row / GroupRows) + Row % GroupRows + CopyLanes * Copy;
  }
};
/// Of any copy but Shift.
const CopyRows &rowsOf(Copy C);

/// A row of HEDDLE_TENSOR_PATH.
struct DataPath {
  unsigned M, CTAs, Sparse, Stationary, Rows, GroupRows, Parts;
  /// The lane of a CTA's row in a part of the columns.
  unsigned lane(unsigned Row, unsigned Part) const {
    return WarpLanes * (Row / GroupRows) + Row % GroupRows +
           Lanes / Parts * Part;
  }
};

/// What a product is by its modifiers.
struct Form {
  Kind K = Kind::F16;
  bool Pair = false; ///< Of two CTAs.
  bool Sparse = false, Stationary = false;
  bool LooksUpB = false; ///< B has numbers of values in tables.
  unsigned Scales =
      0; ///< Chunks of 64 or 128 elements of K with a scale, or 0.
};

/// What an instruction descriptor says of a product.
struct Product {
  matrix::Element A = matrix::Element::F16, B = matrix::Element::F16;
  matrix::Result D = matrix::Result::F32;
  unsigned M = 0, N = 0, K = 0; ///< K with the zeros of a sparse A.
  bool Saturate = false, NegatesA = false, NegatesB = false;
  bool TransposesA = false, TransposesB = false;
  unsigned Selector = 0; ///< Of the metadata.
  unsigned Scales = 0;   ///< Chunks of K with a scale; 0: none.
  unsigned ScaleByteA = 0, ScaleByteB = 0;
  bool ScalesAreUE4M3 = false;
  const DataPath *Path = nullptr;
};
/// Returns what is wrong with the descriptor for the form, or null.
const char *decodeProduct(uint32_t Descriptor, const Form &F, Product &P);

constexpr unsigned MaxScales = 6;
/// The place of scale \p Scale of row or column \p Index of \p Count, in
/// columns from the first and in bytes. \p FirstByte is that of the row's first
/// scale.
struct ScalePlace {
  unsigned Column, Byte;
};
ScalePlace placeOfScale(unsigned Index, unsigned Count, unsigned Scale,
                        unsigned FirstByte);

/// Bits of an element in shared memory, and how many stand in 16 bytes.
struct Packing {
  unsigned Bits, PerUnit;
};
Packing packingOf(matrix::Element E);

/// How a B of numbers stands in memory, as in the manual's figures of
/// `.decompress::lut::b`: a column has 128 numbers of 3 bits in 48 bytes, of
/// which the matrix descriptor chooses a half, and eight columns have a table
/// of eight numbers of E4M3 in two columns of a lane.
struct NumbersOfB {
  static constexpr unsigned Bits = 3, K = 64, Bytes = 24, HalfBit = 53,
                            TableColumns = 8, TableWords = 2;
};

/// Whether `.ws` takes zeros in place of column \p N of B, by a descriptor of
/// zero columns for \p Path.
bool isZeroColumn(uint64_t Descriptor, const DataPath &Path, unsigned Columns,
                  unsigned N);
/// By how many columns the same descriptor moves B.
unsigned columnShift(uint64_t Descriptor);

} // namespace heddle::tensor

#endif // HEDDLE_ISA_TENSORMEMORY_H
