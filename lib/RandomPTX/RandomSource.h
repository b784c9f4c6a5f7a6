//===- RandomSource.h - The random numbers of a program ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sequence of numbers from a seed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_RANDOMPTX_RANDOMSOURCE_H
#define HEDDLE_LIB_RANDOMPTX_RANDOMSOURCE_H

#include "heddle/Runtime/Random.h"

#include <cstddef>
#include <cstdint>

namespace heddle::random {

class RandomSource {
public:
  explicit RandomSource(uint64_t Seed) : Seed(Seed) {}

  uint64_t bits() { return rt::randomBits(Seed, Index++); }
  /// A number below \p Bound, which is not 0.
  uint64_t below(uint64_t Bound) { return bits() % Bound; }
  /// A number from \p Low to \p High, both included.
  uint64_t from(uint64_t Low, uint64_t High) {
    return Low + below(High - Low + 1);
  }
  bool percent(unsigned Chance) { return below(100) < Chance; }
  /// An element of a list that is not empty.
  template <typename ListT> auto &pick(ListT &&List) {
    return List[size_t(below(std::size(List)))];
  }

private:
  uint64_t Seed, Index = 0;
};

/// A word with as many edge values as random ones.
uint64_t interestingWord(RandomSource &R);

} // namespace heddle::random

#endif // HEDDLE_LIB_RANDOMPTX_RANDOMSOURCE_H
