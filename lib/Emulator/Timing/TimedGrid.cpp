//===- TimedGrid.cpp - Running a grid in time -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time goes from event to event: a scheduler has one in the next cycle in which
// it may be able to issue. Events of a cycle are in the order of the cores.
//
//===----------------------------------------------------------------------===//

#include "TimedGrid.h"
#include "../GridOutcome.h"
#include "../PendingClusters.h"
#include "CacheWarmer.h"
#include "Core.h"
#include "Limiters.h"
#include "Sample.h"
#include "heddle/Emulator/DeviceBroker.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <utility>

using namespace llvm;

namespace heddle::emu {

/// A cluster on the chip.
struct ResidentCluster {
  std::unique_ptr<Cluster> Code;
  std::vector<std::unique_ptr<TimedWarp>> Warps;
  size_t Running = 0; ///< Warps that are not done.
};

namespace {

/// Events after which a launch looks whether it was cancelled.
constexpr uint64_t EventsBetweenChecks = 1 << 14;

/// Warp instructions of a cluster that is not timed. One that has not come to
/// an end by then may wait for others, and is timed.
constexpr uint64_t UntimedInstructions = 1 << 26;
/// Of these, between two looks at whether another process should run.
constexpr uint64_t BorderSlice = 1 << 16;

class TimedGrid {
public:
  TimedGrid(const LaunchContext &Launch, const rt::OutputSink &Sink);

  rt::LaunchResult run();

private:
  struct Event {
    Cycle At;
    uint32_t Core, Scheduler;
    bool operator>(const Event &O) const {
      return std::tie(At, Core, Scheduler) >
             std::tie(O.At, O.Core, O.Scheduler);
    }
  };

  void dispatch(Cycle Now);
  std::unique_ptr<Cluster> nextCluster();
  bool findCores(std::vector<uint32_t> &Found) const;
  void start(std::unique_ptr<Cluster> Code, ArrayRef<uint32_t> OnCores,
             Cycle Now);
  void schedule(uint32_t Core, uint32_t Scheduler, Cycle At);
  void handle(const Event &E);
  void wakeReleased(ResidentCluster &C, Cycle Now);
  void finish(ResidentCluster &C, Cycle Now);
  void reportDeadlock();
  /// Whether a launch that takes so many cycles takes more than it may.
  bool isTooLate(Cycle Cycles) const {
    return Launch.Model.MaxCycles && Cycles > Launch.Model.MaxCycles;
  }
  rt::LaunchResult tooLate();
  bool isCancelled() const {
    const std::atomic<bool> *Cancel = Launch.Config.Cancel;
    return Cancel && Cancel->load(std::memory_order_relaxed);
  }

  void letOthers() {
    if (Place.isWanted())
      Place.letOthers([this] { return !isCancelled(); });
  }
  CTA::Status runUntimed(Cluster &C);

  const LaunchContext &Launch;
  ExecutionPlace Place;
  ModelChip Chip;
  RegisterReads Reads;
  StagedLoads Staged;
  std::vector<uint32_t> LeftOut; ///< Barriers, see TimingModel.
  std::optional<BarrierUse> Barriers;
  Profiler Profile;
  ChipMemory Memory;
  GridOutcome Outcome;
  std::vector<Core> Cores;
  unsigned CTAsPerCore;
  Sample Timed;
  bool Faulted = false;
  std::vector<std::unique_ptr<ResidentCluster>> Resident; ///< As they started.
  std::priority_queue<Event, std::vector<Event>, std::greater<>> Events;
  std::vector<rt::WarpSpan> Spans;
  Cycle NextDispatch = 0, LastIssue = 0;
};

/// How many CTAs a core of \p Chip holds.
unsigned residentCTAs(const LaunchContext &Launch, const isa::ChipInfo &Chip) {
  rt::Occupancy O = rt::computeOccupancy(
      rt::chipProperties(Chip), Launch.Kernel, Launch.Config.Block.count(),
      Launch.Config.DynamicSharedBytes);
  return std::max(O.CTAsPerCore, 1u);
}

/// Whether CTAs may do the work of others.
bool mayCancel(const LaunchContext &Launch) {
  const auto &Insts = Launch.Code.Image.Insts;
  return std::any_of(Insts.begin(), Insts.end(),
                     [](const DecodedInst &I) { return I.Async.Cancels; });
}

/// The PCs of what is left out, sorted.
std::vector<uint32_t> leftOutBarriers(const LaunchContext &Launch) {
  const CodeImage &Image = Launch.Code.Image;
  std::vector<uint32_t> Found;
  if (Launch.Model.LeftOutBarriers.empty())
    return Found;
  for (uint32_t PC = 0; PC < Image.Insts.size(); ++PC) {
    const DecodedInst &I = Image.Insts[PC];
    if (!I.Execute || I.Info->Operation != isa::Op::BAR)
      continue;
    const CodeSection *S = Image.sectionOf(PC);
    if (S && is_contained(Launch.Model.LeftOutBarriers,
                          std::pair(S->Name, Image.offsetInSection(PC))))
      Found.push_back(PC);
  }
  return Found;
}

/// What of the grid is timed: all of it if CTAs may wait for each other, or do
/// each other's work.
Sample makeSample(const LaunchContext &Launch, unsigned CTAsPerCore) {
  uint64_t NumClusters = Launch.Pending->count();
  if (Launch.Config.Cooperative || mayCancel(Launch))
    return Sample(NumClusters, NumClusters, 0, true);
  uint64_t Wave = std::max<uint64_t>(
      1, uint64_t(CTAsPerCore) * Launch.Chip.Cores / Launch.Cluster.count());
  return Sample(NumClusters, Wave, Launch.Model.SampleWaves,
                !Launch.Model.Without.contains(rt::Limiter::Tail));
}

TimedGrid::TimedGrid(const LaunchContext &Launch, const rt::OutputSink &Sink)
    : Launch(Launch), Place(Launch.Broker),
      Chip(Launch.Chip, Launch.Model.Without),
      Reads(Launch.Code.Image, Launch.Chip.RegisterBanks,
            Launch.Model.Without.contains(rt::Limiter::RegisterBanks)),
      Staged(Launch.Code.Image), LeftOut(leftOutBarriers(Launch)),
      Profile(Launch),
      Memory(Chip.info(), Profile.Memory, Profile.Activity, Launch.Memory),
      Outcome(Launch, Sink), CTAsPerCore(residentCTAs(Launch, Chip.info())),
      Timed(makeSample(Launch, CTAsPerCore)) {
  // What shared memory takes of L1 is the same with any model.
  uint64_t Shared = std::min<uint64_t>(
      uint64_t(residentCTAs(Launch, Launch.Chip)) * Launch.SharedBytes,
      Launch.Chip.SharedBytesPerCore);
  if (Launch.Model.FindIdleBarriers && !Launch.Model.SampleWaves)
    Profile.Barriers = &Barriers.emplace(Launch.Code.Image.Insts.size());
  Cores.reserve(Launch.Chip.Cores);
  for (unsigned N = 0; N < Launch.Chip.Cores; ++N)
    Cores.emplace_back(Launch, Chip.info(), Reads, Staged, LeftOut, Profile,
                       Memory, N, Chip.info().L1Bytes - Shared);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// A place for each CTA of a cluster: always the core with the fewest.
bool TimedGrid::findCores(std::vector<uint32_t> &Found) const {
  uint64_t Count = Launch.Cluster.count();
  if (Count == 1) {
    auto It = std::min_element(
        Cores.begin(), Cores.end(),
        [](const Core &A, const Core &B) { return A.CTAs < B.CTAs; });
    Found.assign(1, It - Cores.begin());
    return It->CTAs < CTAsPerCore;
  }
  std::vector<unsigned> Load;
  Load.reserve(Cores.size());
  for (const Core &C : Cores)
    Load.push_back(C.CTAs);
  Found.clear();
  while (Found.size() < Count) {
    auto It = std::min_element(Load.begin(), Load.end());
    if (*It >= CTAsPerCore)
      return false;
    ++*It;
    Found.push_back(It - Load.begin());
  }
  return true;
}

CTA::Status TimedGrid::runUntimed(Cluster &C) {
  if (!Place.isShared())
    return C.run(UntimedInstructions);
  CTA::Status S = CTA::Status::Running;
  for (uint64_t Ran = 0;
       S == CTA::Status::Running && Ran < UntimedInstructions && !isCancelled();
       Ran += BorderSlice) {
    S = C.run(BorderSlice);
    letOthers();
  }
  return S;
}

/// The next cluster that is timed; those before it are executed. Null if there
/// is none, or after a fault.
std::unique_ptr<Cluster> TimedGrid::nextCluster() {
  bool IsInGap = false;
  while (!isCancelled()) {
    auto Number = Launch.Pending->begin();
    if (!Number)
      break;
    auto C = std::make_unique<Cluster>(Launch, *Number);
    if (Timed.isTimed(*Number)) {
      if (Barriers)
        C->Checkers.push_back(makeBarrierObserver(*C, *Barriers));
      if (IsInGap)
        Memory.endGap();
      return C;
    }
    if (!std::exchange(IsInGap, true))
      Memory.beginGap();
    C->Checkers.push_back(std::make_unique<CacheWarmer>(Memory));
    CTA::Status Status = runUntimed(*C);
    C->Checkers.pop_back();
    if (Status == CTA::Status::Running) {
      Memory.endGap();
      return C;
    }
    Outcome.add(*C);
    Faulted = Status == CTA::Status::Faulted;
    if (Faulted)
      return nullptr;
  }
  return nullptr;
}

/// Starts clusters while there is room, one in a cycle.
void TimedGrid::dispatch(Cycle Now) {
  std::vector<uint32_t> Found;
  while (!Launch.Pending->isEmpty() && findCores(Found)) {
    std::unique_ptr<Cluster> C = nextCluster();
    if (!C)
      return;
    NextDispatch = std::max(NextDispatch, Now);
    Timed.starts(C->Number, NextDispatch);
    start(std::move(C), Found, NextDispatch++);
  }
}

void TimedGrid::start(std::unique_ptr<Cluster> Code, ArrayRef<uint32_t> OnCores,
                      Cycle Now) {
  auto R = std::make_unique<ResidentCluster>();
  R->Code = std::move(Code);
  for (size_t N = 0; N < OnCores.size(); ++N) {
    CTA &Block = *R->Code->CTAs[N];
    Core &C = Cores[Block.Core = OnCores[N]];
    if (C.CTAs++ == 0)
      C.ActiveSince = Now;
    Block.Place = std::countr_one(C.Places);
    C.Places |= uint64_t(1) << Block.Place;
    for (const std::unique_ptr<Warp> &W : Block.warps()) {
      auto T = std::make_unique<TimedWarp>();
      T->Owner = &Block;
      T->W = W.get();
      T->Holder = R.get();
      T->Core = Block.Core;
      T->Scheduler = C.NumWarps++ % C.Schedulers.size();
      T->Begin = T->CountedTo = Now;
      T->Threads = std::popcount(W->live());
      T->ResumeAt = Now + Chip.info().CTALaunchCycles;
      C.prepare(*T, Now);
      C.Schedulers[T->Scheduler].Warps.push_back(T.get());
      schedule(T->Core, T->Scheduler, T->Earliest);
      R->Warps.push_back(std::move(T));
    }
  }
  R->Running = R->Warps.size();
  Resident.push_back(std::move(R));
}

void TimedGrid::finish(ResidentCluster &C, Cycle Now) {
  for (const std::unique_ptr<CTA> &Block : C.Code->CTAs) {
    Core &Owner = Cores[Block->Core];
    Owner.Places &= ~(uint64_t(1) << Block->Place);
    if (--Owner.CTAs == 0)
      Owner.ActiveCycles += Now - Owner.ActiveSince;
  }
  Outcome.add(*C.Code);
  Resident.erase(std::find_if(Resident.begin(), Resident.end(),
                              [&](auto &R) { return R.get() == &C; }));
  dispatch(Now + Chip.info().CTARetireCycles);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void TimedGrid::schedule(uint32_t Core, uint32_t Scheduler, Cycle At) {
  Cycle &Next = Cores[Core].Schedulers[Scheduler].NextEvent;
  if (At >= Next)
    return;
  Next = At;
  Events.push({At, Core, Scheduler});
}

/// The warps of a cluster that a barrier let go issue again after its latency.
void TimedGrid::wakeReleased(ResidentCluster &C, Cycle Now) {
  unsigned Latency =
      Chip.info().Timings[size_t(isa::LatencyClass::BAR)].Latency;
  for (const std::unique_ptr<CTA> &Block : C.Code->CTAs) {
    if (!Block->Released)
      continue;
    Block->Released = false;
    for (const std::unique_ptr<TimedWarp> &T : C.Warps) {
      if (T->Owner != Block.get() || !T->W->Released)
        continue;
      T->W->Released = false;
      T->ResumeAt = Now + Latency;
      T->ResumeReason = rt::StallReason::Barrier;
      Cores[T->Core].prepare(*T, Now);
      if (T->State == Warp::Status::Running)
        schedule(T->Core, T->Scheduler, T->Earliest);
    }
  }
}

/// One cycle of one scheduler.
void TimedGrid::handle(const Event &E) {
  Core &C = Cores[E.Core];
  Core::Scheduler &S = C.Schedulers[E.Scheduler];
  if (S.NextEvent != E.At) // Another one took its place.
    return;
  S.NextEvent = Never;
  Cycle Next;
  TimedWarp *W = C.choose(S, E.At, Next);
  if (!W) {
    schedule(E.Core, E.Scheduler, Next);
    return;
  }
  ResidentCluster &Holder = *W->Holder;
  LastIssue = E.At;
  if (!C.issue(S, *W, E.At)) {
    Outcome.add(*Holder.Code);
    Faulted = true;
    return;
  }
  schedule(E.Core, E.Scheduler, E.At + 1);
  if (W->Owner->Released || Holder.Code->CTAs.size() > 1)
    wakeReleased(Holder, E.At);
  if (W->State != Warp::Status::Done)
    return;
  if (Launch.Model.TraceWarps)
    Spans.push_back(
        {W->Owner->Number, W->W->Index, E.Core, W->Begin, E.At + 1});
  if (--Holder.Running == 0)
    finish(Holder, E.At + 1);
}

void TimedGrid::reportDeadlock() {
  for (const std::unique_ptr<ResidentCluster> &R : Resident)
    for (const std::unique_ptr<CTA> &Block : R->Code->CTAs)
      if (Block->status() == CTA::Status::Blocked) {
        Block->deadlock();
        return Outcome.add(*R->Code);
      }
}

/// The result of a launch that takes more cycles than it may.
rt::LaunchResult TimedGrid::tooLate() {
  rt::LaunchResult Result = Outcome.result();
  rt::Fault F;
  F.Kind = rt::FaultKind::Timeout;
  F.Kernel = Launch.Kernel.Name;
  F.Message = "more than " + std::to_string(Launch.Model.MaxCycles) + " cycles";
  Result.Fault = std::move(F);
  return Result;
}

rt::LaunchResult TimedGrid::run() {
  if (!Place.enter([this] { return !isCancelled(); }))
    return Outcome.result();
  dispatch(0);
  for (uint64_t N = 0; !Events.empty() && !Faulted; ++N) {
    if (N % EventsBetweenChecks == 0) {
      letOthers();
      if (isCancelled())
        return Outcome.result();
    }
    Event E = Events.top();
    Events.pop();
    handle(E);
    if (isTooLate(LastIssue + 1))
      return tooLate();
  }
  if (!Faulted && !Resident.empty()) {
    reportDeadlock();
    Faulted = true;
  }
  rt::LaunchResult Result = Outcome.result();
  if (Faulted)
    return Result;
  Cycle End = std::max(LastIssue + 1, Memory.end());
  uint64_t Active = 0;
  for (const Core &C : Cores) {
    End = std::max(End, C.lastStore());
    Active += C.ActiveCycles;
  }
  if (isTooLate(End))
    return tooLate();
  auto P = std::make_shared<rt::LaunchProfile>(Profile.finish(End, Active));
  P->Warps = std::move(Spans);
  P->Memory.Links = Memory.linkUses();
  P->Sample = Timed.estimate(End, Launch.Cluster.count());
  Result.Profile = std::move(P);
  return Result;
}

} // namespace

rt::LaunchResult runTimedGrid(const LaunchContext &Launch,
                              const rt::OutputSink &Sink) {
  return TimedGrid(Launch, Sink).run();
}

} // namespace heddle::emu
