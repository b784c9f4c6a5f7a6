//===- NarrowFloats.h - Floats of 4 to 16 bits ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats of floating point that are no types of registers, and those of 16
// bits, which are converted to and from them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_INTERPRETER_NARROWFLOATS_H
#define HEDDLE_LIB_INTERPRETER_NARROWFLOATS_H

#include "Floats.h"

namespace heddle::interp {

/// A format that only conversions and quads know, or one of 16 bits.
struct Format {
  const llvm::fltSemantics *Semantics = nullptr;
  unsigned Field = 0; ///< Bits that an element takes.
  uint64_t NaN = 0;   ///< Of formats without NaN, what stands for it.
  bool HasInfinity = false;

  unsigned width() const { return llvm::APFloat::getSizeInBits(*Semantics); }
};

/// By the name of an element; none if it is no such format.
std::optional<Format> formatOf(llvm::StringRef Name);

/// What is done to a result after rounding.
struct Limits {
  bool Finite = false;   ///< The largest number in place of infinity.
  bool Relu = false;     ///< +0 in place of a negative number.
  bool Positive = false; ///< +0 in place of -0.
};

/// The code of a number of the format, or of one of it that overflowed.
uint64_t encode(const Format &F, llvm::APFloat Value, Limits L);

/// Rounds to the format. Where that has no infinity the largest number stands
/// for it.
uint64_t
convertTo(const Format &F, const llvm::APFloat &Value, Limits L,
          llvm::RoundingMode Mode = llvm::RoundingMode::NearestTiesToEven);

/// The number that stands in place \p Element of a word.
llvm::APFloat decode(const Format &F, Bits Word, unsigned Element);

/// The code of UE8M0 that is no number.
constexpr uint64_t ScaleNaN = 255;
/// The number of a UE8M0 as a double; NaN for 255.
double scaleValue(Bits Code);

} // namespace heddle::interp

#endif // HEDDLE_LIB_INTERPRETER_NARROWFLOATS_H
