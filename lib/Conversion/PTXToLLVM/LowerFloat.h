//===- LowerFloat.h - Floating-point forms of shared operations -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the lowerings of floating-point forms whose operation also has
// integer forms.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERFLOAT_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERFLOAT_H

#include "Emitter.h"

namespace heddle::lowering {

/// The modifiers of floating-point arithmetic.
struct FloatModifiers {
  ptxir::Rounding Rnd = ptxir::Rounding::None;
  bool Ftz = false;
  bool Sat = false;
  bool Relu = false;
};

/// A + B, or A - B with \p Negate, on values of the LLVM type of \p Ty. 16-bit
/// types round to nearest only.
mlir::Value floatSum(Emitter &E, ptxir::ScalarType Ty, FloatModifiers M,
                     mlir::Value A, mlir::Value B, bool Negate);
/// A * B, likewise.
mlir::Value floatProduct(Emitter &E, ptxir::ScalarType Ty, FloatModifiers M,
                         mlir::Value A, mlir::Value B);
/// A * B + C, likewise.
mlir::Value floatFma(Emitter &E, ptxir::ScalarType Ty, FloatModifiers M,
                     mlir::Value A, mlir::Value B, mlir::Value C);

/// Makes subnormal numbers of .f32 or a 16-bit type zeros of their sign.
mlir::Value flushSubnormals(Emitter &E, ptxir::ScalarType Ty, mlir::Value V);

mlir::LogicalResult lowerFloatAdd(Emitter &E, ptxir::AddOp Op);
mlir::LogicalResult lowerFloatSub(Emitter &E, ptxir::SubOp Op);
mlir::LogicalResult lowerFloatMul(Emitter &E, ptxir::MulOp Op);
mlir::LogicalResult lowerFloatMad(Emitter &E, ptxir::MadOp Op);
mlir::LogicalResult lowerFloatDiv(Emitter &E, ptxir::DivOp Op);
mlir::LogicalResult lowerFloatAbs(Emitter &E, ptxir::AbsOp Op);
mlir::LogicalResult lowerFloatNeg(Emitter &E, ptxir::NegOp Op);
mlir::LogicalResult lowerFloatMin(Emitter &E, ptxir::MinOp Op);
mlir::LogicalResult lowerFloatMax(Emitter &E, ptxir::MaxOp Op);

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERFLOAT_H
