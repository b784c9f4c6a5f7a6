//===- AsyncTiming.cpp - The time of asynchronous work ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When copies that threads do not wait for, and products in tensor memory, are
// over: an mbarrier does not see them before. And what prefetches bring.
//
//===----------------------------------------------------------------------===//

#include "../Cluster.h"
#include "Core.h"
#include "Execute/ExecuteMemory.h"

#include <algorithm>
#include <utility>

namespace heddle::emu {

using isa::CopyGroupOp;
using isa::LatencyClass;
using isa::Op;

/// The copies of a CPASYNC, each sector once.
Cycle Core::copyAsync(const TimedWarp &W, const DecodedInst &I, LaneMask Exec,
                      Cycle Now) {
  std::vector<uint64_t> Sectors;
  for (unsigned L : lanes(Exec))
    if (W.W->R[I.C][L])
      Sectors.push_back(W.W->reg64(I.B, L) / Chip.SectorBytes);
  std::sort(Sectors.begin(), Sectors.end());
  Sectors.erase(std::unique(Sectors.begin(), Sectors.end()), Sectors.end());
  Cycle Done = Now;
  for (uint64_t S : Sectors)
    Done = std::max(Done, Memory.stream(S, /*Writes=*/false, Now));
  return Done;
}

/// Holds a warp until copies of its threads are there.
static void waitForCopies(TimedWarp &W, const DecodedInst &I) {
  size_t Pending =
      CopyGroupOp(I.Select) == CopyGroupOp::Wait ? uint32_t(I.Offset) : 0;
  Cycle End =
      CopyGroupOp(I.Select) == CopyGroupOp::WaitAll ? W.OpenCopiesEnd : 0;
  for (size_t N = 0; N + Pending < W.CopyGroupsEnd.size(); ++N)
    End = std::max(End, W.CopyGroupsEnd[N]);
  if (End <= W.ResumeAt)
    return;
  W.ResumeAt = End;
  W.ResumeReason = rt::StallReason::LongScoreboard;
}

//===----------------------------------------------------------------------===//
// The model with staged loads as asynchronous copies
//===----------------------------------------------------------------------===//

bool Core::isStagedStore(const TimedWarp &W) const {
  return !W.StagedEnd.empty() && W.Inst && isSharedStore(*W.Inst) &&
         W.StagedEnd[W.Inst->C];
}

/// What the next instruction of a warp does to values on their way.
void Core::followStaged(TimedWarp &W) const {
  if (isStagedStore(W))
    W.StagedCopiesEnd = std::max(W.StagedCopiesEnd, W.StagedEnd[W.Inst->C]);
  for (RegId R : Launch.Code.Image.writes(*W.Inst))
    if (R < FirstPredicate)
      W.StagedEnd[R] = 0;
}

/// A store that takes neither an issue nor time: its load is the copy.
bool Core::storeStaged(TimedWarp &W, Cycle Now) {
  W.W->Time = Now;
  if (W.W->execOf(*W.Inst))
    followStaged(W);
  if (!W.Owner->stepWarp(W.W->Index))
    return false;
  prepare(W, Now);
  return true;
}

/// A load as a copy, for whose value no instruction waits.
CoreMemory::Times Core::copyStaged(TimedWarp &W, const DecodedInst &I,
                                   llvm::ArrayRef<Request> Requests,
                                   Cycle Now) {
  Cycle Done = Now;
  for (const Request &R : Requests)
    for (uint64_t S : R.Sectors)
      Done = std::max(Done, Memory.stream(S, /*Writes=*/false, Now));
  W.StagedEnd.resize(NumRows);
  W.StagedEnd[I.D] = Done;
  return {Now + 1, Now + 1};
}

/// Whether an instruction may read shared memory, or tells others that they
/// may.
static bool needsCopies(const DecodedInst &I) {
  if (I.Info->Operation == Op::BAR || I.Info->Operation == Op::CBAR ||
      isOtherAccess(I))
    return true;
  AccessInfo Info = accessInfo(I);
  return Info.IsAccess && Info.Kind != AccessKind::Store &&
         (Info.IsGeneric || Info.Space != AccessSpace::Global);
}

void Core::waitForStaged(TimedWarp &W, Cycle Now) const {
  if (W.StagedCopiesEnd <= std::max(Now, W.ResumeAt) || !W.Inst ||
      !needsCopies(*W.Inst))
    return;
  W.ResumeAt = W.StagedCopiesEnd;
  W.ResumeReason = rt::StallReason::LongScoreboard;
}

void Core::timeAsync(TimedWarp &W, const DecodedInst &I, LaneMask Exec,
                     Cycle Now) {
  switch (I.Info->Operation) {
  case Op::PREFETCH:
    return Memory.prefetch(prefetchedLines(*W.W, I, Exec), Now,
                           /*IntoL1=*/I.Cache == CacheOp::All);
  case Op::CPASYNC:
    W.OpenCopiesEnd = std::max(W.OpenCopiesEnd, copyAsync(W, I, Exec, Now));
    return;
  case Op::CPSYNC:
    if (CopyGroupOp(I.Select) == CopyGroupOp::Commit)
      return W.CopyGroupsEnd.push_back(std::exchange(W.OpenCopiesEnd, 0));
    if (CopyGroupOp(I.Select) == CopyGroupOp::Wait ||
        CopyGroupOp(I.Select) == CopyGroupOp::WaitAll)
      return waitForCopies(W, I);
    break; // An arrival after copies is work.
  case Op::BULK:
  case Op::TMA:
  case Op::STASYNC:
  case Op::TMMA:
  case Op::TCOPY:
  case Op::TCOMMIT:
    break;
  default:
    return;
  }
  uint64_t PerProduct =
      Channel::Ticks *
      Chip.Timings[static_cast<size_t>(LatencyClass::MMA)].Interval /
      Chip.SchedulersPerCore;
  auto Time = [&](const Warp &, const AsyncTraffic &T) -> uint64_t {
    Cycle Done = std::max(Now, W.OpenCopiesEnd);
    for (uint64_t S : T.Sectors)
      Done = std::max(Done, Memory.stream(S, T.Writes, Now));
    if (T.Writes)
      LastStore = std::max(LastStore, Done);
    if (!T.IsTensor)
      return Done;
    TensorFree = std::max(TensorFree, Now * Channel::Ticks);
    TensorFree += T.Products * PerProduct;
    return (TensorFree + Channel::Ticks - 1) / Channel::Ticks;
  };
  W.Owner->Owner.Async.timeNew(Time);
}

} // namespace heddle::emu
