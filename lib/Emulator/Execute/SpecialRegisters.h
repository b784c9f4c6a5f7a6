//===- SpecialRegisters.h - What S2R reads ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The special registers, for the functions that read them lane by lane and as
// vectors.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_SPECIALREGISTERS_H
#define HEDDLE_LIB_EMULATOR_SPECIALREGISTERS_H

#include "Warp.h"

#include <cstdint>

namespace heddle::emu {

/// The numbers of isa-defs/HeddleABI.td.
enum SpecialNumber : unsigned {
  Tid = 0,
  NTid = 3,
  CtaId = 6,
  NCtaId = 9,
  LaneId = 12,
  WarpId,
  NWarpId,
  SmId,
  NSmId,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  Clock,
  ClockHi,
  Clock64,
  GlobalTimer,
  GridId,
  DynamicShared,
  TotalShared,
  IsExplicitCluster,
  AllShared,
  ClusterId = 32,
  NClusterId = 35,
  ClusterCtaId = 38,
  ClusterNCtaId = 41,
  ClusterRank = 44,
  ClusterNRank,
  EnvironmentHigh,
  EnvironmentLow,
  GridTid,
  NGridTid = 51
};

/// Whether it is a thread's number in the grid, along an axis.
inline bool isGridThread(unsigned Number) {
  return Number >= GridTid && Number < NGridTid;
}

/// Whether the lanes of a warp read different values.
inline bool isLaneRegister(unsigned Number) {
  return Number < NTid || Number == LaneId || isGridThread(Number) ||
         (Number >= LaneMaskEq && Number <= LaneMaskGt);
}

/// What all lanes of a warp read at a time from any other register.
uint64_t warpRegister(const Warp &W, unsigned Number);

/// The number in the grid of the CTA's first thread, along an axis.
uint64_t firstGridThread(const Warp &W, unsigned Component);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_SPECIALREGISTERS_H
