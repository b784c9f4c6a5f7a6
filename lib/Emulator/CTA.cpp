//===- CTA.cpp - A block of threads -----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs warps in turns and completes barriers.
//
//===----------------------------------------------------------------------===//

#include "CTA.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::emu {

/// Instructions of a warp before the next one's turn.
static constexpr uint64_t WarpSlice = 512;

CTA::CTA(const LaunchContext &Launch, uint64_t Number)
    : Launch(Launch), Number(Number) {
  const rt::Dim3 &Grid = Launch.Config.Grid;
  Coordinates.X = Number % Grid.X;
  Coordinates.Y = Number / Grid.X % Grid.Y;
  Coordinates.Z = Number / Grid.X / Grid.Y;
  Shared.resize(Launch.SharedBytes);
  poison(Shared.data(), Shared.size());
  uint64_t Threads = threads();
  unsigned NumWarps = divideCeil(Threads, WarpSize);
  Local.resize(uint64_t(NumWarps) * WarpSize * Launch.LocalBytes);
  poison(Local.data(), Local.size());
  for (Barrier &B : Barriers)
    B.Arrived.resize(NumWarps);
  States.resize(NumWarps, Warp::Status::Running);
  for (unsigned W = 0; W < NumWarps; ++W) {
    uint64_t Rest = Threads - uint64_t(W) * WarpSize;
    LaneMask Exist =
        Rest >= WarpSize ? ~LaneMask(0) : (LaneMask(1) << Rest) - 1;
    // Not value-initialised: start sets what a warp begins with.
    Warps.emplace_back(new Warp);
    Warps.back()->start(*this, W, Exist);
  }
}

rt::Dim3 CTA::threadCoordinates(unsigned WarpIndex, unsigned Lane) const {
  const rt::Dim3 &Block = Launch.Config.Block;
  uint32_t Linear = WarpIndex * WarpSize + Lane;
  return {Linear % Block.X, Linear / Block.X % Block.Y,
          Linear / Block.X / Block.Y};
}

CTA::Status CTA::run(uint64_t MaxInstructions) {
  size_t Idle = 0;
  for (uint64_t Issued = 0; Issued < MaxInstructions;) {
    if (Idle == Warps.size())
      break;
    size_t W = NextWarp;
    NextWarp = (NextWarp + 1) % Warps.size();
    if (States[W] != Warp::Status::Running) {
      ++Idle;
      continue;
    }
    Idle = 0;
    States[W] = Warps[W]->run(WarpSlice);
    Issued += WarpSlice;
    if (Fault || !spendBudget(*Warps[W]))
      return Status::Faulted;
  }
  if (Idle < Warps.size())
    return Status::Running;
  for (Warp::Status S : States)
    if (S == Warp::Status::Blocked) {
      deadlock();
      return Status::Faulted;
    }
  return Status::Done;
}

bool CTA::spendBudget(Warp &W) {
  uint64_t Total = 0;
  for (const ClassCount &C : Counts)
    Total += C.Thread;
  uint64_t Delta = Total - Reported;
  Reported = Total;
  uint64_t Spent =
      Launch.Spent.fetch_add(Delta, std::memory_order_relaxed) + Delta;
  if (Spent <= Launch.Config.MaxThreadInstructions)
    return true;
  W.fault(rt::FaultKind::Timeout, W.anyLane(),
          "more than " + std::to_string(Launch.Config.MaxThreadInstructions) +
              " thread instructions");
  return false;
}

void CTA::deadlock() {
  std::string Text = "no thread of the CTA can go on";
  Warp *First = nullptr;
  for (size_t W = 0; W < Warps.size(); ++W)
    if (States[W] == Warp::Status::Blocked) {
      First = First ? First : Warps[W].get();
      Text += Warps[W]->describeWait();
    }
  Text += describeBarriers();
  First->blame();
  First->fault(rt::FaultKind::Deadlock, First->anyLane(), std::move(Text));
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void CTA::arrive(Warp &W, LaneMask Lanes, unsigned Number, uint32_t Expected,
                 BarrierMode Mode, LaneMask True, const DecodedInst &I) {
  unsigned Lane = std::countr_zero(Lanes);
  if (Number >= Barriers.size())
    return W.fault(rt::FaultKind::IllegalInstruction, Lane,
                   "there is no barrier " + std::to_string(Number));
  if (Expected % WarpSize)
    return W.fault(rt::FaultKind::IllegalInstruction, Lane,
                   "a barrier for " + std::to_string(Expected) +
                       " threads, which is no multiple of the warp size");
  Barrier &B = Barriers[Number];
  if (!B.InUse) {
    B.InUse = true;
    B.Expected = Expected;
    B.TrueCount = 0;
    B.AllTrue = true;
    B.AnyTrue = false;
  } else if (B.Expected != Expected) {
    return W.fault(rt::FaultKind::IllegalInstruction, Lane,
                   "barrier " + std::to_string(Number) + " is in use for " +
                       std::to_string(B.Expected) + " threads, not for " +
                       std::to_string(Expected));
  }
  B.Extra += std::popcount(B.Arrived[W.Index] & Lanes);
  B.Arrived[W.Index] |= Lanes;
  B.TrueCount += std::popcount(True & Lanes);
  B.AllTrue &= (Lanes & ~True) == 0;
  B.AnyTrue |= (Lanes & True) != 0;
  if (Mode != BarrierMode::Arrive) {
    W.waitBarrier(Lanes);
    B.Waiters.push_back({W.Index, Lanes, Mode, &I});
  }
  if (isComplete(B))
    complete(B);
}

/// Threads that have arrived. Lanes that ended, or never were, count with the
/// other lanes of their warp, so that a count can be a multiple of the warp
/// size whatever the size of the CTA is.
uint64_t CTA::arrivals(const Barrier &B) const {
  uint64_t Count = B.Extra;
  for (size_t W = 0; W < Warps.size(); ++W)
    if (B.Arrived[W])
      Count += std::popcount(B.Arrived[W] | Warps[W]->dead());
  return Count;
}

bool CTA::isComplete(const Barrier &B) const {
  if (!B.InUse)
    return false;
  if (B.Expected)
    return arrivals(B) >= B.Expected;
  for (size_t W = 0; W < Warps.size(); ++W)
    if (Warps[W]->live() & ~B.Arrived[W])
      return false;
  return true;
}

void CTA::complete(Barrier &B) {
  for (const Barrier::Waiter &Waiter : B.Waiters) {
    Warp &W = *Warps[Waiter.Warp];
    const DecodedInst &I = *Waiter.Inst;
    bool Result = Waiter.Mode == BarrierMode::And ? B.AllTrue : B.AnyTrue;
    if (Waiter.Mode == BarrierMode::Count)
      for (unsigned L : lanes(Waiter.Lanes))
        W.R[I.D][L] = B.TrueCount;
    else if (Waiter.Mode != BarrierMode::Sync)
      W.P[I.P] = Result ? W.P[I.P] | Waiter.Lanes : W.P[I.P] & ~Waiter.Lanes;
    W.releaseBarrier(Waiter.Lanes);
    States[Waiter.Warp] = Warp::Status::Running;
  }
  B.Waiters.clear();
  std::fill(B.Arrived.begin(), B.Arrived.end(), 0);
  B.Extra = 0;
  B.InUse = false;
}

void CTA::lanesExited() {
  for (Barrier &B : Barriers)
    if (isComplete(B))
      complete(B);
}

std::string CTA::describeBarriers() const {
  std::string Text;
  for (size_t N = 0; N < Barriers.size(); ++N) {
    const Barrier &B = Barriers[N];
    if (!B.InUse)
      continue;
    uint64_t Live = 0;
    for (const auto &W : Warps)
      Live += std::popcount(W->live());
    Text += "; at barrier " + std::to_string(N) + " " +
            std::to_string(arrivals(B)) + " of " +
            std::to_string(B.Expected ? B.Expected : Live) +
            " threads have arrived";
  }
  return Text;
}

} // namespace heddle::emu
