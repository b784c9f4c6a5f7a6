//===- Core.h - A core: schedulers, pipes, fetch ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A streaming multiprocessor. Each scheduler issues at most one instruction of
// its warps in a cycle.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_CORE_H
#define HEDDLE_LIB_EMULATOR_TIMING_CORE_H

#include "Profiler.h"
#include "RegisterBanks.h"
#include "StagedLoads.h"

namespace heddle::emu {

/// "Never", as the cycle of an event.
constexpr Cycle Never = ~Cycle(0);

class Core {
public:
  /// Core \p Number. \p Chip is that of the launch, as the model has it.
  Core(const LaunchContext &Launch, const isa::ChipInfo &Chip,
       const RegisterReads &Reads, StagedLoads &Staged,
       const std::vector<uint32_t> &LeftOut, Profiler &Profile,
       ChipMemory &Behind, unsigned Number, uint64_t L1Bytes);

  struct Scheduler {
    std::vector<TimedWarp *> Warps; ///< The oldest first.
    TimedWarp *Last = nullptr;      ///< That issued last.
    uint32_t LastPC = InvalidPC;    ///< Its instruction.
    bool Yields = false;            ///< Which prefers another warp.
    RegisterBanks Banks;
    std::vector<Cycle> PipeFree; ///< By pipe.
    Cycle NextEvent = Never;
  };
  std::vector<Scheduler> Schedulers;

  unsigned CTAs = 0;     ///< Resident.
  uint64_t Places = 0;   ///< A bit for each place of a CTA that is taken.
  Cycle ActiveSince = 0; ///< If there are any.
  uint64_t ActiveCycles = 0;
  uint64_t NumWarps = 0; ///< Ever resident; chooses the scheduler of the next.

  /// The warp that scheduler \p S can issue in \p Now; null if none. Then
  /// \p Next is the first cycle in which that may change.
  TimedWarp *choose(Scheduler &S, Cycle Now, Cycle &Next);
  /// Executes and times the next instruction of \p W; if the model leaves out
  /// divergence, those too that come for nothing. False after a fault.
  bool issue(Scheduler &S, TimedWarp &W, Cycle Now);
  /// Looks at what comes next for \p W, after something in \p Now.
  void prepare(TimedWarp &W, Cycle Now);
  /// When the last store is done.
  Cycle lastStore() const { return LastStore; }

private:
  struct Pipe {
    Cycle Free;
    rt::StallReason Reason;
  };
  Pipe pipeFor(const Scheduler &S, const TimedWarp &W) const;
  const BankReads &readsOf(const Scheduler &S, const TimedWarp &W) const {
    return Reads.at(W.PC, S.Last == &W && S.LastPC + 1 == W.PC);
  }
  Cycle fetch(uint32_t Line, Cycle Now);
  void fetchFor(TimedWarp &W, Cycle Now);
  bool takesIssue(TimedWarp &W) const;
  bool execute(Scheduler &S, TimedWarp &W, Cycle Now, bool TakesIssue);
  void startOperation(Scheduler &S, TimedWarp &W, const DecodedInst &I,
                      llvm::ArrayRef<Request> Requests, Cycle Now);
  CoreMemory::Times accessMemory(TimedWarp &W, const DecodedInst &I,
                                 llvm::ArrayRef<Request> Requests, Cycle Now);
  bool stagesCopies() const {
    return Launch.Model.Without.contains(rt::Limiter::StagedCopies);
  }
  bool isStagedStore(const TimedWarp &W) const;
  bool storeStaged(TimedWarp &W, Cycle Now);
  void followStaged(TimedWarp &W) const;
  CoreMemory::Times copyStaged(TimedWarp &W, const DecodedInst &I,
                               llvm::ArrayRef<Request> Requests, Cycle Now);
  void waitForStaged(TimedWarp &W, Cycle Now) const;
  void timeAsync(TimedWarp &W, const DecodedInst &I, LaneMask Exec, Cycle Now);
  Cycle copyAsync(const TimedWarp &W, const DecodedInst &I, LaneMask Exec,
                  Cycle Now);
  void retire(TimedWarp &W);

  const LaunchContext &Launch;
  const isa::ChipInfo &Chip;
  const RegisterReads &Reads;
  StagedLoads &Staged;
  const std::vector<uint32_t> &LeftOut; ///< PCs that warps go past, sorted.
  Profiler &Profile;
  CoreMemory Memory;
  SectorCache Instructions; ///< A line is one sector.
  Cycle LastStore = 0;
  /// When the products in tensor memory so far are done, in parts of a cycle.
  uint64_t TensorFree = 0;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_CORE_H
