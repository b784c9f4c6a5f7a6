//===- Random.h - Pseudo-random choices of a launch -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choices that a seed makes: of schedules and of the values that weakly
// ordered loads return. The sequence is SplitMix64.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_RANDOM_H
#define HEDDLE_LIB_EMULATOR_RANDOM_H

#include <cstdint>

namespace heddle::emu {

class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed) {}

  uint64_t next() {
    uint64_t Z = State += 0x9E3779B97F4A7C15;
    Z = (Z ^ (Z >> 30)) * 0xBF58476D1CE4E5B9;
    Z = (Z ^ (Z >> 27)) * 0x94D049BB133111EB;
    return Z ^ (Z >> 31);
  }
  /// A number less than \p Bound, which is not zero.
  uint64_t below(uint64_t Bound) { return next() % Bound; }

private:
  uint64_t State;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_RANDOM_H
