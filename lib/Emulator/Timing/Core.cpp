//===- Core.cpp - A core: schedulers, pipes, fetch --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scheduler stays with a warp as long as it can issue, unless the instruction
// asks for another one; then it takes the youngest that can.
//
//===----------------------------------------------------------------------===//

#include "Core.h"
#include "Execute/ExecuteMemory.h"
#include "Limiters.h"

#include <algorithm>

using namespace llvm;

namespace heddle::emu {

using isa::LatencyClass;
using isa::Op;
using Reason = rt::StallReason;

Core::Core(const LaunchContext &Launch, const isa::ChipInfo &Chip,
           const RegisterReads &Reads, StagedLoads &Staged,
           const std::vector<uint32_t> &LeftOut, Profiler &Profile,
           ChipMemory &Behind, unsigned Number, uint64_t L1Bytes)
    : Schedulers(Chip.SchedulersPerCore), Launch(Launch), Chip(Chip),
      Reads(Reads), Staged(Staged), LeftOut(LeftOut), Profile(Profile),
      Memory(Chip, Number, Behind, Profile.Memory, L1Bytes),
      Instructions(Chip.InstructionCacheBytes, Chip.LineBytes, Chip.L1Ways) {
  for (Scheduler &S : Schedulers)
    S.PipeFree.resize(Profile.numPipes());
}

/// Whether the instruction goes through the memory unit of the core.
static bool usesMemoryUnit(const DecodedInst &I) {
  switch (I.Info->Latency) {
  case LatencyClass::LDG:
  case LatencyClass::LDS:
  case LatencyClass::ATOM:
  case LatencyClass::SHFL:
  case LatencyClass::TEX:
    return true;
  default:
    return false;
  }
}

static bool isOnChip(const DecodedInst &I) {
  AccessInfo Info = accessInfo(I);
  return Info.IsAccess ? !Info.IsGeneric && Info.Space == AccessSpace::Shared
                       : I.Info->Operation != Op::PREFETCH;
}

/// What a warp that waits for the counter of \p I waits for.
static Reason scoreboardOf(const DecodedInst &I) {
  return usesMemoryUnit(I) &&
                 (I.Info->Latency == LatencyClass::TEX || !isOnChip(I))
             ? Reason::LongScoreboard
             : Reason::ShortScoreboard;
}

//===----------------------------------------------------------------------===//
// Fetch
//===----------------------------------------------------------------------===//

/// The cycle in which a line of code is there. Each fetch brings the next lines
/// along. Code that the core does not have comes from L2.
Cycle Core::fetch(uint32_t Line, Cycle Now) {
  Cycle Ready = 0;
  for (uint32_t N = Chip.FetchAheadLines + 1; N-- > 0;) {
    unsigned Evicted = 0;
    SectorCache::Line &L = Instructions.findOrReplace(Line + N, Evicted);
    if (!L.Valid) {
      L.Valid = 1;
      L.ReadyAt[0] = Now + Chip.L2Latency;
    }
    Ready = L.ReadyAt[0];
  }
  return Ready;
}

void Core::prepare(TimedWarp &W, Cycle Now) {
  W.State = W.Owner->prepareWarp(W.W->Index);
  if (W.State != Warp::Status::Running)
    return;
  const CodeImage &Image = Launch.Code.Image;
  while (std::binary_search(LeftOut.begin(), LeftOut.end(), W.W->nextPC()))
    W.W->branch(W.W->Group, W.W->nextPC() + 1);
  W.PC = W.W->nextPC();
  W.Inst = W.PC < Image.Insts.size() && Image.Insts[W.PC].Execute
               ? &Image.Insts[W.PC]
               : nullptr;
  fetchFor(W, Now);
  waitForStaged(W, Now);
  W.updateEarliest();
}

/// An instruction of 16 bytes may lie in two lines.
void Core::fetchFor(TimedWarp &W, Cycle Now) {
  const CodeImage &Image = Launch.Code.Image;
  if (W.PC >= Image.Insts.size() ||
      Launch.Model.Without.contains(rt::Limiter::InstructionFetch))
    return;
  uint32_t First = Image.Offsets[W.PC] / Chip.LineBytes;
  uint32_t Last = (Image.Offsets[W.PC + 1] - 1) / Chip.LineBytes;
  if (Last == W.FetchedLine)
    return;
  W.FetchEnd = fetch(Last, Now);
  if (First != Last && First != W.FetchedLine)
    W.FetchEnd = std::max(W.FetchEnd, fetch(First, Now));
  W.FetchedLine = Last;
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

Core::Pipe Core::pipeFor(const Scheduler &S, const TimedWarp &W) const {
  if (!W.Inst)
    return {0, Reason::MathPipeThrottle};
  Cycle Free = S.PipeFree[Profile.pipeOf(W.Inst->Info->Latency)];
  if (!usesMemoryUnit(*W.Inst))
    return {Free, Reason::MathPipeThrottle};
  return {std::max(Free, Memory.acceptsFrom()),
          isOnChip(*W.Inst) ? Reason::MIOThrottle : Reason::LGThrottle};
}

TimedWarp *Core::choose(Scheduler &S, Cycle Now, Cycle &Next) {
  TimedWarp *Best = nullptr;
  Next = Never;
  for (TimedWarp *W : S.Warps) {
    if (W->State != Warp::Status::Running)
      continue;
    Cycle At = W->Earliest;
    if (At <= Now)
      At = std::max(At, pipeFor(S, *W).Free);
    if (At <= Now && W->Inst)
      At = S.Banks.acceptsFrom(readsOf(S, *W), Chip.OperandWindow);
    if (At > Now) {
      Next = std::min(Next, At);
      continue;
    }
    bool StaysWithLast = Best == S.Last && Best && !S.Yields;
    bool IsUnwanted = W == S.Last && S.Yields && Best;
    if (!StaysWithLast && !IsUnwanted)
      Best = W;
  }
  return Best;
}

/// Whether the next instruction of a warp takes an issue. Without divergence
/// one is taken when instructions for as many threads as the warp has have come
/// together.
bool Core::takesIssue(TimedWarp &W) const {
  if (!Launch.Model.Without.contains(rt::Limiter::Divergence))
    return true;
  W.UnpaidThreads += std::popcount(W.W->Group);
  if (W.UnpaidThreads < W.Threads)
    return false;
  W.UnpaidThreads -= W.Threads;
  return true;
}

bool Core::issue(Scheduler &S, TimedWarp &W, Cycle Now) {
  bool TakesIssue;
  do {
    TakesIssue = takesIssue(W);
    if (!execute(S, W, Now, TakesIssue))
      return false;
  } while (!TakesIssue && W.State == Warp::Status::Running);
  while (W.State == Warp::Status::Running && isStagedStore(W))
    if (!storeStaged(W, Now))
      return false;
  S.Last = &W;
  if (W.State == Warp::Status::Done)
    retire(W);
  return true;
}

/// Executes an instruction, and if it takes an issue, times that.
bool Core::execute(Scheduler &S, TimedWarp &W, Cycle Now, bool TakesIssue) {
  W.W->Time = Now;
  const DecodedInst *I = W.Inst;
  if (!I) // Execution says what is wrong.
    return W.Owner->stepWarp(W.W->Index);
  LaneMask Exec = W.W->execOf(*I);
  if (TakesIssue) {
    Pipe P = pipeFor(S, W);
    const BankReads &R = readsOf(S, W);
    Profile.issue(W, Now, Exec, P.Free, P.Reason,
                  S.Banks.acceptsFrom(R, Chip.OperandWindow));
    S.Banks.read(R, Now);
    S.LastPC = W.PC;
  }
  // Execution may overwrite the address.
  SmallVector<Request, 1> Requests;
  if (AccessInfo Info = accessInfo(*I); Info.IsAccess && Exec) {
    Requests = requestsOf(*W.W, *I, Info, Exec);
    if (Launch.Model.Without.any())
      idealise(Requests, Launch.Model.Without);
  }
  if (Exec && !W.StagedEnd.empty())
    followStaged(W);
  W.W->Diverged = false;
  if (!W.Owner->stepWarp(W.W->Index))
    return false;
  if (W.W->Diverged)
    Profile.countDivergence(W);
  if (TakesIssue) {
    bool HasLatency = !Launch.Model.Without.contains(rt::Limiter::Latency);
    W.StallEnd =
        Now + (HasLatency ? I->Stall : std::min<unsigned>(I->Stall, 1));
    S.Yields = I->Yield;
  }
  if (Exec && TakesIssue)
    startOperation(S, W, *I, Requests, Now);
  else if (!Requests.empty())
    accessMemory(W, *I, Requests, Now);
  if (Exec)
    timeAsync(W, *I, Exec, Now);
  prepare(W, Now);
  return true;
}

/// What the execution of I occupies, and when its results are there.
void Core::startOperation(Scheduler &S, TimedWarp &W, const DecodedInst &I,
                          ArrayRef<Request> Requests, Cycle Now) {
  isa::ClassTiming Timing = Chip.Timings[static_cast<size_t>(I.Info->Latency)];
  unsigned Pipe = Profile.pipeOf(I.Info->Latency);
  S.PipeFree[Pipe] = Now + Timing.Interval;
  Profile.usePipe(Pipe, Now, Timing.Interval);
  CoreMemory::Times T{Now + Timing.Interval, Now + Timing.Latency};
  if (!Requests.empty())
    T = stagesCopies() && Staged.contains(W.PC)
            ? copyStaged(W, I, Requests, Now)
            : accessMemory(W, I, Requests, Now);
  if (I.Variable) {
    W.count(I.ReadCounter, T.SourcesRead, scoreboardOf(I));
    W.count(I.WriteCounter, T.Done, scoreboardOf(I));
  }
  switch (I.Info->Operation) {
  case Op::NANOSLEEP:
    // The emulator has moved the warp's clock.
    W.ResumeAt = W.W->Time - I.Stall;
    W.ResumeReason = Reason::Sleeping;
    break;
  case Op::MEMBAR:
    if (I.Scope != MemScope::CTA &&
        !Launch.Model.Without.contains(rt::Limiter::Fences)) {
      W.ResumeAt = std::max(T.Done, W.StoresEnd);
      W.ResumeReason = Reason::Membar;
    }
    break;
  default:
    break;
  }
}

CoreMemory::Times Core::accessMemory(TimedWarp &W, const DecodedInst &I,
                                     ArrayRef<Request> Requests, Cycle Now) {
  // What others may write meanwhile must not come from L1.
  bool IsStrong = I.Order != MemOrder::Weak && I.Order != MemOrder::Constant;
  bool Coherent =
      IsStrong || I.Cache == CacheOp::Global || I.Cache == CacheOp::Volatile;
  unsigned HitLatency =
      Chip.Timings[static_cast<size_t>(I.Info->Latency)].Latency;
  CoreMemory::Times All{Now, Now};
  for (const Request &R : Requests) {
    if (R.IsUniform && R.Kind == AccessKind::Load && !IsStrong &&
        Launch.Model.Without.contains(rt::Limiter::UniformLoads)) {
      isa::ClassTiming Constant =
          Chip.Timings[static_cast<size_t>(LatencyClass::LDC)];
      All.SourcesRead = std::max(All.SourcesRead, Now + Constant.Interval);
      All.Done = std::max(All.Done, Now + Constant.Latency);
      continue;
    }
    CoreMemory::Times T = Memory.access(R, Now, Coherent, HitLatency,
                                        Profile.accessOf(W.PC, R.Space));
    All.SourcesRead = std::max(All.SourcesRead, T.SourcesRead);
    All.Done = std::max(All.Done, T.Done);
    if (R.Kind != AccessKind::Load)
      W.StoresEnd = std::max(W.StoresEnd, T.Done);
  }
  LastStore = std::max(LastStore, W.StoresEnd);
  if (I.Form == isa::Form::X)
    All.Done += Chip.IndexCycles;
  return All;
}

void Core::retire(TimedWarp &W) {
  Scheduler &S = Schedulers[W.Scheduler];
  S.Warps.erase(std::find(S.Warps.begin(), S.Warps.end(), &W));
  if (S.Last == &W)
    S.Last = nullptr;
}

} // namespace heddle::emu
