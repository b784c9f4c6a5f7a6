//===- AtomicArithmetic.h - What atomic operations compute ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The new value of an atomic operation or a reduction from the old one. How it
// comes into memory in one step is the callers' matter.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_ATOMICARITHMETIC_H
#define HEDDLE_LIB_EMULATOR_ATOMICARITHMETIC_H

#include "Decoder.h"
#include "heddle/Emulator/SoftFloat.h"

#include <cstdint>
#include <type_traits>

namespace heddle::emu {

/// T is an unsigned type; \p Signed says how Min and Max compare.
template <typename T> T applyToInteger(AtomOp O, T Old, T Value, bool Signed) {
  using SignedT = std::make_signed_t<T>;
  bool Less = Signed ? SignedT(Value) < SignedT(Old) : Value < Old;
  switch (O) {
  case AtomOp::Add:
    return Old + Value;
  case AtomOp::Min:
    return Less ? Value : Old;
  case AtomOp::Max:
    return Less ? Old : Value;
  case AtomOp::Inc:
    return Old >= Value ? 0 : Old + 1;
  case AtomOp::Dec:
    return Old == 0 || Old > Value ? Value : Old - 1;
  case AtomOp::And:
    return Old & Value;
  case AtomOp::Or:
    return Old | Value;
  case AtomOp::Xor:
    return Old ^ Value;
  case AtomOp::Exchange:
    return Value;
  }
  return Value;
}

/// Add, Min or Max of bits of a format.
inline uint64_t applyToFloat(AtomOp O, uint64_t Old, uint64_t Value,
                             FloatFormat F) {
  if (O == AtomOp::Add)
    return addBits(Old, Value, F, Rounding::NearestEven);
  return minMaxBits(Old, Value, F, O == AtomOp::Max, /*PropagateNaN=*/false,
                    /*XorSign=*/false);
}

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_ATOMICARITHMETIC_H
