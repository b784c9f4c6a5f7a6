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
#include "heddle/ISA/ISA.h"

namespace heddle::lowering {

using isa::ElementOp;
using isa::ElementThen;

/// An operation on the elements of words.
struct ElementOperation {
  ElementOp First;
  unsigned Lanes; ///< 1, 2 or 4 in a word.
  bool Signed;
  bool Saturates = false;
  ElementThen Then = ElementThen::Nothing;
  bool Relu = false;
};

/// Of words; \p C is null where the operation has no third source.
mlir::Value elements(Emitter &E, const ElementOperation &How, mlir::Value A,
                     mlir::Value B, mlir::Value C = {});

bool isPackedBytes(const ptxir::InstReader &Reader);
/// \p First on packed bytes, with .sat and .relu as written.
mlir::LogicalResult lowerPackedBytes(Emitter &E, ptxir::InstOp Op,
                                     ElementOp First);

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERBYTES_H
