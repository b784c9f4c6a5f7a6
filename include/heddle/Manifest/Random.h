//===- Random.h - The numbers of a manifest's random data -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element I of a buffer with {"random": {...}} depends on the seed and on I
// alone, so any part can be made on its own and by any tool. The bits are the
// SplitMix64 sequence (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number
// Generators", OOPSLA 2014). docs/launch-manifest.md describes it for others.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_MANIFEST_RANDOM_H
#define HEDDLE_MANIFEST_RANDOM_H

#include "heddle/Support/RandomGenerator.h"

#include <cstdint>

namespace heddle::rt {

/// A number from \p Low to \p High: Low + (High - Low) * U with U in [0, 1)
/// from the upper 53 bits. Each operation rounds to double.
inline double randomReal(uint64_t Seed, uint64_t Index, double Low,
                         double High) {
#ifdef __clang__
#pragma clang fp contract(off)
#endif
  double U = randomFraction(randomBits(Seed, Index));
  double Scaled = (High - Low) * U;
  return Low + Scaled;
}

/// Element \p Index of a sequence: Start + Step * Index. Each operation rounds
/// to double.
inline double iotaReal(uint64_t Index, double Start, double Step) {
#ifdef __clang__
#pragma clang fp contract(off)
#endif
  double Distance = Step * double(Index);
  return Start + Distance;
}

/// An integer from \p Low to \p High, both included, in two's complement: the
/// bits modulo the number of values. Low must not be above High.
inline uint64_t randomInteger(uint64_t Seed, uint64_t Index, uint64_t Low,
                              uint64_t High) {
  uint64_t Bits = randomBits(Seed, Index);
  uint64_t Count = High - Low + 1; // 0 stands for 2^64
  return Low + (Count ? Bits % Count : Bits);
}

} // namespace heddle::rt

#endif // HEDDLE_MANIFEST_RANDOM_H
