//===- MemorySystem.h - Caches and memory in time ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each unit with a bandwidth is a queue in which a transfer starts when the
// ones before it are through; latencies come on top. Calls come in the order of
// time, so a transfer's end is known when it begins, and nothing has to be
// simulated cycle by cycle.
//
// L2 may be two halves, each of which is the home of half of the lines. A core
// reaches the other one through its own, which keeps a copy of what is read
// there. What is written goes to the home, and ends the copy. Cores may share a
// port to L2, which joins reads of a sector that are under way.
//
// No warp waits for stores, so the queues of stores are bounded: a buffer
// holds what goes through its unit in the unit's latency, and one that is full
// stops what is before it, up to the warps.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_MEMORYSYSTEM_H
#define HEDDLE_LIB_EMULATOR_TIMING_MEMORYSYSTEM_H

#include "AccessPattern.h"
#include "ActivityLog.h"
#include "Cache.h"
#include "Channel.h"
#include "PeerRoutes.h"
#include "heddle/Runtime/Profile.h"

#include <vector>

namespace heddle::emu {

/// L2 and DRAM, and links to those of other devices.
class ChipMemory {
public:
  ChipMemory(const isa::ChipInfo &Chip, rt::MemoryProfile &Profile,
             ActivityLog &Activity, const DeviceMemory &Blocks);

  /// The cycle in which the data of a sector that a core asked for in \p When
  /// is there.
  Cycle read(uint64_t Sector, Cycle When, unsigned Core);
  /// When a slice begins with what a core sends, and when it is done.
  struct Times {
    Cycle Start, Done;
  };
  /// A store to a sector.
  Times write(uint64_t Sector, Cycle When, unsigned Core);
  /// Atomic operations on a sector, one word of which is asked for \p Repeats
  /// times.
  Times atomic(uint64_t Sector, unsigned Repeats, Cycle When, unsigned Core);
  /// Has a sector in L2, written or not, without that any time goes by.
  void warm(uint64_t Sector, bool IsWritten);
  /// Between these two calls clusters that are not timed warm L2. The timed
  /// ones then find there what they have used since the last time.
  void beginGap();
  void endGap();
  /// When the last transfer is over.
  Cycle end() const;
  /// What went over links to other devices.
  std::vector<rt::LinkUse> linkUses() const { return Peers.uses(); }

private:
  /// A part of L2 with slices of its own; all of it where L2 is one.
  struct Half {
    SectorCache Lines;
    std::vector<SectorCache::Line> Kept; ///< In a gap.
    uint64_t LastGap = 0;                ///< Its end, in uses of Lines.
  };
  struct MemoryChannel {
    Channel Way; ///< A transfer is a sector.
    bool WroteLast = false;
    unsigned Waiting = 0; ///< Sectors to be written.
  };
  struct Lookup {
    SectorCache::Line *Line;
    unsigned Index; ///< Of the sector in the line.
    bool Hit;
    Cycle Start; ///< When there is room for it.
  };
  /// A read on its way to a port, in the place of its sector.
  struct Pending {
    uint64_t Sector = 0;
    unsigned Core = 0;
    Cycle Done = 0;
  };
  static constexpr size_t PendingOfPort = 512;

  /// The half of L2 that a core reaches first.
  unsigned nearOf(unsigned Core) const {
    return Core / Chip.CoresPerPort % Halves.size();
  }
  unsigned homeOf(uint64_t Sector) const;
  /// What the way from a core's half to the home of a sector takes, there and
  /// back.
  unsigned farCycles(unsigned Home, unsigned Core) const {
    return Home == nearOf(Core) ? 0 : Chip.L2FarCycles;
  }
  Cycle readL2(uint64_t Sector, Cycle When, unsigned Near);
  Lookup lookUp(uint64_t Sector, Cycle When, unsigned Number);
  Cycle fetch(const Lookup &L, uint64_t Sector);
  Cycle readFar(uint64_t Sector, const Lookup &Near, unsigned Home);
  void dropCopy(uint64_t Sector, unsigned Home);
  Channel &sliceOf(uint64_t Sector, unsigned Number);
  MemoryChannel &channelOf(uint64_t Sector);
  void turn(MemoryChannel &Memory, bool Writes);
  void writeBack(MemoryChannel &Memory, unsigned Sectors, Cycle When);

  const isa::ChipInfo &Chip;
  rt::MemoryProfile &Profile;
  ActivityLog &Activity;
  unsigned SectorsPerLine;
  std::vector<Half> Halves;
  std::vector<Pending> Reads;  ///< Port by port; empty if none are joined.
  std::vector<Channel> Slices; ///< Half by half. A transfer is a sector.
  std::vector<MemoryChannel> Channels;
  uint64_t TurnTicks; ///< Of a channel, between directions.
  PeerRoutes Peers;
};

/// The memory unit of a core: its L1 cache, its shared memory, and the way to
/// L2.
class CoreMemory {
public:
  /// That of core \p Number. \p L1Bytes is what shared memory leaves.
  CoreMemory(const isa::ChipInfo &Chip, unsigned Number, ChipMemory &Behind,
             rt::MemoryProfile &Profile, uint64_t L1Bytes);

  struct Times {
    Cycle SourcesRead; ///< From which the registers may be overwritten.
    Cycle Done;        ///< From which a reader of the result may issue.
  };
  /// Carries out a request that issues in \p Now. \p Coherent: past the L1
  /// cache. \p HitLatency is that of its class. Adds to \p Counts.
  Times access(const Request &R, Cycle Now, bool Coherent, unsigned HitLatency,
               rt::AccessProfile &Counts);
  /// Brings lines, by number, into L2 and, with \p IntoL1, that cache, for a
  /// hint that issues in \p Now. No warp waits for them.
  void prefetch(llvm::ArrayRef<uint64_t> Lines, Cycle Now, bool IntoL1);
  /// Moves a sector between shared and global memory, past L1 and beside the
  /// data path of loads and stores. Returns when it is there.
  Cycle stream(uint64_t Sector, bool Writes, Cycle When) {
    if (!Writes)
      return Behind.read(Sector, FromL2.take(When), Number);
    Cycle Sent = ToL2.take(When);
    return accepted(Behind.write(Sector, Sent, Number), Sent);
  }
  /// The first cycle in which the unit accepts another request.
  Cycle acceptsFrom() const {
    return FreeAt > Chip.MemoryQueueCycles ? FreeAt - Chip.MemoryQueueCycles
                                           : 0;
  }

private:
  unsigned cyclesOf(const Request &R);
  Cycle load(const Request &R, Cycle Start, unsigned Cycles, bool Coherent,
             unsigned HitLatency, rt::AccessProfile &Counts);
  Cycle loadSector(uint64_t Sector, Cycle When, bool Coherent,
                   unsigned HitLatency, rt::AccessProfile &Counts);
  Cycle bringToL1(uint64_t Sector, SectorCache::Line &Line, Cycle When);
  Cycle send(const Request &R, Cycle Start);
  Cycle accepted(ChipMemory::Times T, Cycle Sent);

  const isa::ChipInfo &Chip;
  ChipMemory &Behind;
  rt::MemoryProfile &Profile;
  unsigned Number; ///< Of the core.
  unsigned SectorsPerLine;
  SectorCache L1;
  Channel FromL2, ToL2; ///< A transfer is a sector.
  Cycle FreeAt = 0;     ///< Of the data path.
  unsigned Lookups = 0; ///< That are not yet a cycle.
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_MEMORYSYSTEM_H
