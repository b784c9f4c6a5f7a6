//===- NarrowTypes.h - Types of at most 8 bits ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The floating-point types of at most 8 bits that conversions have.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FORMS_NARROWTYPES_H
#define HEDDLE_TEST_FORMS_NARROWTYPES_H

#include "Arithmetic.h"

namespace heddle::forms {

/// A type of at most 8 bits; an element of a pair takes Field bits.
struct NarrowType {
  const char *Name;
  const FloatFormat *F;
  unsigned Field;
};

inline constexpr NarrowType NarrowTypes[] = {{"e4m3", &E4M3, 8},
                                             {"e5m2", &E5M2, 8},
                                             {"e3m2", &E3M2, 8},
                                             {"e2m3", &E2M3, 8},
                                             {"e2m1", &E2M1, 4}};

} // namespace heddle::forms

#endif // HEDDLE_TEST_FORMS_NARROWTYPES_H
