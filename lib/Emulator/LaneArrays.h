//===- LaneArrays.h - Arrays with an element for each lane ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over all lanes, as vector code for the best instruction set that the
// host has (Vector/VectorLanes.inc).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_LANEARRAYS_H
#define HEDDLE_LIB_EMULATOR_LANEARRAYS_H

#include "Decoder.h"

namespace heddle::emu {

/// Of one instruction set.
struct LaneFunctions {
  LaneMask (*Equal)(const uint32_t *Array, uint32_t Value, uint32_t Of);
  uint32_t (*Least)(const uint32_t *Array, LaneMask Lanes);
  void (*Set)(uint32_t *Array, LaneMask Lanes, uint32_t Value);
};

/// Those for this host.
const LaneFunctions &laneFunctions();

/// The lanes whose element, of which only the bits of \p Of count, is \p Value.
inline LaneMask lanesEqual(const uint32_t *Array, uint32_t Value,
                           uint32_t Of = ~uint32_t(0)) {
  return laneFunctions().Equal(Array, Value, Of);
}

/// The least element of \p Lanes; all ones if there are none.
inline uint32_t leastOf(const uint32_t *Array, LaneMask Lanes) {
  return laneFunctions().Least(Array, Lanes);
}

/// Gives the elements of \p Lanes a value.
inline void setLanes(uint32_t *Array, LaneMask Lanes, uint32_t Value) {
  laneFunctions().Set(Array, Lanes, Value);
}

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_LANEARRAYS_H
