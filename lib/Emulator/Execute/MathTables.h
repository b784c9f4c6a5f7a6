//===- MathTables.h - The tables of the math unit ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What make-math-tables.py writes; docs/math-unit.md says what it is for.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_MATHTABLES_H
#define HEDDLE_LIB_EMULATOR_MATHTABLES_H

#include <cstdint>

namespace heddle::emu::mathtables {

/// Coefficients of a quadratic polynomial in units of 2^-FractionBits.
struct Segment {
  int32_t C0, C1, C2;
};

#include "heddle/Emulator/MathTables.inc"

/// Bits that interpolation keeps below those of the coefficients.
constexpr int GuardBits = 8;
/// Units of an interpolated value are 2^-ValueBits.
constexpr int ValueBits = FractionBits + GuardBits;

} // namespace heddle::emu::mathtables

#endif // HEDDLE_LIB_EMULATOR_MATHTABLES_H
