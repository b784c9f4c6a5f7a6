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
#include <optional>
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

/// What the timing model can leave out of a launch.
enum class Limiter : uint8_t {
#define HEDDLE_LIMITER(Enumerator, Name, Without) Enumerator,
#include "heddle/Runtime/Limiters.def"
};
constexpr unsigned NumLimiters = 0
#define HEDDLE_LIMITER(Enumerator, Name, Without) +1
#include "heddle/Runtime/Limiters.def"
    ;

/// The name in reports, such as `bank-conflicts`; and what a launch is like
/// without it.
llvm::StringRef limiterName(Limiter L);
llvm::StringRef limiterWithout(Limiter L);

/// A set of limiters.
class LimiterSet {
public:
  LimiterSet() = default;
  LimiterSet(Limiter L) : Bits(uint32_t(1) << uint32_t(L)) {}
  bool contains(Limiter L) const { return Bits >> uint32_t(L) & 1; }
  bool any() const { return Bits != 0; }

private:
  uint32_t Bits = 0;
};

/// Warp cycles by state.
using StallCycles = std::array<uint64_t, NumStallReasons>;

/// What requests of one kind of memory came to.
struct AccessProfile {
  uint64_t Requests = 0;
  uint64_t Wavefronts = 0;
  uint64_t Sectors = 0; ///< 0 for shared memory.
  /// Sectors that would hold the bytes that the threads asked for.
  uint64_t IdealSectors = 0;
  uint64_t Hits = 0; ///< Sectors that the L1 cache had.
  /// Wavefronts that the same threads' accesses to consecutive words would not
  /// have taken: bank conflicts and bad coalescing.
  uint64_t Conflicts = 0;

  AccessProfile &operator+=(const AccessProfile &O) {
    Requests += O.Requests;
    Wavefronts += O.Wavefronts;
    Sectors += O.Sectors;
    IdealSectors += O.IdealSectors;
    Hits += O.Hits;
    Conflicts += O.Conflicts;
    return *this;
  }
};

/// What a launch moved over the link to another device.
struct LinkUse {
  unsigned Peer = 0; ///< Its ordinal.
  uint64_t ReadBytes = 0, WrittenBytes = 0;
};

/// What happened behind the cores.
struct MemoryProfile {
  AccessProfile GlobalLoads, GlobalStores, LocalLoads, LocalStores;
  AccessProfile GlobalAtomics, GlobalReductions;
  AccessProfile SharedLoads, SharedStores, SharedAtomics;
  uint64_t L2Reads = 0, L2Writes = 0; ///< Sectors, atomics among the writes.
  uint64_t L2ReadHits = 0, L2WriteHits = 0;
  uint64_t DRAMReadBytes = 0, DRAMWriteBytes = 0;
  std::vector<LinkUse> Links; ///< Those that were used.
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
  /// As Threads, with the threads whose guard did not hold.
  uint64_t ActiveThreads = 0;
  /// Of conditional and indirect branches, how often they were issued, and how
  /// often the threads went to more than one place.
  uint64_t Branches = 0, DivergentBranches = 0;
  /// Warp cycles up to its issue, since the warp's instruction before.
  StallCycles States = {};
  AccessProfile Global, Local, Shared; ///< By memory.
  /// Of a load from global memory, whether all that reads its value are stores
  /// to shared memory.
  bool IsStaged = false;
  /// Of a barrier, whether no accesses of the launch needed it. Found if the
  /// model was asked to.
  bool OrdersNothing = false;

  AccessProfile access() const {
    AccessProfile Sum = Global;
    Sum += Local;
    return Sum += Shared;
  }
};

/// What units did in some cycles of a launch.
struct ActivitySample {
  uint64_t DRAMBytes = 0;    ///< Read and written.
  uint64_t L2Sectors = 0;    ///< Read and written.
  uint64_t MatrixCycles = 0; ///< Of all schedulers' matrix pipes, busy ones.

  ActivitySample &operator+=(const ActivitySample &O) {
    DRAMBytes += O.DRAMBytes;
    L2Sectors += O.L2Sectors;
    MatrixCycles += O.MatrixCycles;
    return *this;
  }
};

/// A launch over time. The last sample ends with the launch.
struct ActivityProfile {
  uint64_t CyclesPerSample = 0;
  std::vector<ActivitySample> Samples;
};

/// When a warp was resident.
struct WarpSpan {
  uint64_t CTA = 0;  ///< In the grid's linear order.
  uint32_t Warp = 0; ///< In the CTA.
  uint32_t Core = 0;
  uint64_t Begin = 0, End = 0; ///< Cycles; End is the first after it.
};

/// What was launched.
struct LaunchFootprint {
  uint64_t CTAs = 0;
  uint32_t ThreadsPerCTA = 0, CTAsPerCluster = 1;
  uint32_t Registers = 0;                                 ///< Of a thread.
  uint32_t StaticSharedBytes = 0, DynamicSharedBytes = 0; ///< Of a CTA.
  uint32_t LocalBytes = 0;                                ///< Of a thread.
  /// Bytes that the spill code in the kernel's text stores and loads.
  uint32_t SpillStoreBytes = 0, SpillLoadBytes = 0;
};

/// What the part of a launch that was timed says of the whole.
struct SampleEstimate {
  uint64_t TimedCTAs = 0, CTAs = 0;
  uint64_t Cycles = 0; ///< Of the whole launch, as estimated.
  /// The whole takes Cycles, give or take this many, with a confidence of 95 %.
  uint64_t Error = 0;
};

/// All counts are of the CTAs that were timed, which are all unless there is a
/// SampleEstimate.
struct LaunchProfile {
  uint64_t Cycles = 0; ///< From the first dispatch to the last result.
  std::optional<SampleEstimate> Sample;
  uint32_t Cores = 0, SchedulersPerCore = 0, ClockMHz = 0, WarpsPerCore = 0;
  uint32_t SectorBytes = 0;
  uint32_t DRAMBytesPerCycle = 0, L2BytesPerCycle = 0; ///< At most.
  uint32_t CoreL2BytesPerCycle = 0;                    ///< Each way.
  uint32_t L1Bytes = 0; ///< Of a core, with shared memory.
  uint64_t L2Bytes = 0;
  /// Cycles in which a core has a warp, summed over the cores.
  uint64_t ActiveCycles = 0;
  uint64_t WarpCycles = 0;
  uint64_t Issued = 0;  ///< Warp instructions.
  uint64_t Threads = 0; ///< Thread instructions.
  /// As Threads, with the threads whose guard did not hold.
  uint64_t ActiveThreads = 0;
  uint64_t Branches = 0, DivergentBranches = 0; ///< See InstructionProfile.
  LaunchFootprint Shape;
  Occupancy Theoretical;
  StallCycles States = {}; ///< Their sum is WarpCycles.
  std::vector<PipeProfile> Pipes;
  MemoryProfile Memory;
  ActivityProfile Activity;
  /// The issued ones, in the order of the code.
  std::vector<InstructionProfile> Instructions;
  /// In the order in which they ended; only if the device was told to.
  std::vector<WarpSpan> Warps;

  /// Of the whole launch, be it timed or estimated.
  uint64_t totalCycles() const { return Sample ? Sample->Cycles : Cycles; }
  double totalSeconds() const {
    return ClockMHz ? double(totalCycles()) / (ClockMHz * 1e6) : 0;
  }
  /// How often the grid fills the chip.
  double waves() const {
    uint64_t Places = uint64_t(Theoretical.CTAsPerCore) * Cores;
    return Places ? double(Shape.CTAs) / Places : 0;
  }
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

/// What was timed of how much, and what it says of the whole; in one line.
std::string describe(const SampleEstimate &S);

/// The profile for people: cycles, states, pipes and memory.
void printProfile(llvm::raw_ostream &OS, const LaunchProfile &Profile);

/// The same for programs, with each instruction; docs/timing.md describes it.
llvm::json::Object profileJSON(const LaunchProfile &Profile);

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_PROFILE_H
