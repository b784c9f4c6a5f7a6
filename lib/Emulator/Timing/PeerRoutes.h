//===- PeerRoutes.h - Links to other devices, in time -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sectors of another device's memory come from that device's L2, past the own
// one. A link has each direction for itself. A launch is timed as if it were
// alone; what others do to it is the virtual time's affair.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_PEERROUTES_H
#define HEDDLE_LIB_EMULATOR_TIMING_PEERROUTES_H

#include "Channel.h"
#include "heddle/Emulator/PeerLinks.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Runtime/Profile.h"

#include <map>

namespace heddle::emu {

class DeviceMemory;

/// A link to one other device.
class PeerRoute {
public:
  PeerRoute(const PeerLink &Link, const isa::ChipInfo &Chip);

  /// When a sector is there that is asked for in \p When.
  Cycle read(Cycle When) {
    ++Read;
    return answer(In.take(arrival(When)));
  }
  /// When a sector that is to be written in \p When begins its way.
  Cycle send(Cycle When) {
    ++Sent;
    return Out.take(When);
  }
  /// When the other device's L2 has done what began its way in \p Start.
  Cycle arrival(Cycle Start) const { return Start + Latency + L2Latency; }
  /// When the answer that began its way in \p Start is there.
  Cycle answer(Cycle Start) const { return Start + Latency; }
  Cycle end() const { return std::max(In.end(), Out.end()); }
  uint64_t sectorsRead() const { return Read; }
  uint64_t sectorsSent() const { return Sent; }

private:
  Channel In, Out; ///< A transfer is a sector.
  Cycle Latency;   ///< Of the link, one way.
  Cycle L2Latency;
  uint64_t Read = 0, Sent = 0;
};

/// The links of a device that a launch uses.
class PeerRoutes {
public:
  PeerRoutes(const DeviceMemory &Blocks, const isa::ChipInfo &Chip);

  /// The link to who has a sector; null for memory that is not another
  /// device's.
  PeerRoute *of(uint64_t Sector) {
    if (Routes.empty())
      return nullptr;
    if (Sector < First || Sector > Last)
      find(Sector);
    return Found;
  }
  Cycle end() const;
  /// What was moved, by the link.
  std::vector<rt::LinkUse> uses() const;

private:
  void find(uint64_t Sector);

  const DeviceMemory &Blocks;
  const unsigned SectorBytes;
  std::map<unsigned, PeerRoute> Routes; ///< By the other's ordinal.
  // The last answer, and for which sectors it holds.
  uint64_t First = 1, Last = 0;
  PeerRoute *Found = nullptr;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_PEERROUTES_H
