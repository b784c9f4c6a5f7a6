//===- DebugPiece.h - Which bytes of a variable -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptx.debug_value and ptx.debug_place may be about a piece of a variable, such
// as a member of a structure that is in several registers. They then have the
// attribute ptx.piece, with its offset and its size in bytes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_PTX_DEBUGPIECE_H
#define HEDDLE_DIALECT_PTX_DEBUGPIECE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <cstdint>

namespace heddle::ptxir {

inline constexpr llvm::StringLiteral DebugPieceName = "ptx.piece";

struct DebugPiece {
  uint64_t Offset = 0;
  uint64_t Bytes = 0; ///< 0: it is all of the variable.
};

inline DebugPiece debugPieceOf(mlir::Operation *Op) {
  auto Piece = Op->getAttrOfType<mlir::DenseI64ArrayAttr>(DebugPieceName);
  return Piece ? DebugPiece{uint64_t(Piece[0]), uint64_t(Piece[1])}
               : DebugPiece();
}

inline void setDebugPiece(mlir::Operation *Op, DebugPiece Piece) {
  if (Piece.Bytes)
    Op->setAttr(DebugPieceName, mlir::DenseI64ArrayAttr::get(
                                    Op->getContext(), {int64_t(Piece.Offset),
                                                       int64_t(Piece.Bytes)}));
}

} // namespace heddle::ptxir

#endif // HEDDLE_DIALECT_PTX_DEBUGPIECE_H
