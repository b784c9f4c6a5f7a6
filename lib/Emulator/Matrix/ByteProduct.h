//===- ByteProduct.h - Dense products of bytes ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dense products of 16 rows and 8 columns of integers of eight bits.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_MATRIX_BYTEPRODUCT_H
#define HEDDLE_LIB_EMULATOR_MATRIX_BYTEPRODUCT_H

#include "Matrix/DenseProduct.h"

namespace heddle::emu {

/// Whether multiplyBytes does products of elements of these types, so many of
/// them.
bool takesBytes(matrix::Element A, matrix::Element B, unsigned K);

/// The sums by columns, as finishInteger has them.
void multiplyBytes(const DenseMatrices &X, bool Saturate,
                   uint32_t (*D)[DenseMatrices::M]);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_MATRIX_BYTEPRODUCT_H
