//===- NearProduct.h - Products by the host's floats ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dense products in the host's single precision, which has all products of two
// elements and of a power of two exactly, while none of them is too large or
// too small for it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_MATRIX_NEARPRODUCT_H
#define HEDDLE_LIB_EMULATOR_MATRIX_NEARPRODUCT_H

#include "Matrix/DenseProduct.h"

namespace heddle::emu {

/// As multiplyDense. False, and nothing done, also for sums that are too far
/// from 1.
bool multiplyNear(const DenseMatrices &X, uint32_t (*D)[DenseMatrices::M]);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_MATRIX_NEARPRODUCT_H
