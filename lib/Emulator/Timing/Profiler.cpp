//===- Profiler.cpp - Counts where cycles go --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cycles between two issues of a warp are divided in the order in which the
// hardware lets go: stall count, barrier, fetch, counters, pipe, banks; what is
// left is the scheduler's choice.
//
//===----------------------------------------------------------------------===//

#include "Profiler.h"
#include "../PendingClusters.h"
#include "StagedLoads.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::emu {

using Reason = rt::StallReason;

Profiler::Profiler(const LaunchContext &Launch)
    : Launch(Launch), Insts(Launch.Code.Image.Insts.size()) {
  for (size_t C = 0; C < Launch.Chip.Timings.size(); ++C) {
    StringRef Name = isa::latencyClass(isa::LatencyClass(C)).Pipe;
    auto It = llvm::find_if(
        Pipes, [&](const rt::PipeProfile &P) { return P.Name == Name; });
    PipeNumbers.push_back(It - Pipes.begin());
    if (It == Pipes.end())
      Pipes.push_back({Name.str(), 0, 0});
  }
  MatrixPipe = pipeOf(isa::LatencyClass::MMA);
}

/// Instructions after which threads of a group may be at different places.
static bool isBranch(isa::Op Operation) {
  switch (Operation) {
  case isa::Op::BRA:
  case isa::Op::UBRA:
  case isa::Op::BRX:
  case isa::Op::CALL:
  case isa::Op::CALLR:
  case isa::Op::RET:
    return true;
  default:
    return false;
  }
}

void Profiler::issue(TimedWarp &W, Cycle Now, LaneMask Exec, Cycle PipeFree,
                     Reason PipeReason, Cycle BanksFree) {
  Counts &C = Insts[W.PC];
  auto CountTo = [&](Cycle End, Reason R) {
    End = std::min(End, Now);
    if (End <= W.CountedTo)
      return;
    C.States[size_t(R)] += End - W.CountedTo;
    W.CountedTo = End;
  };
  CountTo(W.StallEnd, Reason::Wait);
  CountTo(W.ResumeAt, W.ResumeReason);
  CountTo(W.FetchEnd, Reason::NoInstruction);
  auto [End, R] = W.countersEnd(W.Inst->WaitMask);
  CountTo(End, R);
  CountTo(PipeFree, PipeReason);
  CountTo(BanksFree, Reason::Dispatch);
  CountTo(Now, Reason::NotSelected);
  ++C.States[size_t(Reason::Selected)];
  W.CountedTo = Now + 1;
  ++C.Issued;
  C.Threads += std::popcount(Exec);
  C.ActiveThreads += std::popcount(W.W->Group);
  C.Branches += isBranch(W.Inst->Info->Operation);
}

rt::InstructionProfile Profiler::describe(uint32_t PC) const {
  const CodeImage &Image = Launch.Code.Image;
  const Counts &C = Insts[PC];
  rt::InstructionProfile P;
  P.Mnemonic = std::string(Image.Insts[PC].Info->Mnemonic);
  P.Issued = C.Issued;
  P.Threads = C.Threads;
  P.ActiveThreads = C.ActiveThreads;
  P.Branches = C.Branches;
  P.DivergentBranches = C.DivergentBranches;
  P.States = C.States;
  P.Global = C.Global;
  P.Local = C.Local;
  P.Shared = C.Shared;
  P.IsStaged = isStagedLoad(Image, PC);
  P.OrdersNothing = Barriers && Barriers->ordersNothing(PC);
  const CodeSection *S = Image.sectionOf(PC);
  if (!S)
    return P;
  P.Section = S->Name;
  P.PC = Image.offsetInSection(PC);
  if (auto Line = Launch.Code.Lines.lookup(S->ObjectSection, P.PC)) {
    P.SourceFile = Line->File.str();
    P.SourceLine = Line->Line;
  }
  return P;
}

static rt::LaunchFootprint shapeOf(const LaunchContext &Launch) {
  rt::LaunchFootprint S;
  // Those of a kernel whose CTAs do the work of several are fewer.
  S.CTAs = Launch.Pending->count() * Launch.Cluster.count();
  S.ThreadsPerCTA = Launch.Config.Block.count();
  S.CTAsPerCluster = Launch.Cluster.count();
  S.Registers = Launch.Kernel.Registers;
  S.StaticSharedBytes = Launch.StaticSharedBytes;
  S.DynamicSharedBytes = Launch.Config.DynamicSharedBytes;
  S.LocalBytes = Launch.LocalBytes;
  S.SpillStoreBytes = Launch.Kernel.SpillStoreBytes;
  S.SpillLoadBytes = Launch.Kernel.SpillLoadBytes;
  return S;
}

rt::LaunchProfile Profiler::finish(Cycle Cycles, uint64_t ActiveCycles) {
  const isa::ChipInfo &Chip = Launch.Chip;
  rt::LaunchProfile P;
  P.Cycles = Cycles;
  P.Cores = Chip.Cores;
  P.SchedulersPerCore = Chip.SchedulersPerCore;
  P.ClockMHz = Chip.ClockMHz;
  P.WarpsPerCore = Chip.WarpsPerCore;
  P.SectorBytes = Chip.SectorBytes;
  P.DRAMBytesPerCycle = Chip.DRAMBytesPerCycle;
  P.L2BytesPerCycle = Chip.L2BytesPerCycle;
  P.CoreL2BytesPerCycle = Chip.CoreL2BytesPerCycle;
  P.L1Bytes = Chip.L1Bytes;
  P.L2Bytes = Chip.L2Bytes;
  P.ActiveCycles = ActiveCycles;
  P.Shape = shapeOf(Launch);
  P.Theoretical = rt::computeOccupancy(rt::chipProperties(Chip), Launch.Kernel,
                                       Launch.Config.Block.count(),
                                       Launch.Config.DynamicSharedBytes);
  P.Pipes = Pipes;
  P.Memory = Memory;
  P.Activity = Activity.finish(Cycles);
  for (uint32_t PC = 0; PC < Insts.size(); ++PC) {
    const Counts &C = Insts[PC];
    if (!C.Issued)
      continue;
    P.Issued += C.Issued;
    P.Threads += C.Threads;
    P.ActiveThreads += C.ActiveThreads;
    P.Branches += C.Branches;
    P.DivergentBranches += C.DivergentBranches;
    for (unsigned N = 0; N < rt::NumStallReasons; ++N) {
      P.States[N] += C.States[N];
      P.WarpCycles += C.States[N];
    }
    P.Instructions.push_back(describe(PC));
  }
  return P;
}

} // namespace heddle::emu
