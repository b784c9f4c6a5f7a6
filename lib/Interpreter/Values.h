//===- Values.h - Register contents as numbers ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register's content is a 128-bit word whose bits above the register's width
// are zero.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_INTERPRETER_VALUES_H
#define HEDDLE_LIB_INTERPRETER_VALUES_H

#include "heddle/Dialect/PTX/PTX.h"

namespace heddle::interp {

using Bits = unsigned __int128;
using SignedBits = __int128;
using ptxir::ScalarType;

/// The low \p Width bits.
inline Bits lowBits(Bits Value, unsigned Width) {
  return Width >= 128 ? Value : Value & ((Bits(1) << Width) - 1);
}

/// The low \p Width bits, 1 to 128, as a two's complement number.
inline SignedBits signedValue(Bits Value, unsigned Width) {
  unsigned Unused = 128 - Width;
  return static_cast<SignedBits>(Value << Unused) >> Unused;
}

/// The number that a register holds of an integer type; bits are unsigned.
inline SignedBits integerValue(ScalarType Ty, Bits Value) {
  unsigned Width = ptxir::bitWidth(Ty);
  return ptxir::isSigned(Ty) ? signedValue(Value, Width)
                             : static_cast<SignedBits>(lowBits(Value, Width));
}

/// Smallest and largest number of an integer type of up to 64 bits.
inline SignedBits minOf(ScalarType Ty) {
  return ptxir::isSigned(Ty) ? -(SignedBits(1) << (ptxir::bitWidth(Ty) - 1))
                             : SignedBits(0);
}
inline SignedBits maxOf(ScalarType Ty) {
  return (SignedBits(1) << (ptxir::bitWidth(Ty) - ptxir::isSigned(Ty))) - 1;
}
inline SignedBits clampTo(ScalarType Ty, SignedBits Value) {
  return Value < minOf(Ty) ? minOf(Ty) : Value > maxOf(Ty) ? maxOf(Ty) : Value;
}

} // namespace heddle::interp

#endif // HEDDLE_LIB_INTERPRETER_VALUES_H
