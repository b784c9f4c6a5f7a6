//===- DenseProduct.h - Dense products of matrices --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dense products of 16 rows and 8 columns of floats, as sumProducts defines
// them, a column at once with the host's vectors. Infinities and NaNs are for
// sumProducts.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_MATRIX_DENSEPRODUCT_H
#define HEDDLE_LIB_EMULATOR_MATRIX_DENSEPRODUCT_H

#include "Matrix/MatrixUnit.h"

namespace heddle::emu {

/// Operands, as bits: elements as decodeElement takes them, and addends.
struct DenseMatrices {
  static constexpr unsigned M = 16, N = 8, MaxK = 32;
  /// The elements of a row of A, or of a column of B, as memory has them.
  using Row = uint32_t[8];

  /// Whether products of elements of these types, so many of them, are done
  /// here.
  static bool take(matrix::Element A, matrix::Element B, unsigned K);

  matrix::Element TypeA, TypeB;
  matrix::Result TypeC, TypeD;
  unsigned K; ///< 8, 16 or 32.
  /// Of a column of B all elements to a multiple of 16 are read; those behind K
  /// have to be zero.
  uint32_t A[MaxK][M], B[N][MaxK], C[N][M];
};

/// The bits of the sums by columns. False, and nothing done, if an operand is
/// not finite.
bool multiplyDense(const DenseMatrices &X, uint32_t (*D)[DenseMatrices::M]);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_MATRIX_DENSEPRODUCT_H
