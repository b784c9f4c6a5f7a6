//===- LowerSparse.h - Two elements of four ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the compression that spcompress and loads of tensor memory share.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERSPARSE_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERSPARSE_H

#include "Emitter.h"

namespace heddle::lowering {

/// What is left of words of which two elements of every four stay.
struct Compressed {
  llvm::SmallVector<mlir::Value> Metadata, Data;

  /// Metadata first, as the operands stand.
  llvm::SmallVector<mlir::Value> all() const;
};

/// The key of an element, an unsigned number of 32 bits: the greatest stay.
using KeyFn = llvm::function_ref<mlir::Value(mlir::Value Element)>;

/// Compresses \p Words of elements of \p ElementBits bits; the place of each
/// that stays takes \p IndexBits bits.
Compressed compress(Emitter &E, llvm::ArrayRef<mlir::Value> Words,
                    unsigned ElementBits, unsigned IndexBits, KeyFn Key);

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_LOWERSPARSE_H
