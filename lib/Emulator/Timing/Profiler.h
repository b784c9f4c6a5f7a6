//===- Profiler.h - Counts where cycles go ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers the profile of a launch while it runs.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_PROFILER_H
#define HEDDLE_LIB_EMULATOR_TIMING_PROFILER_H

#include "../Checkers/BarrierUse.h"
#include "ActivityLog.h"
#include "TimedWarp.h"

namespace heddle::emu {

class Profiler {
public:
  explicit Profiler(const LaunchContext &Launch);

  /// Counts for each cycle since the last issue of \p W what it waited for, and
  /// the issue in \p Now of its next instruction, for the threads of \p Exec.
  /// \p PipeFree is when pipes were free, and \p PipeReason which it was;
  /// \p BanksFree when the banks of registers were.
  void issue(TimedWarp &W, Cycle Now, LaneMask Exec, Cycle PipeFree,
             rt::StallReason PipeReason, Cycle BanksFree);
  /// The threads of the instruction at \p W.PC went to several places.
  void countDivergence(const TimedWarp &W) { ++Insts[W.PC].DivergentBranches; }
  /// Where requests of the instruction at \p PC to \p Space are counted.
  rt::AccessProfile &accessOf(uint32_t PC, AccessSpace Space) {
    Counts &C = Insts[PC];
    return Space == AccessSpace::Global  ? C.Global
           : Space == AccessSpace::Local ? C.Local
                                         : C.Shared;
  }
  /// An instruction goes to a pipe, and occupies it for some cycles.
  void usePipe(unsigned Pipe, Cycle Begin, unsigned Cycles) {
    ++Pipes[Pipe].Issued;
    Pipes[Pipe].BusyCycles += Cycles;
    if (Pipe == MatrixPipe)
      Activity.useMatrixPipe(Begin, Cycles);
  }
  unsigned pipeOf(isa::LatencyClass C) const {
    return PipeNumbers[static_cast<size_t>(C)];
  }
  unsigned numPipes() const { return Pipes.size(); }

  rt::LaunchProfile finish(Cycle Cycles, uint64_t ActiveCycles);

  const BarrierUse *Barriers = nullptr; ///< Null if nobody looked.
  rt::MemoryProfile Memory;
  ActivityLog Activity;

private:
  struct Counts {
    uint64_t Issued = 0, Threads = 0, ActiveThreads = 0;
    uint64_t Branches = 0, DivergentBranches = 0;
    rt::StallCycles States = {};
    rt::AccessProfile Global, Local, Shared;
  };
  rt::InstructionProfile describe(uint32_t PC) const;

  const LaunchContext &Launch;
  std::vector<Counts> Insts; ///< By PC.
  std::vector<rt::PipeProfile> Pipes;
  std::vector<unsigned> PipeNumbers; ///< By latency class.
  unsigned MatrixPipe;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_PROFILER_H
