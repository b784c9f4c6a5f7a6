//===- RandomGenerator.h - Random numbers from a seed -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one source of random numbers: initial data of buffers, schedules of the
// emulator, searches of the tuner, random programs. The sequence is SplitMix64
// (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators",
// OOPSLA 2014), the same with every standard library; docs/launch-manifest.md
// describes it for others.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_RANDOMGENERATOR_H
#define HEDDLE_SUPPORT_RANDOMGENERATOR_H

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace heddle {

/// The output number \p Index, from 0, of SplitMix64 started with \p Seed.
constexpr uint64_t randomBits(uint64_t Seed, uint64_t Index) {
  uint64_t Z = Seed + (Index + 1) * 0x9E3779B97F4A7C15;
  Z = (Z ^ (Z >> 30)) * 0xBF58476D1CE4E5B9;
  Z = (Z ^ (Z >> 27)) * 0x94D049BB133111EB;
  return Z ^ (Z >> 31);
}

/// The upper 53 of 64 random bits as a number from 0 up to, and without, 1.
constexpr double randomFraction(uint64_t Bits) {
  return static_cast<double>(Bits >> 11) * 0x1p-53;
}

/// A sequence of numbers from a seed: every seed gives a good one.
class RandomGenerator {
public:
  explicit RandomGenerator(uint64_t Seed) : Seed(Seed) {}

  uint64_t next() { return randomBits(Seed, Index++); }
  /// A number below \p Bound, which is not 0.
  uint64_t below(uint64_t Bound) { return next() % Bound; }
  /// A number from \p Low to \p High, both included.
  uint64_t from(uint64_t Low, uint64_t High) {
    return Low + below(High - Low + 1);
  }
  /// True \p Chance times of 100.
  bool percent(unsigned Chance) { return below(100) < Chance; }
  /// A number from 0 up to, and without, 1.
  double fraction() { return randomFraction(next()); }
  /// An element of a list that is not empty.
  template <typename ListT> auto &pick(ListT &&List) {
    return List[static_cast<size_t>(below(std::size(List)))];
  }

private:
  uint64_t Seed, Index = 0;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_RANDOMGENERATOR_H
