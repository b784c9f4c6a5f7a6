//===- Elements.h - What VALU does to elements of words --------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The modifiers of VALU, for the code that makes the instruction and the code
// that executes it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ISA_ELEMENTS_H
#define HEDDLE_ISA_ELEMENTS_H

#include <cstdint>

namespace heddle::isa {

/// What VALU does first: the values of the modifier ElementOp in
/// isa-defs/HeddleFormats.td.
enum class ElementOp : uint8_t {
  Add,
  Subtract,
  Min,
  Max,
  Average,
  AverageDown,
  Difference,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual
};

/// What it does then, with the third source: the values of ElementThen.
enum class ElementThen : uint8_t { Nothing, Accumulate, Min, Max };

} // namespace heddle::isa

#endif // HEDDLE_ISA_ELEMENTS_H
