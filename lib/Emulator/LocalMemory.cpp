//===- LocalMemory.cpp - Local memory of a CTA's threads --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills the parts of threads' memory that are touched first.
//
//===----------------------------------------------------------------------===//

#include "LocalMemory.h"
#include "Memory.h"

#include <bit>

namespace heddle::emu {

LocalMemory::LocalMemory(uint64_t Warps, uint64_t ThreadBytes)
    : ThreadBytes(ThreadBytes), Data(std::make_unique_for_overwrite<uint8_t[]>(
                                    Warps * WarpSize * ThreadBytes)),
      Filled(Warps) {
  while (ThreadBytes > uint64_t(MostParts) << PartShift)
    ++PartShift;
}

void LocalMemory::fill(unsigned Warp, uint64_t Parts) {
  Filled[Warp] |= Parts;
  for (; Parts; Parts &= Parts - 1) {
    uint64_t Begin = uint64_t(std::countr_zero(Parts)) << PartShift;
    uint64_t End = std::min(Begin + (uint64_t(1) << PartShift), ThreadBytes);
    for (unsigned Lane = 0; Begin < End && Lane != WarpSize; ++Lane)
      poison(start(Warp) + Lane * ThreadBytes + Begin, End - Begin);
  }
}

} // namespace heddle::emu
