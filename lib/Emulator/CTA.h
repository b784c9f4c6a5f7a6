//===- CTA.h - A block of threads -------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA: its warps, memories and barriers. One host thread runs it at a time.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_CTA_H
#define HEDDLE_LIB_EMULATOR_CTA_H

#include "Async/ReductionBuffer.h"
#include "LocalMemory.h"
#include "ProbeCounter.h"
#include "Texture/TextureDescriptors.h"
#include "Warp.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/ISA/LaunchConstants.h"
#include "heddle/Object/LineTable.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace heddle::emu {

class DeviceWorkQueue;
class GlobalRaces;
class KernelCode;
class LiveRegisters;
struct CodeDescription;
class PendingClusters;

/// A function that may be called through pointers.
struct LoadedFunction {
  std::string Section; ///< Its name, the same in all code for a module.
  uint64_t Pointer;    ///< What pointers to it hold.
  uint64_t Code;       ///< The address of its first instruction; 0: of none.
};

/// A module as the emulator loads it.
struct LoadedCode : std::enable_shared_from_this<LoadedCode> {
  CodeImage Image;
  std::vector<uint32_t> Entries; ///< PC of each kernel.
  std::vector<rt::KernelInfo> Kernels;
  std::vector<rt::SymbolInfo> Symbols;
  std::vector<uint32_t> SharedBytes;       ///< Static, as laid out, by kernel.
  std::vector<Allocation *> Blocks;        ///< Global memory of the module.
  std::vector<rt::DeviceAddress> Samplers; ///< Variables to hold handles.
  std::shared_ptr<SharedBlock> Managed;    ///< Managed variables, or null.
  Allocation *Constants = nullptr;         ///< Constant bank 3, or null.
  LineTable Lines;                         ///< Of the code object.
  ProbeTable Probes;                       ///< Likewise.
  /// In the order of the entries, if there are some.
  std::vector<LoadedFunction> Functions;
  uint64_t EntryBase = 0;              ///< Of the first entry; 0: none.
  Allocation *FunctionTable = nullptr; ///< isa::FunctionBank, or null.
  std::shared_ptr<const CodeDescription> Description; ///< For a debugger.
  std::mutex HostCodeMutex;
  std::vector<std::shared_ptr<KernelCode>> HostCode; ///< By kernel, or null.
};

/// Fields that host threads write share no cache line with others.
constexpr size_t CacheLineBytes = 64;

/// What all CTAs of a launch share.
struct LaunchContext {
  const LoadedCode &Code;
  const rt::KernelInfo &Kernel;
  const rt::LaunchConfig &Config;
  const isa::ChipInfo &Chip;
  DeviceMemory &Memory;
  const TextureTables &Textures;
  const rt::EndpointTable &Endpoints;
  uint32_t Entry = 0;    ///< PC.
  RegisterUse Used = {}; ///< By the code from there.
  uint32_t StaticSharedBytes = 0;
  uint32_t SharedBytes = 0; ///< With the dynamic part.
  uint32_t LocalBytes = 0;  ///< For each thread.
  /// The last parameters, from a multiple of the group's bytes on, with zeros
  /// behind them.
  std::array<uint8_t, isa::ParameterGroupBytes> LastParameters = {};
  uint64_t GridId = 0;
  uint64_t Workspace = 0;       ///< Of a cooperative grid; else 0.
  rt::Dim3 Cluster = {};        ///< In CTAs.
  bool ExplicitCluster = false; ///< By the launch or the kernel.
  bool Strict = true;
  bool IsTimed = false;
  TimingModel Model = {};
  CheckSet Checks = {};
  PendingClusters *Pending = nullptr;
  DeviceBroker *Broker = nullptr;      ///< Who gives threads their turns.
  DeviceWorkQueue *Work = nullptr;     ///< What threads enqueue; never null in
                                       ///< a launch of a device.
  GlobalRaces *Races = nullptr;        ///< If races are checked.
  pgo::ProbeSink *Probes = nullptr;    ///< If threads are counted at probes.
  RelaxedMemory *Relaxed = nullptr;    ///< Weakly ordered memory, if asked for.
  RandomGenerator *Schedule = nullptr; ///< Chooses what runs, if asked for.
  /// The kernel's host code, for CTAs that begin when it is there; null if all
  /// of the launch is emulated.
  KernelCode *HostCode = nullptr;
  /// Warps leave a barrier in turns, unless all is to be as fast as it can.
  bool LeaveInTurns = true;
  /// Thread instructions of all CTAs so far. All host threads count here, and
  /// read what is around it.
  alignas(CacheLineBytes) mutable std::atomic<uint64_t> Spent{0};

  /// What the kernel's code may still read, which is found out when somebody
  /// asks first.
  const LiveRegisters &liveRegisters() const;
  mutable std::once_flag LiveFound = {};
  mutable std::shared_ptr<const LiveRegisters> Live = nullptr;
};

/// Instructions of a latency class that ran.
struct ClassCount {
  uint64_t Warp = 0, Thread = 0;
};
namespace latency {
enum Number : unsigned {
#define GET_ISA_LATENCY_ENUM
#include "heddle/ISA/ISATable.inc"
  Count
};
} // namespace latency
constexpr unsigned NumLatencyClasses = latency::Count;
using ClassCounts = std::array<ClassCount, NumLatencyClasses>;

constexpr unsigned NumBarriers = 16;

/// Performance-monitor events that kernels can trigger.
constexpr unsigned NumEvents = 16;
using EventCounts = std::array<uint64_t, NumEvents>;

class Cluster;
class TensorMemory;

class CTA {
public:
  /// Blocked: each thread that lives waits at a barrier.
  enum class Status { Running, Blocked, Done, Faulted };

  /// A CTA of \p Owner, which begin makes one of the grid's.
  explicit CTA(Cluster &Owner);
  ~CTA();

  /// Makes it the CTA at \p Coordinates in the grid, with all its threads at
  /// the kernel's start. What it was before is forgotten.
  void begin(rt::Dim3 Coordinates);

  /// Runs for about \p MaxInstructions warp instructions.
  Status run(uint64_t MaxInstructions);
  Status status() const;

  /// For a caller that decides when each warp issues, in place of run; see
  /// Warp::prepare.
  Warp::Status prepareWarp(size_t W) { return States[W] = Warps[W]->prepare(); }
  /// False after a fault.
  bool stepWarp(size_t W);
  /// Lanes of some warp have been released from a barrier since this was
  /// reset.
  bool Released = false;
  /// All that the last call of run did was to wait, in loops, for what others
  /// store.
  bool Polled = false;

  Cluster &Owner;
  const LaunchContext &Launch;
  rt::Dim3 Coordinates;
  uint64_t Number = 0; ///< In the grid's linear order.
  uint32_t Core = 0;   ///< What %smid says.
  uint32_t Place = 0;  ///< On the core, among CTAs; that of its local memory.
  std::vector<uint8_t> Shared;
  uint8_t *SharedHost = nullptr; ///< Where Shared is and its size, for
  uint64_t SharedSize = 0;       ///< translated code.
  LocalMemory Local;
  std::unique_ptr<TensorMemory> Tensor; ///< Null until it is used.
  // Of this CTA and those that the object was before, since forgetCounts.
  // Counts are right behind report.
  ClassCounts Counts{};
  EventCounts Events{};
  uint64_t TimesTranslated = 0; ///< How many of them ran host code.
  std::string Output;           ///< Of printf.
  std::optional<rt::Fault> Fault;
  /// What the host thread keeps; null if it keeps nothing.
  ReductionBuffer *Reductions;
  /// The host code that the warps run; null if they are emulated.
  const TranslatedCode *Translated = nullptr;
  // Special registers for translated code, and the kernel's parameters.
  std::array<rt::Dim3, 3> Shape; ///< %ntid, %ctaid and %nctaid.
  const uint32_t *ThreadRows;    ///< Three rows of %tid for each warp.
  const uint8_t *Parameters;
  uint64_t ParameterBytes;
  ClassCount *StretchHost = nullptr; ///< Where translated code counts.
  WarpState StateAtFirst;            ///< Of warps that translated code begins.
  uint32_t WarpsToBegin = 0;         ///< How many it may still begin.
  uint32_t LiveWarps = 0;            ///< With threads that have not exited.
  /// What each access of translated code found last.
  static constexpr unsigned NumAccessBlocks = 64;
  const Allocation *AccessBlocks[NumAccessBlocks];

  /// The live block of global memory in which an address lies, or null, for an
  /// access that sees all that threads of this host thread have done to it.
  const Allocation *findBlock(uint64_t Address) {
    const Allocation *A = findBlockToReduce(Address);
    if (Reductions && Reductions->isFor(A))
      Reductions->flush();
    return A;
  }
  /// The same for one that does not look.
  const Allocation *findBlockToReduce(uint64_t Address) {
    for (const Allocation *A : RecentBlocks)
      if (A && Address - A->Base < A->Reach &&
          A->Live.load(std::memory_order_relaxed))
        return A;
    return findOtherBlock(Address);
  }
  /// Carries out what the host thread keeps, in front of what orders it.
  void flushReductions() {
    if (Reductions)
      Reductions->flush();
  }
  /// Tells the launch what threads have executed.
  void report();
  void forgetCounts();
  uint64_t threads() const { return Launch.Config.Block.count(); }
  rt::Dim3 threadCoordinates(unsigned WarpIndex, unsigned Lane) const;
  /// All of a thread's local memory.
  uint8_t *localOf(unsigned WarpIndex, unsigned Lane) {
    return Local.of(WarpIndex, Lane);
  }

  /// Lanes of \p W come to barrier \p Number for \p Expected threads (0: all of
  /// the CTA) and wait for the other lanes of their warp, with which they
  /// arrive together; then, unless \p Mode says otherwise, until the barrier is
  /// complete. \p True are the lanes whose predicate holds. A misuse is a
  /// fault.
  void arrive(Warp &W, LaneMask Lanes, unsigned Number, uint32_t Expected,
              BarMode Mode, LaneMask True, const DecodedInst &I);
  /// Lanes of some warp have exited, and leave every barrier.
  void lanesExited() {
    if (UsedBarriers)
      leaveBarriers();
  }
  /// All lanes of some warp have exited.
  void warpExited() { --LiveWarps; }
  bool lives() const { return LiveWarps != 0; }

  // For the cluster.

  /// Whether all threads that live have arrived at the cluster's barrier.
  bool hasArrivedAtCluster() const;
  /// Ends the phase of the cluster's barrier.
  void completeClusterBarrier(const MemoryView &Known);
  /// Adds what the warps know of weakly ordered memory.
  void tell(MemoryView &All) const;
  /// What is known of warp \p W since it was prepared last, or released.
  Warp::Status stateOf(size_t W) const { return States[W]; }
  /// The barriers in use and who has arrived, for people.
  std::string describeBarriers() const;
  /// The fault of threads that wait for ever; some of them are blocked.
  void deadlock();
  const std::vector<std::unique_ptr<Warp>> &warps() const { return Warps; }

private:
  void writeThreadRows();

  struct Barrier {
    /// By warp, the lanes that have come while others of the warp have not.
    std::vector<LaneMask> Gathering;
    std::vector<bool> Arrived; ///< By warp, whether all its lanes have come.
    uint64_t Threads = 0;      ///< That have arrived, in whole warps.
    uint32_t Expected = 0;
    bool InUse = false;
    struct Waiter {
      unsigned Warp;
      LaneMask Lanes, True; ///< True: those whose predicate holds.
      BarMode Mode;
      const DecodedInst *Inst;
    };
    std::vector<Waiter> Waiters;
    MemoryView Known; ///< By those that arrived, in weakly ordered memory.

    void forget();
  };

  void countStretches();
  void startWarp(size_t W);
  bool mayBeginWarps(size_t First, uint64_t MaxInstructions) const;
  size_t beginWarps(size_t First);
  uint64_t charge(size_t W, uint64_t Ran, uint64_t Slice);
  bool hasEnded(Warp &Last);
  void leaveBarriers();
  void forgetBarriers();
  const Allocation *findOtherBlock(uint64_t Address);
  size_t chooseWarp();
  void warpMayArrive(Barrier &B, size_t W);
  bool isComplete(const Barrier &B) const;
  void complete(Barrier &B);
  bool isLimitNear() const;
  bool spendBudget(Warp &W);

  struct alignas(128) Row {
    uint32_t Lanes[WarpSize];
  };
  std::vector<Row> Threads; ///< Where ThreadRows are.
  /// How often translated code ran each of its stretches, and for how many
  /// threads, since Counts had them.
  std::vector<ClassCount> StretchCounts;
  std::vector<std::unique_ptr<Warp>> Warps;
  std::vector<Warp::Status> States;
  size_t NumBegun = 0;      ///< Warps that have begun; they do so in order.
  size_t NumWholeWarps = 0; ///< With 32 threads.
  std::array<Barrier, NumBarriers> Barriers;
  uint32_t UsedBarriers = 0; ///< A bit for each with arrivals.
  /// The blocks that were accessed last, to be found without a lock.
  std::array<const Allocation *, 8> RecentBlocks{};
  size_t OldestBlock = 0;
  size_t NextWarp = 0;
  uint32_t Leaving = 0; ///< Warps that have not run behind their last barrier.
  uint64_t Steps = 0;   ///< Calls of stepWarp.
  uint64_t Unreported = 0; ///< Warp instructions of run, since report.
  uint64_t Reported = 0;   ///< Thread instructions already in Launch.Spent.
};

/// Whether the group goes on with its next instruction. A time slice that is
/// used up ends at the next jump backwards, or at once where it is exact.
inline bool Warp::mayGoOn() const {
  return Issued < SliceEnd || (Next > Current && !IsExact);
}

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_CTA_H
