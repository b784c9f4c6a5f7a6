//===- TimedWarp.h - A resident warp in time --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the next instruction of a warp has to wait for: the stall count of the
// last one, counters, barriers, the fetch of instructions.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_TIMEDWARP_H
#define HEDDLE_LIB_EMULATOR_TIMING_TIMEDWARP_H

#include "MemorySystem.h"

namespace heddle::emu {

struct ResidentCluster;

struct TimedWarp {
  using Reason = rt::StallReason;

  CTA *Owner = nullptr;
  Warp *W = nullptr;
  ResidentCluster *Holder = nullptr;
  uint32_t Core = 0, Scheduler = 0;
  Warp::Status State = Warp::Status::Running;

  /// The next instruction; null if there is none at PC.
  const DecodedInst *Inst = nullptr;
  uint32_t PC = 0;
  Cycle Begin = 0; ///< Of its residence.
  /// Of the warp, and of the instructions that the model without divergence
  /// has not taken an issue for.
  unsigned Threads = 0, UnpaidThreads = 0;
  /// The first cycle that no state is counted for yet.
  Cycle CountedTo = 0;

  Cycle StallEnd = 0; ///< Of the last stall count.
  Cycle FetchEnd = 0; ///< Of the next instruction.
  Cycle ResumeAt = 0; ///< After a barrier and the like, named by ResumeReason.
  Reason ResumeReason = Reason::NoInstruction;
  /// When the counters will be zero, by what happens until then, and what the
  /// last of their operations is.
  Cycle CounterEnd[isa::NumCounters] = {};
  Reason CounterReason[isa::NumCounters] = {};
  Cycle StoresEnd = 0; ///< When what it stored has reached memory.
  uint32_t FetchedLine = ~uint32_t(0);
  /// When the copies by its threads are there: those of each group, and those
  /// that are in none yet.
  std::vector<Cycle> CopyGroupsEnd;
  Cycle OpenCopiesEnd = 0;
  /// In the model that copies loads to shared memory asynchronously, by the
  /// first register of a load that is on its way: when it is there. Zero where
  /// the value is another one.
  std::vector<Cycle> StagedEnd;
  Cycle StagedCopiesEnd = 0; ///< Of all whose stores are behind the warp.

  /// The counters of a wait mask: when the last one is zero, and its reason.
  std::pair<Cycle, Reason> countersEnd(unsigned WaitMask) const {
    std::pair<Cycle, Reason> Last{0, Reason::ShortScoreboard};
    for (unsigned N = 0; N < isa::NumCounters; ++N)
      if (WaitMask >> N & 1 && CounterEnd[N] > Last.first)
        Last = {CounterEnd[N], CounterReason[N]};
    return Last;
  }
  /// The first cycle in which the warp itself can issue Inst; pipes are
  /// another matter.
  Cycle Earliest = 0;
  void updateEarliest() {
    Earliest = std::max(std::max(StallEnd, FetchEnd), ResumeAt);
    if (Inst)
      Earliest = std::max(Earliest, countersEnd(Inst->WaitMask).first);
  }
  void count(unsigned Counter, Cycle End, Reason R) {
    if (Counter >= isa::NumCounters || End <= CounterEnd[Counter])
      return;
    CounterEnd[Counter] = End;
    CounterReason[Counter] = R;
  }
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_TIMEDWARP_H
