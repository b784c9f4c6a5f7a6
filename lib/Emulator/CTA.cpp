//===- CTA.cpp - A block of threads -----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs warps in time slices and completes barriers.
//
//===----------------------------------------------------------------------===//

#include "Checkers/Checker.h"
#include "Cluster.h"
#include "Code/LiveRegisters.h"
#include "Execute/Execute.h"
#include "KernelCode.h"
#include "Matrix/TensorMemory.h"
#include "TimeSlices.h"
#include "WaitReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::emu {

/// Instructions in the time slice of a warp.
static constexpr uint64_t WarpSlice = 512;
/// Warp instructions of a CTA after which the launch hears of them.
static constexpr uint64_t ReportedSlice = 1 << 13;
/// More thread instructions than all CTAs that a host runs at a time have not
/// reported.
static constexpr uint64_t MostUnreported = uint64_t(1) << 34;
/// What a slice of a warp counts for that waits in a loop for what another
/// device, another process or the host stores: a CTA is not to wait through a
/// slice of its own while those that it waits for have no turn.
static constexpr uint64_t PollingSlice = 1 << 16;
/// So many loads in a slice, behind what it stores, are such a loop.
static constexpr uint32_t PollsOfLoop = 8;
/// The most instructions in a warp's time slice of a random schedule.
static constexpr uint64_t RandomSlice = 8;

CTA::CTA(Cluster &Owner)
    : Owner(Owner), Launch(Owner.Launch),
      Local(divideCeil(threads(), WarpSize), Launch.LocalBytes),
      Reductions(Owner.Reductions) {
  unsigned NumWarps = divideCeil(threads(), WarpSize);
  Shared.resize(Launch.SharedBytes);
  static const Allocation NoBlock; // Nothing lies in it.
  std::fill(std::begin(AccessBlocks), std::end(AccessBlocks), &NoBlock);
  SharedHost = Shared.data();
  SharedSize = Shared.size();
  States.resize(NumWarps);
  for (unsigned W = 0; W < NumWarps; ++W) { // Not value-initialised.
    Warps.emplace_back(new Warp);
    Warps[W]->belongTo(*this, W);
    if (W)
      Warps[W - 1]->Following = Warps[W].get();
  }
  NumWholeWarps = threads() / WarpSize;
  StateAtFirst = Warp::beginning(Launch.Entry, WarpSlice);
  Shape = {Launch.Config.Block, {}, Launch.Config.Grid};
  Parameters = Launch.Config.Params.data();
  ParameterBytes = Launch.Config.Params.size();
  if (Launch.HostCode)
    writeThreadRows();
}

void CTA::writeThreadRows() {
  Threads.resize(Warps.size() * 3);
  for (size_t W = 0; W < Warps.size(); ++W)
    for (unsigned L = 0; L < WarpSize; ++L) {
      rt::Dim3 At = threadCoordinates(W, L);
      Threads[W * 3].Lanes[L] = At.X;
      Threads[W * 3 + 1].Lanes[L] = At.Y;
      Threads[W * 3 + 2].Lanes[L] = At.Z;
    }
  ThreadRows = Threads.data()->Lanes;
}

void CTA::begin(rt::Dim3 At) {
  Coordinates = Shape[1] = At;
  const rt::Dim3 &Grid = Launch.Config.Grid;
  Number = Coordinates.X +
           Grid.X * (Coordinates.Y + uint64_t(Grid.Y) * Coordinates.Z);
  auto [Round, OfRound] = divide(Number, Launch.Chip.Cores);
  Core = OfRound;
  Place = divide(Round, Launch.Chip.CTAsPerCore).second;
  poison(Shared.data(), Shared.size());
  Local.forget();
  Tensor.reset();
  Output.clear();
  Fault.reset();
  Released = false;
  forgetBarriers();
  NextWarp = 0;
  Leaving = 0;
  Steps = 0;
  Translated = Launch.HostCode ? Launch.HostCode->ready() : nullptr;
  TimesTranslated += Translated != nullptr;
  if (Translated && StretchCounts.empty()) {
    StretchCounts.resize(Translated->Stretches.size());
    StretchHost = StretchCounts.data();
  }
  std::fill(States.begin(), States.end(), Warp::Status::Running);
  LiveWarps = Warps.size();
  NumBegun = 0;
  // What looks at no other warp leaves those alone that have not begun.
  if (Translated && Translated->BeginsWarps)
    return;
  for (; NumBegun < Warps.size(); ++NumBegun)
    startWarp(NumBegun);
}

void CTA::startWarp(size_t W) {
  uint64_t Rest = threads() - W * WarpSize;
  Warps[W]->start(Rest >= WarpSize ? ~LaneMask(0) : (LaneMask(1) << Rest) - 1);
}

void CTA::Barrier::forget() {
  std::fill(Gathering.begin(), Gathering.end(), 0);
  std::fill(Arrived.begin(), Arrived.end(), false);
  Threads = Expected = 0;
  InUse = false;
  Waiters.clear();
  Known.clear();
}

void CTA::forgetBarriers() {
  for (unsigned N : lanes(UsedBarriers))
    Barriers[N].forget();
  UsedBarriers = 0;
}

CTA::~CTA() {
  if (Launch.Relaxed)
    Launch.Relaxed->forget(Shared.data(), Shared.size());
}

const LiveRegisters &LaunchContext::liveRegisters() const {
  std::call_once(LiveFound, [this] {
    Live = std::make_shared<LiveRegisters>(Code.Image, Entry);
  });
  return *Live;
}

rt::Dim3 CTA::threadCoordinates(unsigned WarpIndex, unsigned Lane) const {
  const rt::Dim3 &Block = Launch.Config.Block;
  uint32_t Linear = WarpIndex * WarpSize + Lane;
  return {Linear % Block.X, Linear / Block.X % Block.Y,
          Linear / Block.X / Block.Y};
}

CTA::Status CTA::run(uint64_t MaxInstructions) {
  size_t Idle = 0;
  Polled = !Launch.Schedule;
  for (uint64_t Issued = 0; Issued < MaxInstructions;) {
    // A random schedule draws its numbers to the end all the same.
    if (Idle == Warps.size() || (!lives() && !Launch.Schedule))
      break;
    size_t W = Launch.Schedule ? chooseWarp() : NextWarp;
    NextWarp = NextWarp + 1 == Warps.size() ? 0 : NextWarp + 1;
    if (States[W] != Warp::Status::Running) {
      ++Idle;
      continue;
    }
    Idle = 0;
    if (W >= NumBegun && mayBeginWarps(W, MaxInstructions - Issued)) {
      NumBegun = beginWarps(W) + 1;
      NextWarp = NumBegun == Warps.size() ? 0 : NumBegun;
      for (; W < NumBegun; ++W)
        Issued += charge(W, Warps[W]->issued(), WarpSlice);
      if (hasEnded(*Warps[W - 1]))
        return Status::Faulted;
      continue;
    }
    for (; NumBegun <= W; ++NumBegun)
      startWarp(NumBegun);
    bool IsFirst = Launch.LeaveInTurns && (Leaving >> W & 1);
    Leaving &= ~(1U << W);
    uint64_t Slice = Launch.Schedule ? 1 + Launch.Schedule->below(RandomSlice)
                     : IsFirst       ? FirstSlice
                                     : WarpSlice;
    uint64_t Before = Warps[W]->issued();
    Warps[W]->Polls = 0;
    States[W] = Warps[W]->run(Slice, /*Exactly=*/IsFirst);
    Issued += charge(W, Warps[W]->issued() - Before, Slice);
    if (hasEnded(*Warps[W]))
      return Status::Faulted;
  }
  Status Result = status();
  if (Result == Status::Done && isLimitNear() && !spendBudget(*Warps.front()))
    return Status::Faulted;
  return Result;
}

/// What the time slice of a warp that executed \p Ran instructions counts for.
uint64_t CTA::charge(size_t W, uint64_t Ran, uint64_t Slice) {
  bool Polls = Warps[W]->Polls >= PollsOfLoop && !Launch.Schedule;
  Polled &= Polls;
  Unreported += Ran;
  // A warp that gives up its time slice may wait in a loop for another CTA.
  if (Polls)
    return PollingSlice;
  return States[W] == Warp::Status::Running ? Slice : Ran;
}

/// Ends the slice of \p Last. Whether it was the CTA's last one.
bool CTA::hasEnded(Warp &Last) {
  if (Reductions)
    Reductions->endSlice();
  return Fault || (Unreported >= (isLimitNear() ? WarpSlice : ReportedSlice) &&
                   !spendBudget(Last));
}

/// Whether translated code may begin the whole warps from \p First on by
/// itself. It does not see when the time of a CTA is over.
bool CTA::mayBeginWarps(size_t First, uint64_t MaxInstructions) const {
  return First < NumWholeWarps && Translated && Translated->BeginsWarps &&
         (NumWholeWarps - First) * 2 * WarpSlice <= MaxInstructions &&
         !isLimitNear();
}

bool CTA::stepWarp(size_t W) {
  Warps[W]->step();
  return !Fault && (++Steps % WarpSlice || spendBudget(*Warps[W]));
}

CTA::Status CTA::status() const {
  bool Blocked = false;
  for (Warp::Status S : States) {
    if (S == Warp::Status::Running)
      return Status::Running;
    Blocked |= S == Warp::Status::Blocked;
  }
  return Blocked ? Status::Blocked : Status::Done;
}

const Allocation *CTA::findOtherBlock(uint64_t Address) {
  const Allocation *A = Launch.Memory.find(Address);
  if (!A || !A->Live.load(std::memory_order_relaxed))
    return nullptr;
  RecentBlocks[OldestBlock++ % RecentBlocks.size()] = A;
  return A;
}

/// Any warp that can run; if there is none, the next one.
size_t CTA::chooseWarp() {
  size_t First = Launch.Schedule->below(Warps.size());
  for (size_t N = 0; N < Warps.size(); ++N) {
    size_t W = (First + N) % Warps.size();
    if (States[W] == Warp::Status::Running)
      return W;
  }
  return NextWarp;
}

void CTA::report() {
  countStretches();
  uint64_t Total = 0;
  for (const ClassCount &C : Counts)
    Total += C.Thread;
  Unreported = 0;
  uint64_t Delta = Total - Reported;
  Reported = Total;
  if (Launch.HostCode && !Translated)
    Launch.HostCode->count(Delta);
  Launch.Spent.fetch_add(Delta, std::memory_order_relaxed);
}

void CTA::forgetCounts() {
  Counts = {};
  Events = {};
  TimesTranslated = Reported = 0;
}

/// Whether what no CTA has reported yet might be too much.
bool CTA::isLimitNear() const {
  uint64_t Spent = Launch.Spent.load(std::memory_order_relaxed);
  return Spent + MostUnreported > Launch.Config.MaxThreadInstructions;
}

/// Reports. False, with a fault, if it was more than the launch may execute.
bool CTA::spendBudget(Warp &W) {
  report();
  if (Launch.Spent.load(std::memory_order_relaxed) <=
      Launch.Config.MaxThreadInstructions)
    return true;
  W.fault(rt::FaultKind::Timeout, W.anyLane(),
          "more than " + std::to_string(Launch.Config.MaxThreadInstructions) +
              " thread instructions");
  return false;
}

void CTA::deadlock() {
  WaitReport Report;
  Warp *First = nullptr;
  for (size_t W = 0; W < Warps.size(); ++W)
    if (States[W] == Warp::Status::Blocked) {
      First = First ? First : Warps[W].get();
      Warps[W]->describeWaits(Report);
    }
  First->blame();
  First->fault(rt::FaultKind::Deadlock, First->anyLane(),
               "no thread of the " +
                   std::string(Owner.CTAs.size() > 1 ? "cluster" : "CTA") +
                   " can go on" + Report.text() + describeBarriers());
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void CTA::arrive(Warp &W, LaneMask Lanes, unsigned Number, uint32_t Expected,
                 BarMode Mode, LaneMask True, const DecodedInst &I) {
  unsigned Lane = std::countr_zero(Lanes);
  if (Number >= Barriers.size())
    return W.fault(rt::FaultKind::IllegalInstruction, Lane,
                   "there is no barrier " + std::to_string(Number));
  if (Expected % WarpSize)
    return W.fault(rt::FaultKind::IllegalInstruction, Lane,
                   "a barrier for " + std::to_string(Expected) +
                       " threads, which is no multiple of the warp size");
  Barrier &B = Barriers[Number];
  if (!(UsedBarriers >> Number & 1)) {
    UsedBarriers |= uint32_t(1) << Number;
    B.Gathering.resize(Warps.size());
    B.Arrived.resize(Warps.size());
  }
  if (!B.InUse) {
    B.InUse = true;
    B.Expected = Expected;
  } else if (B.Expected != Expected) {
    return W.fault(rt::FaultKind::IllegalInstruction, Lane,
                   "barrier " + std::to_string(Number) + " is in use for " +
                       std::to_string(B.Expected) + " threads, not for " +
                       std::to_string(Expected));
  }
  for (const std::unique_ptr<Checker> &Check : Owner.Checkers)
    Check->arriveAtBarrier(*this, Number, W, Lanes, I);
  if (W.faulted())
    return;
  B.Gathering[W.Index] |= Lanes;
  if (W.Observer)
    B.Known.join(W.Observer->View);
  W.waitBarrier(Lanes);
  B.Waiters.push_back({W.Index, Lanes, True & Lanes, Mode, &I});
  warpMayArrive(B, W.Index);
  if (isComplete(B))
    complete(B);
}

/// Marks the arrival of a warp if all its lanes that live have come; those that
/// need not wait for other warps go on.
void CTA::warpMayArrive(Barrier &B, size_t W) {
  if (!B.Gathering[W] || Warps[W]->live() & ~B.Gathering[W])
    return;
  B.Gathering[W] = 0;
  B.Arrived[W] = true;
  B.Threads += WarpSize;
  llvm::erase_if(B.Waiters, [&](const Barrier::Waiter &Waiter) {
    if (Waiter.Warp != W || Waiter.Mode != BarMode::Arrive)
      return false;
    Warps[W]->releaseBarrier(Waiter.Lanes);
    States[W] = Warp::Status::Running;
    return true;
  });
}

bool CTA::isComplete(const Barrier &B) const {
  if (!B.InUse)
    return false;
  if (B.Expected)
    return B.Threads >= B.Expected;
  if (B.Threads / WarpSize < LiveWarps) // Some warp has not come.
    return false;
  for (size_t W = 0; W < Warps.size(); ++W)
    if (Warps[W]->live() && !B.Arrived[W])
      return false;
  return true;
}

/// Lanes that still wait for others of their warp come to the next phase.
void CTA::complete(Barrier &B) {
  for (const std::unique_ptr<Checker> &Check : Owner.Checkers)
    Check->completeBarrier(*this, &B - Barriers.data());
  auto Stays = std::partition(
      B.Waiters.begin(), B.Waiters.end(), [&](const Barrier::Waiter &Waiter) {
        return (Waiter.Lanes & B.Gathering[Waiter.Warp]) == 0;
      });
  auto Released = llvm::make_range(B.Waiters.begin(), Stays);
  uint64_t Count = 0, TrueCount = 0;
  for (const Barrier::Waiter &Waiter : Released) {
    Count += std::popcount(Waiter.Lanes);
    TrueCount += std::popcount(Waiter.True);
  }
  uint32_t Leave = 0;
  for (const Barrier::Waiter &Waiter : Released) {
    Warp &W = *Warps[Waiter.Warp];
    const DecodedInst &I = *Waiter.Inst;
    bool Result =
        Waiter.Mode == BarMode::And ? TrueCount == Count : TrueCount != 0;
    if (Waiter.Mode == BarMode::Count)
      for (unsigned L : lanes(Waiter.Lanes))
        W.R[I.D][L] = TrueCount;
    else if (Waiter.Mode != BarMode::Sync)
      writePredicate(W, I.P, Waiter.Lanes, Result ? ~LaneMask(0) : 0);
    if (W.Observer)
      W.Observer->View.join(B.Known);
    W.releaseBarrier(Waiter.Lanes);
    States[Waiter.Warp] = Warp::Status::Running;
    Leave |= 1U << Waiter.Warp;
  }
  Leaving |= Leave;
  // Where others stay behind, the first warps must not have all turns.
  if (static_cast<unsigned>(std::popcount(Leave)) == LiveWarps)
    NextWarp = 0;
  B.Waiters.erase(B.Waiters.begin(), Stays);
  if (B.Waiters.empty())
    B.Known.clear();
  std::fill(B.Arrived.begin(), B.Arrived.end(), false);
  B.Threads = 0;
  B.InUse = !B.Waiters.empty();
}

bool CTA::hasArrivedAtCluster() const {
  return std::all_of(Warps.begin(), Warps.end(), [](const auto &W) {
    return (W->live() & ~W->ArrivedAtCluster) == 0;
  });
}

void CTA::tell(MemoryView &All) const {
  for (const std::unique_ptr<Warp> &W : Warps)
    if (W->Observer)
      All.join(W->Observer->View);
}

void CTA::completeClusterBarrier(const MemoryView &Known) {
  for (size_t W = 0; W < Warps.size(); ++W) {
    if (Warps[W]->Observer)
      Warps[W]->Observer->View.join(Known);
    Warps[W]->ArrivedAtCluster = 0;
    Warps[W]->releaseClusterBarrier();
    if (States[W] == Warp::Status::Blocked)
      States[W] = Warp::Status::Running;
  }
}

void CTA::leaveBarriers() {
  for (unsigned N : lanes(UsedBarriers)) {
    Barrier &B = Barriers[N];
    for (size_t W = 0; B.InUse && W < Warps.size(); ++W)
      warpMayArrive(B, W);
    if (isComplete(B))
      complete(B);
  }
}

std::string CTA::describeBarriers() const {
  std::string Text;
  for (size_t N = 0; N < Barriers.size(); ++N) {
    const Barrier &B = Barriers[N];
    if (!B.InUse)
      continue;
    uint64_t Live = 0, Waiting = 0;
    for (size_t W = 0; W < Warps.size(); ++W) {
      Live += std::popcount(Warps[W]->live());
      Waiting += std::popcount(B.Gathering[W]);
    }
    Text += "; at barrier " + std::to_string(N) + " " +
            std::to_string(B.Threads) + " of " +
            std::to_string(B.Expected ? B.Expected : Live) +
            " threads have arrived";
    if (Waiting)
      Text +=
          ", " + std::to_string(Waiting) + " wait for others of their warps";
  }
  return Text;
}

} // namespace heddle::emu
