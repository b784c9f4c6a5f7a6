//===- AsyncUnit.h - What goes on beside the threads ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a cluster: its mbarriers, and the copies that are on their way. A copy is
// carried out as late as possible, when a thread waits, so that a program that
// does not wait gives wrong results.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_ASYNCUNIT_H
#define HEDDLE_LIB_EMULATOR_ASYNCUNIT_H

#include "Decoder.h"
#include "RelaxedMemory.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace heddle::emu {

class Warp;
class Cluster;

/// An mbarrier as 64 bits; docs/async.md has the layout.
struct MBarrier {
  static constexpr uint32_t MaxCount = (1u << 20) - 1;
  static constexpr uint32_t MaxCountOfLayout1 = (1u << 9) - 1;

  /// What asynchronous operations tell of a phase beside that they are done.
  struct Report {
    bool Something = false;
    uint8_t Value = 0;
  };

  uint32_t Pending = 0;  ///< Arrivals that are missing in this phase.
  uint32_t Expected = 0; ///< Arrivals of each phase.
  int32_t Bytes = 0;     ///< That are missing in this phase.
  bool Phase = false;
  bool IsLayout1 = false;
  // Of layout 1.
  Report Current, Last;     ///< Of this phase and of the one before.
  bool SilentPhase = false; ///< Counts the phases without a report.

  uint32_t maxCount() const { return IsLayout1 ? MaxCountOfLayout1 : MaxCount; }
  /// The parity of the conditional phase.
  bool conditionalPhase() const { return IsLayout1 ? SilentPhase : Phase; }
  /// Begins the next phase if nothing is missing in this one.
  void advance();
  uint64_t pack() const;
  /// None if the bits are no mbarrier.
  static std::optional<MBarrier> unpack(uint64_t Bits);
};

/// What work moves and computes, for whoever times it.
struct AsyncTraffic {
  std::vector<uint64_t> Sectors; ///< Of global memory, by number.
  bool Writes = false;           ///< To them, else from them.
  /// Products of 16 x 8 results of 32 bytes of each row in tensor memory.
  uint64_t Products = 0;
  bool IsTensor = false; ///< In order with other work on tensor memory.
};

/// An operation on the fabric that a lane has issued.
struct FabricWork {
  /// Takes what is read of shared memory; null if nothing is.
  std::function<void()> Read;
  std::function<void()> Perform;
  AsyncTraffic Moves;
};

class AsyncUnit {
public:
  explicit AsyncUnit(Cluster &Owner) : Owner(Owner) {}

  /// Forgets everything, for another cluster.
  void reset();

  //===--------------------------------------------------------------------===//
  // Barriers
  //===--------------------------------------------------------------------===//

  /// Changes the barrier at a host address for a lane, ends its phase if
  /// nothing is missing, and returns what it was before. A misuse is a fault.
  uint64_t change(Warp &W, unsigned Lane, uint8_t *Host,
                  llvm::function_ref<const char *(MBarrier &)> Change);
  void arrive(Warp &W, unsigned Lane, uint8_t *Host, uint32_t Count);
  void completeBytes(Warp &W, unsigned Lane, uint8_t *Host, uint32_t Bytes,
                     MBarrier::Report R = {});
  /// What a thread that has seen the end of a phase knows of memory.
  void acquire(Warp &W, const uint8_t *Host);

  //===--------------------------------------------------------------------===//
  // Work
  //===--------------------------------------------------------------------===//

  /// Adds work of a warp that \p Perform carries out later.
  void enqueue(Warp &W, std::function<void()> Perform, AsyncTraffic T = {});
  /// Carries out the oldest that is over at a time; false if there is none.
  bool step(uint64_t Now);
  /// The same for a warp that waits. Without time that is only once the other
  /// warps of the cluster wait as well: copies and products take longer than
  /// it takes a warp to come to where it waits for them, and programs whose
  /// warps wait by the parity of a phase rely on that.
  bool stepFor(Warp &Waiter);
  /// Calls \p Time for all work that it has not been called for; what it
  /// gives is when the work is over. Without that, work is over at once.
  void timeNew(
      llvm::function_ref<uint64_t(const Warp &, const AsyncTraffic &)> Time);

  /// Adds a copy of a lane that it waits for by groups: \p Read takes what is
  /// at its source, if Perform does not.
  void enqueueStore(Warp &W, unsigned Lane, std::function<void()> Read,
                    std::function<void()> Perform, AsyncTraffic T);
  void commitStores(Warp &W, unsigned Lane);
  /// Until at most \p Groups are pending or, with \p OnlyRead, not read.
  void waitStores(Warp &W, unsigned Lane, uint32_t Groups, bool OnlyRead);

  /// A copy of a lane to shared memory that it waits for by groups.
  struct Copy {
    uint8_t *To;
    const uint8_t *From;
    uint8_t Bytes, Given; ///< Those that are not given become zero.
    uint32_t PC;          ///< Of the instruction.
  };
  void addCopy(Warp &W, unsigned Lane, Copy C);
  void commitCopies(Warp &W, unsigned Lane);
  /// Until at most \p Groups are pending.
  void waitCopies(Warp &W, unsigned Lane, uint32_t Groups);
  void waitAllCopies(Warp &W, unsigned Lane);

  /// Moves data to a cache and nowhere else; nobody waits for it.
  void prefetch(Warp &W, AsyncTraffic T);

  // Operations on the fabric begin when their lane, or for WarpSize any lane of
  // the warp, submits them: those that fetch only, or all. They are work then.
  void issue(Warp &W, unsigned Lane, FabricWork F);
  void submit(Warp &W, unsigned Lane, bool OnlyFetching);
  /// Submits, and makes those since the last time a group.
  void commitFabric(Warp &W, unsigned Lane);
  /// Until shared memory has been read by all that are submitted but those of
  /// the last \p Groups, or without a number by all.
  void readFabric(Warp &W, unsigned Lane, std::optional<uint32_t> Groups);

  //===--------------------------------------------------------------------===//
  // Waiting
  //===--------------------------------------------------------------------===//

  /// Lanes have looked in vain for what they wait for. When no thread of
  /// the cluster can go on any more, that is a fault.
  void lookedInVain(Warp &W, LaneMask Lanes, std::string What);
  /// Something has changed that a thread may wait for.
  void progress();
  /// All threads have exited, \p Last among the last ones: a copy that is on
  /// its way then is a fault.
  void checkNothingPending(Warp &Last);

private:
  struct Work {
    Warp *W;
    uint32_t PC;
    std::function<void()> Perform;
    AsyncTraffic Moves;
    uint64_t EndsAt = 0; ///< In time.
    bool IsTimed = false;
  };
  struct Store {
    Work Write;
    std::function<void()> Read; ///< Null when it has been.
    unsigned Lane;
    uint32_t Group;
  };
  /// By lane. One that is submitted is work as well, and here until then
  /// because of what it reads.
  struct Issued {
    uint64_t Number;
    Warp *W;
    unsigned Lane;
    uint32_t PC;
    FabricWork Operation; ///< Only Read, once it is submitted.
    bool IsSubmitted = false;
    std::optional<uint32_t> Group = {};
  };
  struct LaneCopies {
    std::deque<std::deque<Copy>> Groups; ///< Committed, the oldest first.
    std::deque<Copy> Open;
  };
  struct Vain {
    uint64_t Times = 0;
    LaneMask Lanes = 0;
    std::string What;
  };

  void perform(Warp &W, std::deque<Copy> &Copies);
  static void carryOut(const Work &Next);
  std::optional<uint32_t> findCopy() const;
  bool othersWait(const Warp &Waiter) const;
  bool isStuck(uint64_t Now) const;

  Cluster &Owner;
  std::deque<Work> Queue;
  std::deque<Store> Stores;
  std::deque<Issued> Fabric;
  uint64_t FabricCount = 0;
  std::vector<Work> Prefetches; ///< That nobody has timed.
  /// By warp and lane, the groups of stores that are committed.
  llvm::DenseMap<const Warp *, std::array<uint32_t, WarpSize>> StoreGroups;
  llvm::DenseMap<const Warp *, std::array<uint32_t, WarpSize>> FabricGroups;
  llvm::DenseMap<const Warp *, std::array<LaneCopies, WarpSize>> Copies;
  /// By warp, since the last progress.
  llvm::DenseMap<const Warp *, Vain> Waiting;
  llvm::DenseMap<const uint8_t *, MemoryView> Known;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_ASYNCUNIT_H
