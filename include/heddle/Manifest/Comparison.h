//===- Comparison.h - Found against expected data ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares arrays of scalars element by element and keeps the first mismatches.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_MANIFEST_COMPARISON_H
#define HEDDLE_MANIFEST_COMPARISON_H

#include "heddle/Manifest/ElementType.h"
#include <vector>

namespace heddle::rt {

/// When a found element counts as the expected one. Without a bound only the
/// same bits do. With one, elements with the same bits or the same value match,
/// infinities only themselves, and of the others
/// - Ulp: those at most so many representable numbers apart;
/// - Relative and Absolute: those with |found - expected| <= Absolute +
///   Relative * |expected|, a missing bound being 0.
/// For integers the difference itself is the distance in all three.
struct Tolerance {
  std::optional<double> Relative, Absolute;
  std::optional<uint64_t> Ulp;
  /// Any NaN matches any NaN. Without it a NaN matches its own bits only.
  bool AnyNaN = false;
};

/// Whether an element with bits \p Found is as good as \p Expected.
bool matches(ElementType Type, uint64_t Expected, uint64_t Found,
             const Tolerance &Bound);

struct Mismatch {
  uint64_t Index = 0; ///< Of the element, from the start of the comparison.
  uint64_t Expected = 0, Found = 0; ///< Bits.
};

struct Comparison {
  static constexpr size_t MaxKept = 8;

  uint64_t Compared = 0;       ///< Elements.
  uint64_t Mismatched = 0;     ///< Elements.
  std::vector<Mismatch> First; ///< The first MaxKept mismatches.
};

/// Compares the next elements of a longer array; both parts have the same size,
/// a multiple of the element's. Indices go on from what \p Result holds.
void compareMore(ElementType Type, llvm::ArrayRef<uint8_t> Expected,
                 llvm::ArrayRef<uint8_t> Found, const Tolerance &Bound,
                 Comparison &Result);

} // namespace heddle::rt

#endif // HEDDLE_MANIFEST_COMPARISON_H
