//===- MinMax.h - Minimum and maximum of floats -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manual's two_inputs_min, and the same for max, in any format.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FORMS_MINMAX_H
#define HEDDLE_TEST_FORMS_MINMAX_H

#include "Arithmetic.h"

namespace heddle::forms {

/// A NaN loses against a number, or wins with \p NaN; -0 is less than +0.
inline uint64_t minMax(uint64_t A, uint64_t B, const FloatFormat &F, bool Max,
                       bool NaN) {
  if (F.isNaN(A) || F.isNaN(B)) {
    if (NaN || (F.isNaN(A) && F.isNaN(B)))
      return F.CanonicalNaN;
    return F.isNaN(A) ? B : A;
  }
  int Order = floatCompare(A, B, F);
  if (Order == 0)
    return (F.isNegative(A) != Max) ? A : B;
  return ((Order < 0) != Max) ? A : B;
}

/// Of the magnitudes, with the exclusive or of both signs.
inline uint64_t minMaxXorSign(uint64_t A, uint64_t B, const FloatFormat &F,
                              bool Max, bool NaN) {
  uint64_t V = minMax(F.magnitude(A), F.magnitude(B), F, Max, NaN);
  return F.isNaN(V) ? V : F.magnitude(V) | ((A ^ B) & F.signBit());
}

} // namespace heddle::forms

#endif // HEDDLE_TEST_FORMS_MINMAX_H
