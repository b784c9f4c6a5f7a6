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
#include "Core.h"

#include <algorithm>
#include <queue>

using namespace llvm;

namespace heddle::emu {

/// A cluster on the chip.
struct ResidentCluster {
  std::unique_ptr<Cluster> Code;
  std::vector<std::unique_ptr<TimedWarp>> Warps;
  std::vector<uint32_t> Cores; ///< Of the CTAs.
  size_t Running = 0;          ///< Warps that are not done.
};

namespace {

/// Events after which a launch looks whether somebody has cancelled it.
constexpr uint64_t EventsBetweenChecks = 1 << 14;

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
  bool findCores(std::vector<uint32_t> &Found) const;
  void start(std::vector<uint32_t> OnCores, Cycle Now);
  void schedule(uint32_t Core, uint32_t Scheduler, Cycle At);
  bool handle(const Event &E);
  void wakeReleased(ResidentCluster &C, Cycle Now);
  void finish(ResidentCluster &C, Cycle Now);
  void reportDeadlock();
  bool isCancelled() const {
    const std::atomic<bool> *Cancel = Launch.Config.Cancel;
    return Cancel && Cancel->load(std::memory_order_relaxed);
  }

  const LaunchContext &Launch;
  Profiler Profile;
  ChipMemory Memory;
  GridOutcome Outcome;
  std::vector<Core> Cores;
  unsigned CTAsPerCore;
  uint64_t NumClusters, NextCluster = 0;
  std::vector<std::unique_ptr<ResidentCluster>> Resident; ///< As they started.
  std::priority_queue<Event, std::vector<Event>, std::greater<>> Events;
  std::vector<rt::WarpSpan> Spans;
  Cycle NextDispatch = 0, LastIssue = 0;
};

TimedGrid::TimedGrid(const LaunchContext &Launch, const rt::OutputSink &Sink)
    : Launch(Launch), Profile(Launch), Memory(Launch.Chip, Profile.Memory),
      Outcome(Launch, Sink) {
  const isa::ChipInfo &Chip = Launch.Chip;
  NumClusters = Launch.Config.Grid.count() / Launch.Cluster.count();
  rt::Occupancy O = rt::computeOccupancy(
      rt::chipProperties(Chip), Launch.Kernel, Launch.Config.Block.count(),
      Launch.Config.DynamicSharedBytes);
  CTAsPerCore = std::max(O.CTAsPerCore, 1u);
  uint64_t Shared = std::min<uint64_t>(
      uint64_t(CTAsPerCore) * Launch.SharedBytes, Chip.SharedBytesPerCore);
  Cores.reserve(Chip.Cores);
  for (unsigned N = 0; N < Chip.Cores; ++N)
    Cores.emplace_back(Launch, Profile, Memory, Chip.L1Bytes - Shared);
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

/// Starts clusters while there is room, one in a cycle.
void TimedGrid::dispatch(Cycle Now) {
  std::vector<uint32_t> Found;
  while (NextCluster < NumClusters && findCores(Found)) {
    NextDispatch = std::max(NextDispatch, Now);
    start(Found, NextDispatch++);
  }
}

void TimedGrid::start(std::vector<uint32_t> OnCores, Cycle Now) {
  auto R = std::make_unique<ResidentCluster>();
  R->Code = std::make_unique<Cluster>(Launch, NextCluster++);
  R->Cores = std::move(OnCores);
  for (size_t N = 0; N < R->Cores.size(); ++N) {
    CTA &Block = *R->Code->CTAs[N];
    Core &C = Cores[Block.Core = R->Cores[N]];
    if (C.CTAs++ == 0)
      C.ActiveSince = Now;
    for (const std::unique_ptr<Warp> &W : Block.warps()) {
      auto T = std::make_unique<TimedWarp>();
      T->Owner = &Block;
      T->W = W.get();
      T->Holder = R.get();
      T->Core = Block.Core;
      T->Scheduler = C.NumWarps++ % C.Schedulers.size();
      T->Begin = T->CountedTo = Now;
      T->ResumeAt = Now + Launch.Chip.CTALaunchCycles;
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
  for (uint32_t Number : C.Cores) {
    Core &Owner = Cores[Number];
    if (--Owner.CTAs == 0)
      Owner.ActiveCycles += Now - Owner.ActiveSince;
  }
  Outcome.add(*C.Code);
  Resident.erase(std::find_if(Resident.begin(), Resident.end(),
                              [&](auto &R) { return R.get() == &C; }));
  dispatch(Now);
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
      Launch.Chip.Timings[size_t(isa::LatencyClass::BAR)].Latency;
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

/// One cycle of one scheduler. False after a fault.
bool TimedGrid::handle(const Event &E) {
  Core &C = Cores[E.Core];
  Core::Scheduler &S = C.Schedulers[E.Scheduler];
  if (S.NextEvent != E.At) // Another one took its place.
    return true;
  S.NextEvent = Never;
  Cycle Next;
  TimedWarp *W = C.choose(S, E.At, Next);
  if (!W) {
    schedule(E.Core, E.Scheduler, Next);
    return true;
  }
  ResidentCluster &Holder = *W->Holder;
  LastIssue = E.At;
  if (!C.issue(S, *W, E.At)) {
    Outcome.add(*Holder.Code);
    return false;
  }
  schedule(E.Core, E.Scheduler, E.At + 1);
  if (W->Owner->Released || Holder.Code->CTAs.size() > 1)
    wakeReleased(Holder, E.At);
  if (W->State != Warp::Status::Done)
    return true;
  if (Launch.TraceWarps)
    Spans.push_back(
        {W->Owner->Number, W->W->Index, E.Core, W->Begin, E.At + 1});
  if (--Holder.Running == 0)
    finish(Holder, E.At + 1);
  return true;
}

void TimedGrid::reportDeadlock() {
  for (const std::unique_ptr<ResidentCluster> &R : Resident)
    for (const std::unique_ptr<CTA> &Block : R->Code->CTAs)
      if (Block->status() == CTA::Status::Blocked) {
        Block->deadlock();
        return Outcome.add(*R->Code);
      }
}

rt::LaunchResult TimedGrid::run() {
  dispatch(0);
  bool Faulted = false;
  for (uint64_t N = 0; !Events.empty() && !Faulted; ++N) {
    if (N % EventsBetweenChecks == 0 && isCancelled())
      return Outcome.result();
    Event E = Events.top();
    Events.pop();
    Faulted = !handle(E);
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
  auto P = std::make_shared<rt::LaunchProfile>(Profile.finish(End, Active));
  P->Warps = std::move(Spans);
  Result.Profile = std::move(P);
  return Result;
}

} // namespace

rt::LaunchResult runTimedGrid(const LaunchContext &Launch,
                              const rt::OutputSink &Sink) {
  return TimedGrid(Launch, Sink).run();
}

} // namespace heddle::emu
