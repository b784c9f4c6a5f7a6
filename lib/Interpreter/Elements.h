//===- Elements.h - Elements that are reduced -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements in memory that bulk operations and operations on the fabric reduce,
// one by one.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_INTERPRETER_ELEMENTS_H
#define HEDDLE_LIB_INTERPRETER_ELEMENTS_H

#include "Floats.h"
#include "Values.h"
#include "heddle/Dialect/PTX/InstReader.h"

#include <optional>

namespace heddle::interp {

/// A type of elements, whose names not all are those of registers.
struct Element {
  unsigned Bits;
  const llvm::fltSemantics *Float = nullptr;
  bool IsSigned = false;
};

Element elementOf(llvm::StringRef Type);

Bits readElement(const uint8_t *From, unsigned Bytes);
void writeElement(uint8_t *To, unsigned Bytes, Bits Value);

/// Elements as one, from the first to the last. Of floats each step is rounded
/// to \p Between, or to their own format.
Bits reduceAll(llvm::StringRef Op, const Element &E,
               const llvm::fltSemantics *Between, llvm::ArrayRef<Bits> Values);
/// Reduces elements in memory with those that come.
void reduceInto(llvm::StringRef Op, const Element &E, uint8_t *To,
                llvm::ArrayRef<uint8_t> From);

/// What an instruction does to elements; nothing if it only moves them.
llvm::StringRef operationOf(const ptxir::InstReader &R);

/// What is looked for at the source of a copy: the bits of a -0, or 0 for bytes
/// of ones.
std::optional<unsigned> reportedBits(const ptxir::InstReader &R);
/// Whether it is among some of 16 bytes, or of a -0 their first element.
bool isReported(const uint8_t *Data, unsigned Bytes, unsigned Bits);

} // namespace heddle::interp

#endif // HEDDLE_LIB_INTERPRETER_ELEMENTS_H
