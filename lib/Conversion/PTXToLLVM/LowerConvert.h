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

/// The value of isa::PackType for narrow floats, by the name of an element; 0
/// if it is not one.
unsigned packTypeCode(llvm::StringRef Element);
/// The elements of a pair of \p Ty, which has 16 or 32 bits each, as .f32, the
/// upper one first.
std::pair<mlir::Value, mlir::Value> widenPair(Emitter &E, mlir::Value Pair,
                                              ptxir::ScalarType Ty);
/// Two of .f32 as a pair of the type \p Code of PackType; \p Mode as in
/// include/heddle/Target/Builtins.def.
mlir::Value packPair(Emitter &E, mlir::Value High, mlir::Value Low,
                     unsigned Code, unsigned Mode = 0);
/// The elements of the pair of narrow floats in the low bits of a word as
/// .f32, the upper one first.
std::pair<mlir::Value, mlir::Value> unpackPair(Emitter &E, mlir::Value Word,
                                               unsigned Code);

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERCONVERT_H
