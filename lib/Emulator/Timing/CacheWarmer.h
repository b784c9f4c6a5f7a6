//===- CacheWarmer.h - Caches of what is not timed --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows clusters that are executed outside of time, so that L2 holds what it
// would hold if they had been timed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_CACHEWARMER_H
#define HEDDLE_LIB_EMULATOR_TIMING_CACHEWARMER_H

#include "../Cluster.h"
#include "MemorySystem.h"

namespace heddle::emu {

class CacheWarmer : public Checker {
public:
  explicit CacheWarmer(ChipMemory &Memory) : Memory(Memory) {}

  void issue(Warp &W, const DecodedInst &I, LaneMask Exec) override {
    AccessInfo Info = accessInfo(I);
    bool IsShared = !Info.IsGeneric && Info.Space == AccessSpace::Shared;
    if (!Info.IsAccess || !Exec || IsShared)
      return;
    for (const Request &R : requestsOf(W, I, Info, Exec))
      for (uint64_t Sector : R.Sectors)
        Memory.warm(Sector, R.Kind != AccessKind::Load);
  }

private:
  ChipMemory &Memory;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_CACHEWARMER_H
