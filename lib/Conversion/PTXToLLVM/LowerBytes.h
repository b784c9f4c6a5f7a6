//===- LowerBytes.h - Lowering of packed bytes ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares what lowers .u8x4 and .s8x4, whose instructions other types share.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERBYTES_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERBYTES_H

#include "Emitter.h"
#include "heddle/Dialect/PTX/InstReader.h"

namespace heddle::lowering {

/// Computes an element from elements extended to 32 bits.
using ByteOperation = llvm::function_ref<mlir::Value(
    Emitter &E, llvm::ArrayRef<mlir::Value> Args, bool Signed)>;

bool isPackedBytes(const ptxir::InstReader &Reader);
mlir::LogicalResult lowerPackedBytes(Emitter &E, ptxir::InstOp Op,
                                     ByteOperation Compute);

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERBYTES_H
