//===- LowerConvert.h - What conversions have in common ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of conversions that other lowerings need, too.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERCONVERT_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERCONVERT_H

#include "Emitter.h"

namespace heddle::lowering {

/// Limits a .f32 to the numbers of \p To, a narrower type or its pair, so that
/// nothing overflows when it is rounded; a NaN stays one.
mlir::Value clampToFinite(Emitter &E, ptxir::ScalarType To, mlir::Value V);

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERCONVERT_H
