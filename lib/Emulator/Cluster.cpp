//===- Cluster.cpp - CTAs that run together ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs CTAs in time slices and completes the cluster's barrier.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include <algorithm>

namespace heddle::emu {

/// Warp instructions in the time slice of a CTA, in a cluster of
/// several: what it costs to wait for another one in a loop.
static constexpr uint64_t SliceInstructions = 4096;

/// Clusters side by side, or groups of merged CTAs and those left over.
static uint64_t columns(const LaunchContext &Launch) {
  uint32_t X = Launch.Config.Grid.X, Merged = Launch.Kernel.MergedCTAs;
  return X / (Merged * Launch.Cluster.X) + X % Merged;
}

uint64_t Cluster::countIn(const LaunchContext &Launch) {
  const rt::Dim3 &Grid = Launch.Config.Grid, &Size = Launch.Cluster;
  return columns(Launch) * (Grid.Y / Size.Y) * (Grid.Z / Size.Z);
}

rt::Dim3 Cluster::firstCTA(const LaunchContext &Launch, uint64_t Number) {
  const rt::Dim3 &Size = Launch.Cluster, &Grid = Launch.Config.Grid;
  auto [OfRows, Column] = divide(Number, columns(Launch));
  auto [Z, Y] = divide(OfRows, Grid.Y / Size.Y);
  uint64_t X = Column * Size.X;
  uint64_t Merged = Launch.Kernel.MergedCTAs;
  if (Merged > 1) { // Then clusters are single CTAs.
    uint64_t Groups = Grid.X / Merged;
    X = Column < Groups ? Column * Merged : Groups * Merged + (Column - Groups);
  }
  return {uint32_t(X), uint32_t(Y * Size.Y), uint32_t(Z * Size.Z)};
}

Cluster::Cluster(const LaunchContext &Launch, uint64_t Number,
                 ReductionBuffer *Reductions)
    : Launch(Launch), Number(Number), Reductions(Reductions), Async(*this) {
  for (uint64_t N = 0; N < Launch.Cluster.count(); ++N)
    CTAs.push_back(std::make_unique<CTA>(*this));
  placeCTAs();
  Checkers = makeCheckers(Launch.Checks, *this);
  if (Launch.Probes)
    Checkers.push_back(makeProbeCounter(Launch.Code.Probes, *Launch.Probes));
}

void Cluster::begin(uint64_t TheNumber) {
  Number = TheNumber;
  Async.reset();
  UsesBarrier = false;
  placeCTAs();
}

void Cluster::placeCTAs() {
  const rt::Dim3 &Size = Launch.Cluster;
  rt::Dim3 First = firstCTA(Launch, Number);
  uint32_t Rank = 0;
  for (uint32_t Z = 0; Z < Size.Z; ++Z)
    for (uint32_t Y = 0; Y < Size.Y; ++Y)
      for (uint32_t X = 0; X < Size.X; ++X)
        CTAs[Rank++]->begin({First.X + X, First.Y + Y, First.Z + Z});
}

CTA::Status Cluster::run(uint64_t MaxInstructions) {
  bool IsWhole = CTAs.size() == 1 || Launch.Schedule;
  uint64_t Slice = IsWhole ? MaxInstructions : SliceInstructions;
  CTA::Status S = CTA::Status::Running;
  for (uint64_t Spent = 0; S == CTA::Status::Running && Spent < MaxInstructions;
       Spent += Slice * CTAs.size()) {
    S = runEach(Slice);
    if (polled())
      break;
  }
  return S;
}

bool Cluster::polled() const {
  return std::all_of(CTAs.begin(), CTAs.end(),
                     [](const auto &C) { return C->Polled; });
}

/// Gives each CTA a time slice.
CTA::Status Cluster::runEach(uint64_t MaxInstructions) {
  for (const std::unique_ptr<CTA> &C : CTAs)
    if (C->run(MaxInstructions) == CTA::Status::Faulted)
      return CTA::Status::Faulted;
  // A CTA may have been released after its time slice.
  CTA *Blocked = nullptr;
  for (const std::unique_ptr<CTA> &C : CTAs) {
    CTA::Status S = C->status();
    if (S == CTA::Status::Running)
      return S;
    if (S == CTA::Status::Blocked && !Blocked)
      Blocked = C.get();
  }
  if (!Blocked)
    return CTA::Status::Done;
  Blocked->deadlock();
  return CTA::Status::Faulted;
}

//===----------------------------------------------------------------------===//
// The barrier
//===----------------------------------------------------------------------===//

void Cluster::arrive(Warp &W, LaneMask Lanes) {
  W.ArrivedAtCluster |= Lanes;
  UsesBarrier = true;
  tryComplete();
}

void Cluster::wait(Warp &W, LaneMask Lanes) {
  // The phase of the others is over.
  if (LaneMask Pending = Lanes & W.ArrivedAtCluster)
    W.waitClusterBarrier(Pending);
}

/// All threads of \p Last have exited; whether those of all CTAs have.
void Cluster::checkEnd(CTA &Last) {
  if (std::none_of(CTAs.begin(), CTAs.end(),
                   [](const auto &Each) { return Each->lives(); }))
    Async.checkNothingPending(*Last.warps().front());
}

void Cluster::tryComplete() {
  if (!std::all_of(CTAs.begin(), CTAs.end(),
                   [](const auto &C) { return C->hasArrivedAtCluster(); }))
    return;
  for (const std::unique_ptr<Checker> &C : Checkers)
    C->completeClusterBarrier();
  MemoryView Known;
  for (const std::unique_ptr<CTA> &C : CTAs)
    C->tell(Known);
  for (const std::unique_ptr<CTA> &C : CTAs)
    C->completeClusterBarrier(Known);
}

} // namespace heddle::emu
