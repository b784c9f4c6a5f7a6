//===- HeddleWarpTime.cpp - How long warps take -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block is carried out once by the clock of a warp, with the stall counts
// and wait masks of its instructions. The operations in flight at the start of
// a block are those at the end of the predecessor from which most threads come;
// for a loop the round before tells.
//
//===----------------------------------------------------------------------===//

#include "HeddleWarpTime.h"
#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "heddle/ISA/ISA.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <algorithm>
#include <array>
#include <vector>

using namespace llvm;
namespace isa = heddle::isa;

namespace {

class Clock {
public:
  Clock(const MachineFunction &MF, const MachineBlockFrequencyInfo &Frequencies,
        bool IsCrowded, double InTurn = 0)
      : MF(MF), Frequencies(Frequencies), IsCrowded(IsCrowded), InTurn(InTurn),
        Chip(MF.getSubtarget<HeddleSubtarget>().getChip()),
        AtEnd(MF.getNumBlockIDs()), Work(Chip.Timings.size()),
        PipeFree(Chip.Timings.size()) {
    for (size_t C = 0; C != Work.size(); ++C)
      PipeOf.push_back(firstWithPipeOf(C));
  }

  WarpTime run() {
    goRound();
    Time = {};
    fill(Work, 0);
    Issues = 0;
    goRound();
    Time.Busy = std::max(Issues, *max_element(Work));
    return Time;
  }

private:
  /// Cycles until each counter is zero.
  using Counters = std::array<double, isa::NumCounters>;

  /// Stands for the pipe of a latency class.
  static size_t firstWithPipeOf(size_t Class) {
    auto PipeOf = [](size_t C) {
      return isa::latencyClass(isa::LatencyClass(C)).Pipe;
    };
    size_t First = 0;
    while (PipeOf(First) != PipeOf(Class))
      ++First;
    return First;
  }

  double frequencyOf(const MachineBasicBlock &MBB) const {
    return static_cast<double>(Frequencies.getBlockFreq(&MBB).getFrequency()) /
           static_cast<double>(Frequencies.getEntryFreq().getFrequency());
  }

  Counters atStartOf(const MachineBasicBlock &MBB) const {
    const MachineBasicBlock *From = nullptr;
    for (const MachineBasicBlock *P : MBB.predecessors())
      if (!From || Frequencies.getBlockFreq(P) > Frequencies.getBlockFreq(From))
        From = P;
    return From ? AtEnd[From->getNumber()] : Counters();
  }

  /// Of an instruction whose latency is not fixed.
  unsigned latencyOf(isa::LatencyClass Class) const {
    switch (Class) {
    case isa::LatencyClass::LDG:
      // The first warps of a launch find nothing in the caches.
      return InTurn != 0 ? Chip.DRAMLatency : Chip.L2Latency;
    case isa::LatencyClass::ATOM:
      return Chip.L2Latency;
    default:
      return Chip.Timings[static_cast<size_t>(Class)].Latency;
    }
  }

  void goRound() {
    for (const MachineBasicBlock &MBB : MF)
      goThrough(MBB);
  }
  void goThrough(const MachineBasicBlock &MBB);

  const MachineFunction &MF;
  const MachineBlockFrequencyInfo &Frequencies;
  /// Whether operations stand in queues, and read their sources late.
  const bool IsCrowded;
  /// Warps that take the scheduler and each pipe in turn; 0: both have time.
  const double InTurn;
  const isa::ChipInfo &Chip;
  std::vector<Counters> AtEnd;  ///< by block
  std::vector<double> Work;     ///< of pipes
  std::vector<size_t> PipeOf;   ///< by latency class, a place in Work
  std::vector<double> PipeFree; ///< when, in a block
  double Issues = 0;
  WarpTime Time;
};

} // namespace

void Clock::goThrough(const MachineBasicBlock &MBB) {
  Counters Zero = atStartOf(MBB); // when each is
  double Often = frequencyOf(MBB), Now = 0;
  fill(PipeFree, 0);
  for (const MachineInstr &MI : MBB) {
    const isa::InstInfo *Info = HeddleInstrInfo::getISAInfo(MI.getOpcode());
    int N = Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::ctl);
    if (!Info || N < 0)
      continue;
    auto Control =
        isa::Control::unpack(static_cast<uint32_t>(MI.getOperand(N).getImm()));
    for (unsigned C = 0; C != isa::NumCounters; ++C)
      if (Control.WaitMask >> C & 1)
        Now = std::max(Now, Zero[C]);
    auto Class = static_cast<size_t>(Info->Latency);
    double &Free = PipeFree[PipeOf[Class]];
    Now = std::max(Now, Free);
    Free = Now + InTurn * Chip.Timings[Class].Interval;
    if (unsigned C = Control.WriteCounter; C < isa::NumCounters)
      Zero[C] = std::max(Zero[C], Now + latencyOf(Info->Latency));
    if (unsigned C = Control.ReadCounter; C < isa::NumCounters)
      Zero[C] =
          std::max(Zero[C], Now + (IsCrowded ? latencyOf(Info->Latency)
                                             : unsigned(Chip.OperandWindow)));
    Now += std::max(std::max(InTurn, 1.0), double(Control.Stall));
    Issues += Often;
    Work[PipeOf[Class]] += Often * Chip.Timings[Class].Interval;
  }
  for (double &At : Zero)
    At = std::max(At - Now, 0.0);
  AtEnd[MBB.getNumber()] = Zero;
  Time.Alone += Often * Now;
}

WarpTime llvm::estimateWarpTime(const MachineFunction &MF,
                                const MachineBlockFrequencyInfo &Frequencies) {
  WarpTime Time = Clock(MF, Frequencies, /*IsCrowded=*/true).run();
  Time.Unhindered = Clock(MF, Frequencies, /*IsCrowded=*/false).run().Alone;
  return Time;
}

double llvm::estimateLaunchTime(const MachineFunction &MF,
                                const MachineBlockFrequencyInfo &Frequencies,
                                double Warps) {
  return Clock(MF, Frequencies, /*IsCrowded=*/false, Warps).run().Alone;
}
