//===- Launch.cpp - Running a grid ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters start in the grid's order, so whatever a host thread holds, all
// before it have started. One that does not end soon shares its host thread
// with the next ones, since it may wait for something that they do.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "GridOutcome.h"
#include "PendingClusters.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <thread>

namespace heddle::emu {

namespace {

/// Warp instructions of a cluster before another one's turn.
constexpr uint64_t ClusterSlice = 1 << 18;
/// The same where CTAs spin until the others of the grid are as far.
constexpr uint64_t CooperativeSlice = 1 << 12;
/// The most of them in a random schedule.
constexpr uint64_t RandomSlice = 32;

class Grid {
public:
  Grid(const LaunchContext &Launch, const rt::OutputSink &Sink,
       unsigned HostThreads);

  rt::LaunchResult run();

private:
  void work();
  void runClusters(ReductionBuffer *Reductions);
  void workRandomly();
  std::unique_ptr<Cluster> startNext(ReductionBuffer *Reductions);
  void finish(Cluster &Done);
  /// Whether the cluster with this number need not run any more.
  bool isCancelled(uint64_t Number) const {
    const std::atomic<bool> *Cancel = Launch.Config.Cancel;
    return Number > Outcome.firstFault() ||
           (Cancel && Cancel->load(std::memory_order_relaxed));
  }

  const LaunchContext &Launch;
  unsigned HostThreads;
  size_t ResidentLimit; ///< Clusters that a host thread holds.

  alignas(CacheLineBytes) std::mutex Mutex; ///< Of Outcome, but for firstFault.
  GridOutcome Outcome;
};

Grid::Grid(const LaunchContext &Launch, const rt::OutputSink &Sink,
           unsigned Threads)
    : Launch(Launch), Outcome(Launch, Sink) {
  HostThreads =
      std::min<uint64_t>(std::max(Threads, 1u), Launch.Pending->count());
  // As many CTAs as the chip holds at a time, by its threads.
  uint64_t Warps = (Launch.Config.Block.count() + WarpSize - 1) / WarpSize;
  uint64_t PerCore = std::clamp<uint64_t>(Launch.Chip.WarpsPerCore / Warps, 1,
                                          Launch.Chip.CTAsPerCore);
  // Rounded up: a cooperative grid has to be resident as a whole.
  ResidentLimit = llvm::divideCeil(PerCore * Launch.Chip.Cores,
                                   HostThreads * Launch.Cluster.count());
}

std::unique_ptr<Cluster> Grid::startNext(ReductionBuffer *Reductions) {
  auto Number = Launch.Pending->begin();
  if (!Number || isCancelled(*Number))
    return nullptr;
  return std::make_unique<Cluster>(Launch, *Number, Reductions);
}

void Grid::work() {
  // What watches every access has to see it in its place.
  std::unique_ptr<ReductionBuffer> Reductions;
  if (!Launch.Checks.any() && !Launch.Relaxed)
    Reductions.reset(new ReductionBuffer);
  runClusters(Reductions.get());
  if (Reductions)
    Reductions->flush();
}

void Grid::runClusters(ReductionBuffer *Reductions) {
  std::deque<std::unique_ptr<Cluster>> Resident;
  while (true) {
    // Those that are still here have had a slice without coming to an end.
    if (Resident.size() < ResidentLimit)
      if (auto C = startNext(Reductions))
        Resident.push_front(std::move(C));
    if (Resident.empty())
      return;
    std::unique_ptr<Cluster> C = std::move(Resident.front());
    Resident.pop_front();
    if (isCancelled(C->Number))
      continue;
    if (C->run(Launch.Config.Cooperative ? CooperativeSlice : ClusterSlice) ==
        CTA::Status::Running)
      Resident.push_back(std::move(C));
    else
      finish(*C);
  }
}

/// All resident clusters in random turns, on one host thread.
void Grid::workRandomly() {
  std::vector<std::unique_ptr<Cluster>> Resident;
  while (true) {
    while (Resident.size() < ResidentLimit) {
      auto C = startNext(/*Reductions=*/nullptr);
      if (!C)
        break;
      Resident.push_back(std::move(C));
    }
    if (Resident.empty())
      return;
    size_t N = Launch.Schedule->below(Resident.size());
    Cluster &C = *Resident[N];
    if (!isCancelled(C.Number)) {
      if (C.run(1 + Launch.Schedule->below(RandomSlice)) ==
          CTA::Status::Running)
        continue;
      finish(C);
    }
    Resident.erase(Resident.begin() + N);
  }
}

void Grid::finish(Cluster &Done) {
  std::lock_guard Lock(Mutex);
  Outcome.add(Done);
}

rt::LaunchResult Grid::run() {
  std::vector<std::thread> Threads;
  for (unsigned N = 1; N < HostThreads; ++N)
    Threads.emplace_back([this] { work(); });
  if (Launch.Schedule)
    workRandomly();
  else
    work();
  for (std::thread &T : Threads)
    T.join();
  return Outcome.result();
}

} // namespace

rt::LaunchResult runGrid(const LaunchContext &Launch, unsigned HostThreads,
                         const rt::OutputSink &Sink) {
  return Grid(Launch, Sink, HostThreads).run();
}

} // namespace heddle::emu
