//===- LaneArrays.h - Arrays with an element for each lane ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over all lanes, without branches, so that compilers make vector code of
// them for any host.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_LANEARRAYS_H
#define HEDDLE_LIB_EMULATOR_LANEARRAYS_H

#include "Decoder.h"

#include <algorithm>

namespace heddle::emu {

/// The lanes whose element, of which only the bits of \p Of count, is \p Value.
inline LaneMask lanesEqual(const uint32_t *Array, uint32_t Value,
                           uint32_t Of = ~uint32_t(0)) {
  LaneMask Result = 0;
  for (unsigned L = 0; L < WarpSize; ++L)
    Result |= LaneMask((Array[L] & Of) == Value) << L;
  return Result;
}

/// All ones if a lane is not in a mask, else zero.
inline uint32_t onesUnless(LaneMask Lanes, unsigned Lane) {
  return (Lanes >> Lane & 1) - 1;
}

/// The least element of \p Lanes; all ones if there are none.
inline uint32_t leastOf(const uint32_t *Array, LaneMask Lanes) {
  uint32_t Least = ~uint32_t(0);
  for (unsigned L = 0; L < WarpSize; ++L)
    Least = std::min(Least, Array[L] | onesUnless(Lanes, L));
  return Least;
}

/// Gives the elements of \p Lanes a value.
inline void setLanes(uint32_t *Array, LaneMask Lanes, uint32_t Value) {
  for (unsigned L = 0; L < WarpSize; ++L) {
    uint32_t Keep = onesUnless(Lanes, L);
    Array[L] = (Array[L] & Keep) | (Value & ~Keep);
  }
}

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_LANEARRAYS_H
