//===- PeerRoutes.cpp - Links to other devices, in time ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who has a block is looked up once for the sectors of the block.
//
//===----------------------------------------------------------------------===//

#include "PeerRoutes.h"
#include "../Memory.h"

namespace heddle::emu {

/// Cycles are the chip's; rates are kept in kilobytes a second, so that a
/// product with them fits.
PeerRoute::PeerRoute(const PeerLink &Link, const isa::ChipInfo &Chip)
    : In(uint64_t(Chip.SectorBytes) * Chip.ClockMHz * 1000,
         std::max<uint64_t>(1, Link.BytesPerSecond / 1000)),
      Out(In), Latency(uint64_t(Link.LatencyNs) * Chip.ClockMHz / 1000),
      L2Latency(Chip.L2Latency) {}

PeerRoutes::PeerRoutes(const DeviceMemory &Blocks, const isa::ChipInfo &Chip)
    : Blocks(Blocks), SectorBytes(Chip.SectorBytes) {
  for (const auto &[Ordinal, Link] : Blocks.links())
    Routes.try_emplace(Ordinal, Link, Chip);
}

void PeerRoutes::find(uint64_t Sector) {
  const Allocation *A = Blocks.findAny(Sector * SectorBytes);
  if (!A) { // Local memory, and what is only fetched in advance.
    First = Last = Sector;
    Found = nullptr;
    return;
  }
  First = A->Base / SectorBytes;
  Last = (A->Base + A->Reach - 1) / SectorBytes;
  auto It = Routes.find(A->Owner);
  Found = It == Routes.end() ? nullptr : &It->second;
}

std::vector<rt::LinkUse> PeerRoutes::uses() const {
  std::vector<rt::LinkUse> Uses;
  for (const auto &[Ordinal, R] : Routes)
    if (R.sectorsRead() || R.sectorsSent())
      Uses.push_back({Ordinal, R.sectorsRead() * SectorBytes,
                      R.sectorsSent() * SectorBytes});
  return Uses;
}

Cycle PeerRoutes::end() const {
  Cycle Last = 0;
  for (const auto &[Ordinal, Route] : Routes)
    Last = std::max(Last, Route.end());
  return Last;
}

} // namespace heddle::emu
