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
#include "heddle/Emulator/DeviceBroker.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <thread>

namespace heddle::emu {

namespace {

/// Warp instructions in the time slice of a cluster.
constexpr uint64_t ClusterSlice = 1 << 18;
/// The same where CTAs spin until the others of the grid are as far.
constexpr uint64_t CooperativeSlice = 1 << 12;
/// The most of them between two looks at whether another process should run.
constexpr uint64_t BorderSlice = 1 << 15;
/// The most of them in a random schedule.
constexpr uint64_t RandomSlice = 32;

class Grid {
public:
  Grid(const LaunchContext &Launch, const rt::OutputSink &Sink,
       unsigned HostThreads);

  rt::LaunchResult run();

private:
  /// What a host thread works with.
  struct Worker {
    explicit Worker(DeviceBroker *Broker) : Place(Broker) {}

    ExecutionPlace Place;
    /// Null if each reduction is carried out in its place.
    std::unique_ptr<ReductionBuffer> Reductions;
    std::vector<std::unique_ptr<Cluster>> Spare; ///< Done and reusable.
    Tally Counted;
  };

  void work(bool IsFirst);
  void runClusters(Worker &W);
  CTA::Status runSlice(Cluster &C, Worker &W);
  void letOthers(Worker &W);
  void workRandomly(Worker &W);
  std::unique_ptr<Cluster> startNext(Worker &W);
  void finish(std::unique_ptr<Cluster> Done, Worker &W);
  static void takeCounts(Cluster &From, Worker &W) {
    for (const std::unique_ptr<CTA> &C : From.CTAs)
      W.Counted.take(*C);
  }
  bool isCancelled() const {
    const std::atomic<bool> *Cancel = Launch.Config.Cancel;
    return Cancel && Cancel->load(std::memory_order_relaxed);
  }
  /// Whether the cluster with this number need not run any more.
  bool isCancelled(uint64_t Number) const {
    return Number > Outcome.firstFault() || isCancelled();
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

std::unique_ptr<Cluster> Grid::startNext(Worker &W) {
  auto Number = Launch.Pending->begin();
  // Threads that wait for a place to begin one need none any more.
  if (!Number && Launch.Broker)
    Launch.Broker->call();
  if (!Number || isCancelled(*Number))
    return nullptr;
  if (W.Spare.empty())
    return std::make_unique<Cluster>(Launch, *Number, W.Reductions.get());
  std::unique_ptr<Cluster> C = std::move(W.Spare.back());
  W.Spare.pop_back();
  C->begin(*Number);
  return C;
}

/// Of several threads the first does everything if the others get no place.
void Grid::work(bool IsFirst) {
  Worker W(Launch.Broker);
  if (!W.Place.enter([&] {
        return !isCancelled() && (IsFirst || !Launch.Pending->isEmpty());
      }))
    return;
  if (Launch.Schedule) {
    workRandomly(W);
  } else {
    // What watches every access has to see it in its place.
    if (!Launch.Checks.any() && !Launch.Relaxed)
      W.Reductions.reset(new ReductionBuffer);
    runClusters(W);
    if (W.Reductions)
      W.Reductions->flush();
  }
  W.Place.leave();
  for (const std::unique_ptr<Cluster> &Each : W.Spare)
    takeCounts(*Each, W);
  std::lock_guard Lock(Mutex);
  Outcome.add(W.Counted);
}

/// What the thread has not told others yet must not wait for its next turn.
void Grid::letOthers(Worker &W) {
  if (!W.Place.isWanted())
    return;
  if (W.Reductions)
    W.Reductions->flush();
  W.Place.letOthers([this] { return !isCancelled(); });
}

/// One time slice; where processes share the host, in several parts.
CTA::Status Grid::runSlice(Cluster &C, Worker &W) {
  uint64_t Slice = Launch.Config.Cooperative ? CooperativeSlice : ClusterSlice;
  if (!W.Place.isShared())
    return C.run(Slice);
  CTA::Status S = CTA::Status::Running;
  for (uint64_t Ran = 0; S == CTA::Status::Running && Ran < Slice;
       Ran += BorderSlice) {
    S = C.run(std::min(Slice, BorderSlice));
    letOthers(W);
    if (C.polled() || isCancelled())
      break;
  }
  return S;
}

void Grid::runClusters(Worker &W) {
  std::deque<std::unique_ptr<Cluster>> Resident;
  while (true) {
    // Those that are still here have had a slice without coming to an end.
    std::unique_ptr<Cluster> C;
    if (Resident.size() < ResidentLimit)
      C = startNext(W);
    if (!C && Resident.empty())
      return;
    if (!C) {
      C = std::move(Resident.front());
      Resident.pop_front();
    }
    if (isCancelled(C->Number)) {
      takeCounts(*C, W);
      continue;
    }
    if (runSlice(*C, W) == CTA::Status::Running) {
      // It may wait for a grid of another device, which needs the host, too.
      if (Resident.empty() || C->polled())
        std::this_thread::yield();
      Resident.push_back(std::move(C));
    } else {
      finish(std::move(C), W);
    }
  }
}

/// All resident clusters in random time slices, on one host thread.
void Grid::workRandomly(Worker &W) {
  std::vector<std::unique_ptr<Cluster>> Resident;
  while (true) {
    while (Resident.size() < ResidentLimit) {
      auto C = startNext(W);
      if (!C)
        break;
      Resident.push_back(std::move(C));
    }
    if (Resident.empty())
      return;
    if (Launch.Relaxed && Launch.Relaxed->isShared())
      std::this_thread::yield();
    letOthers(W);
    size_t N = Launch.Schedule->below(Resident.size());
    if (!isCancelled(Resident[N]->Number)) {
      if (Resident[N]->run(1 + Launch.Schedule->below(RandomSlice)) ==
          CTA::Status::Running)
        continue;
      finish(std::move(Resident[N]), W);
    }
    Resident.erase(Resident.begin() + N);
  }
}

void Grid::finish(std::unique_ptr<Cluster> Done, Worker &W) {
  if (Outcome.isOnlyCounted(*Done)) {
    if (!Done->isReusable())
      takeCounts(*Done, W);
  } else {
    std::lock_guard Lock(Mutex);
    Outcome.add(*Done);
  }
  if (Done->isReusable())
    W.Spare.push_back(std::move(Done));
}

rt::LaunchResult Grid::run() {
  std::vector<std::thread> Threads;
  for (unsigned N = 1; N < HostThreads; ++N)
    Threads.emplace_back([this] { work(/*IsFirst=*/false); });
  work(/*IsFirst=*/true);
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
