//===- Lengths.cpp - How lines of a length are transformed ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factors of lengths.
//
//===----------------------------------------------------------------------===//

#include "FFT/Lengths.h"
#include "FFT/Parameters.h"

#include <cmath>

using namespace llvm;
using namespace heddle::cuda;

std::optional<SmallVector<uint32_t, 16>> fft::radicesOf(uint64_t Length) {
  SmallVector<uint32_t, 16> Radices;
  for (uint32_t Radix : PassRadices) {
    for (; Length % Radix == 0; Length /= Radix)
      Radices.push_back(Radix);
  }
  if (Length != 1)
    return std::nullopt;
  return Radices;
}

std::optional<std::pair<uint32_t, uint32_t>> fft::splitOf(uint64_t Length,
                                                          uint32_t Limit) {
  if (Length > uint64_t(Limit) * Limit)
    return std::nullopt;
  for (auto Factor = uint64_t(std::sqrt(double(Length))); Factor > 1;
       --Factor) {
    if (Length / Factor > Limit)
      return std::nullopt;
    if (Length % Factor == 0)
      return std::pair(uint32_t(Length / Factor), uint32_t(Factor));
  }
  return std::nullopt;
}

/// Of lengths that have no factors but 2, 3 and 5 there is one soon.
static bool isProductOfSmall(uint64_t Length) {
  for (uint32_t Factor : {2, 3, 5})
    while (Length % Factor == 0)
      Length /= Factor;
  return Length == 1;
}

std::optional<uint32_t> fft::nextLength(uint64_t Least, uint32_t Limit) {
  for (uint64_t Length = Least; Length <= uint64_t(Limit) * Limit; ++Length) {
    if (isProductOfSmall(Length) && (Length <= Limit || splitOf(Length, Limit)))
      return uint32_t(Length);
  }
  return std::nullopt;
}
