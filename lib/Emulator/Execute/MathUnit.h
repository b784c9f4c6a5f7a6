//===- MathUnit.h - Approximate functions -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of MUFU by quadratic interpolation in tables, as
// docs/math-unit.md describes it, inside the errors that PTX allows its .approx
// family.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_MATHUNIT_H
#define HEDDLE_LIB_EMULATOR_MATHUNIT_H

#include "heddle/ISA/ISA.h"

#include <cstdint>

namespace heddle::emu {

using isa::MufuFn;

/// The value at the single-precision \p Bits. With \p Ftz, subnormal arguments
/// and results are replaced by zeros of their sign.
uint32_t evaluate(MufuFn Fn, uint32_t Bits, bool Ftz);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_MATHUNIT_H
