//===- LowerQuads.h - Lowering of quads of narrow floats --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares what lowers add, sub, mul and fma of four FP8 numbers, whose
// opcodes other types share.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERQUADS_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERQUADS_H

#include "Emitter.h"
#include "heddle/Dialect/PTX/InstReader.h"

namespace heddle::lowering {

/// Whether the instruction is one on .e4m3x4 or its like.
bool isQuad(const ptxir::InstReader &Reader);
/// add, or sub with \p Negate.
mlir::LogicalResult lowerQuadSum(Emitter &E, ptxir::InstOp Op, bool Negate);
mlir::LogicalResult lowerQuadProduct(Emitter &E, ptxir::InstOp Op);
mlir::LogicalResult lowerQuadFma(Emitter &E, ptxir::InstOp Op);

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERQUADS_H
