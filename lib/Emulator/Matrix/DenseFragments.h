//===- DenseFragments.h - Registers of dense products -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves the operands of dense products between a warp's registers, whose
// layouts are the fragments A16, B8, C16 and C16Pairs of
// heddle/ISA/Fragments.def, and matrices, four lanes at once. The layouts are
// written out here, for speed; DenseFragmentsTest compares them with the table.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_MATRIX_DENSEFRAGMENTS_H
#define HEDDLE_LIB_EMULATOR_MATRIX_DENSEFRAGMENTS_H

#include "Decoder.h"
#include "Matrix/DenseProduct.h"

namespace heddle::emu {

using RegisterRow = uint32_t[WarpSize];

/// Of X.A and X.B, whose types and depth are set: \p A and \p B are the first
/// of their registers.
void loadDenseA(const RegisterRow *A, DenseMatrices &X);
void loadDenseB(const RegisterRow *B, DenseMatrices &X);
/// The same from memory, where all rows of A and columns of B are whole, and K
/// elements take 32 bytes.
void arrangeDenseA(const DenseMatrices::Row *Rows, DenseMatrices &X);
void arrangeDenseB(const DenseMatrices::Row *Columns, DenseMatrices &X);
/// Of X.C, whose type is set.
void loadDenseC(const RegisterRow *C, DenseMatrices &X);
/// Of sums by columns, as multiplyDense has them.
void storeDenseD(const uint32_t (*D)[DenseMatrices::M], matrix::Result Type,
                 RegisterRow *Registers);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_MATRIX_DENSEFRAGMENTS_H
