//===- HalfProduct.h - Products of matrices of halves -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dense products of 16 rows and 8 columns of half precision, as sumProducts
// defines them, a column at once with the host's vectors. Infinities and NaNs
// are for sumProducts.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_HALFPRODUCT_H
#define HEDDLE_LIB_EMULATOR_HALFPRODUCT_H

#include "Matrix/MatrixUnit.h"

namespace heddle::emu {

/// Operands, as bits: elements of F16 or BF16, and addends.
struct HalfMatrices {
  static constexpr unsigned M = 16, N = 8, MaxK = 16;

  matrix::Element TypeA, TypeB;
  matrix::Result TypeC, TypeD;
  unsigned K; ///< 8 or 16.
  uint32_t A[MaxK][M], B[N][MaxK], C[N][M];
};

/// The bits of the sums by columns. False, and nothing done, if an operand is
/// not finite.
bool multiplyHalves(const HalfMatrices &X, uint32_t (*D)[HalfMatrices::M]);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_HALFPRODUCT_H
