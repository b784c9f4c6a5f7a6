//===- Profile.h - Where the cycles of a launch went ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a device that counts cycles says of a launch. All counts are of the
// whole launch and sums over the cores unless a comment says otherwise.
//
// Words used below:
// - A *warp cycle* is a cycle in which a warp is resident. Each has one state:
//   the warp issues, or there is one reason why it does not.
// - A *request* is a memory instruction of a warp; it is split into *sectors*,
//   the unit of caches and memory, and takes a *wavefront* for each cycle in
//   which it occupies the data path of its core.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_PROFILE_H
#define HEDDLE_RUNTIME_PROFILE_H

#include "heddle/Runtime/Occupancy.h"
#include "llvm/Support/JSON.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::rt {

/// The state of a resident warp in a cycle.
enum class StallReason : uint8_t {
#define HEDDLE_STALL(Enumerator, Name, Meaning) Enumerator,
#include "heddle/Runtime/StallReasons.def"
};
constexpr unsigned NumStallReasons = 0
#define HEDDLE_STALL(Enumerator, Name, Meaning) +1
#include "heddle/Runtime/StallReasons.def"
    ;

/// The name in reports, such as `long_scoreboard`; and what the warp waits for.
llvm::StringRef stallReasonName(StallReason Reason);
llvm::StringRef stallReasonMeaning(StallReason Reason);

/// Warp cycles by state.
using StallCycles = std::array<uint64_t, NumStallReasons>;

/// What requests of one kind of memory came to.
struct AccessProfile {
  uint64_t Requests = 0;
  uint64_t Wavefronts = 0;
  uint64_t Sectors = 0; ///< 0 for shared memory.
  uint64_t Hits = 0;    ///< Sectors that the L1 cache had.
  /// Wavefronts that the same threads' accesses to consecutive words would not
  /// have taken: bank conflicts and bad coalescing.
  uint64_t Conflicts = 0;

  AccessProfile &operator+=(const AccessProfile &O) {
    Requests += O.Requests;
    Wavefronts += O.Wavefronts;
    Sectors += O.Sectors;
    Hits += O.Hits;
    Conflicts += O.Conflicts;
    return *this;
  }
};

/// What happened behind the cores.
struct MemoryProfile {
  AccessProfile GlobalLoads, GlobalStores, LocalLoads, LocalStores;
  AccessProfile GlobalAtomics;
  AccessProfile SharedLoads, SharedStores, SharedAtomics;
  uint64_t L2Reads = 0, L2Writes = 0; ///< Sectors, atomics among the writes.
  uint64_t L2ReadHits = 0, L2WriteHits = 0;
  uint64_t DRAMReadBytes = 0, DRAMWriteBytes = 0;
};

/// An execution pipe of the schedulers.
struct PipeProfile {
  std::string Name; ///< As isa-defs/ names it.
  uint64_t Issued = 0;
  uint64_t BusyCycles = 0; ///< Of all schedulers' pipes of this name.
};

/// One instruction of the code.
struct InstructionProfile {
  std::string Section; ///< Of the code object.
  uint64_t PC = 0;     ///< Bytes from the start of the section.
  std::string Mnemonic;
  std::string SourceFile; ///< From line information; empty if unknown.
  uint32_t SourceLine = 0;
  uint64_t Issued = 0;  ///< By warps.
  uint64_t Threads = 0; ///< The same, times the threads that executed it.
  /// Warp cycles up to its issue, since the warp's instruction before.
  StallCycles States = {};
  AccessProfile Access;
};

/// When a warp was resident.
struct WarpSpan {
  uint64_t CTA = 0;  ///< In the grid's linear order.
  uint32_t Warp = 0; ///< In the CTA.
  uint32_t Core = 0;
  uint64_t Begin = 0, End = 0; ///< Cycles; End is the first after it.
};

struct LaunchProfile {
  uint64_t Cycles = 0; ///< From the first dispatch to the last result.
  uint32_t Cores = 0, SchedulersPerCore = 0, ClockMHz = 0, WarpsPerCore = 0;
  uint32_t SectorBytes = 0;
  uint32_t DRAMBytesPerCycle = 0, L2BytesPerCycle = 0; ///< At most.
  /// Cycles in which a core has a warp, summed over the cores.
  uint64_t ActiveCycles = 0;
  uint64_t WarpCycles = 0;
  uint64_t Issued = 0;  ///< Warp instructions.
  uint64_t Threads = 0; ///< Thread instructions.
  Occupancy Theoretical;
  StallCycles States = {}; ///< Their sum is WarpCycles.
  std::vector<PipeProfile> Pipes;
  MemoryProfile Memory;
  /// Those that were issued, in the order of the code.
  std::vector<InstructionProfile> Instructions;
  /// In the order in which they ended; only if the device was told to.
  std::vector<WarpSpan> Warps;

  /// Warps resident on an active core, on average.
  double achievedWarps() const {
    return ActiveCycles ? double(WarpCycles) / ActiveCycles : 0;
  }
  /// Of the issue slots of active cores, the part that was used.
  double issueUtilisation() const {
    uint64_t Slots = ActiveCycles * SchedulersPerCore;
    return Slots ? double(Issued) / Slots : 0;
  }
  double seconds() const {
    return ClockMHz ? double(Cycles) / (ClockMHz * 1e6) : 0;
  }
  uint64_t dramBytes() const {
    return Memory.DRAMReadBytes + Memory.DRAMWriteBytes;
  }
};

/// The profile for people: cycles, states, pipes and memory.
void printProfile(llvm::raw_ostream &OS, const LaunchProfile &Profile);

/// The same for programs, with each instruction; docs/timing.md describes it.
llvm::json::Object profileJSON(const LaunchProfile &Profile);

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_PROFILE_H
