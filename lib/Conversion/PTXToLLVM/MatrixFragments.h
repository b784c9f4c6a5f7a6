//===- MatrixFragments.h - Fragments as operands ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowerings of matrix instructions share: shapes and types from
// mnemonics, and groups of registers for builtins.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_MATRIXFRAGMENTS_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_MATRIXFRAGMENTS_H

#include "Emitter.h"
#include "InstView.h"
#include "heddle/ISA/Matrix.h"

namespace heddle::lowering {

/// The numbers in a name such as m16n8k32; a missing one is 0.
matrix::Extents extentsOf(llvm::StringRef Name);
/// The types of elements and sums by PTX's names.
std::optional<matrix::Element> elementOf(llvm::StringRef Type);
std::optional<matrix::Result> resultOf(llvm::StringRef Type);

/// At most four registers of 32 bits, or two of 64, as builtins take them; the
/// rest is poison.
mlir::Value groupOfFour(Emitter &E, llvm::ArrayRef<mlir::Value> Registers);
/// The same of one or two registers of 32 bits, as a number of 64.
mlir::Value groupOfTwo(Emitter &E, llvm::ArrayRef<mlir::Value> Registers);
/// The first \p Count registers of a group of four, of 32 or 64 bits, or of a
/// group of two, of 32 bits.
llvm::SmallVector<mlir::Value> registersOf(Emitter &E, mlir::Value Group,
                                           unsigned Count, unsigned Bits = 32);

/// What one instruction MMA multiplies.
struct MmaForm {
  matrix::Shape Shape;
  matrix::Element A, B;
  matrix::Result D, C;
  bool BitAnd = false, Saturate = false;
  bool ColumnsA = false, ColumnsB = false, Part = false;
};
/// The group of D: of two where that is what D and C have, or of four.
mlir::Value multiply(Emitter &E, const MmaForm &F,
                     llvm::ArrayRef<mlir::Value> A,
                     llvm::ArrayRef<mlir::Value> B,
                     llvm::ArrayRef<mlir::Value> C);
/// D of 8 x 8 x 4 in double precision: two registers. \p Round numbers Rnd.
llvm::SmallVector<mlir::Value> multiplyDoubles(Emitter &E, mlir::Value A,
                                               mlir::Value B,
                                               llvm::ArrayRef<mlir::Value> C,
                                               unsigned Round);
/// The ISA's number of .rn, .rz, .rm and .rp.
unsigned roundingOf(const InstView &I);

/// The shared address of operand \p N, which may be generic.
mlir::Value sharedAddress(Emitter &E, const InstView &I, unsigned N);

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_MATRIXFRAGMENTS_H
