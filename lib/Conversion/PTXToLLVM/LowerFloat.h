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
