//===- Launch.cpp - Running a grid ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs start in the grid's order, so whatever a host thread holds, all CTAs
// before it have started. A CTA that does not end soon shares its host thread
// with the next ones, since it may wait for something that they do.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

namespace heddle::emu {

namespace {

/// Warp instructions of a CTA before another one's turn.
constexpr uint64_t CTASlice = 1 << 18;

class Grid {
public:
  Grid(const LaunchContext &Launch, const rt::OutputSink &Sink,
       unsigned HostThreads);

  rt::LaunchResult run();

private:
  void work();
  std::unique_ptr<CTA> startNext();
  void finish(CTA &Done);
  void deliver();
  /// Whether the CTA with this number need not run any more.
  bool isCancelled(uint64_t Number) const {
    const std::atomic<bool> *Cancel = Launch.Config.Cancel;
    return Number > FirstFault.load(std::memory_order_relaxed) ||
           (Cancel && Cancel->load(std::memory_order_relaxed));
  }

  const LaunchContext &Launch;
  const rt::OutputSink &Sink;
  uint64_t NumCTAs;
  unsigned HostThreads;
  size_t ResidentLimit; ///< CTAs that a host thread holds.

  std::atomic<uint64_t> Next{0};
  std::atomic<uint64_t> FirstFault{~uint64_t(0)}; ///< Number of a CTA.
  std::mutex Mutex;                               ///< Of everything below.
  std::optional<rt::Fault> Fault;
  ClassCounts Counts{};
  std::map<uint64_t, std::string> Outputs; ///< Of CTAs that are done.
  uint64_t NextOutput = 0;
};

Grid::Grid(const LaunchContext &Launch, const rt::OutputSink &Sink,
           unsigned Threads)
    : Launch(Launch), Sink(Sink), NumCTAs(Launch.Config.Grid.count()) {
  HostThreads = std::min<uint64_t>(std::max(Threads, 1u), NumCTAs);
  // As many CTAs as the chip holds at a time, by its threads.
  uint64_t Warps = (Launch.Config.Block.count() + WarpSize - 1) / WarpSize;
  uint64_t PerCore = std::clamp<uint64_t>(Launch.Chip.WarpsPerCore / Warps, 1,
                                          Launch.Chip.CTAsPerCore);
  ResidentLimit =
      std::max<uint64_t>(1, PerCore * Launch.Chip.Cores / HostThreads);
}

std::unique_ptr<CTA> Grid::startNext() {
  uint64_t Number = Next.fetch_add(1);
  if (Number >= NumCTAs || isCancelled(Number))
    return nullptr;
  return std::make_unique<CTA>(Launch, Number);
}

void Grid::work() {
  std::deque<std::unique_ptr<CTA>> Resident;
  while (true) {
    // Those that are still here have had a slice without coming to an end.
    if (Resident.size() < ResidentLimit)
      if (auto C = startNext())
        Resident.push_front(std::move(C));
    if (Resident.empty())
      return;
    std::unique_ptr<CTA> C = std::move(Resident.front());
    Resident.pop_front();
    if (isCancelled(C->Number))
      continue;
    if (C->run(CTASlice) == CTA::Status::Running)
      Resident.push_back(std::move(C));
    else
      finish(*C);
  }
}

void Grid::finish(CTA &Done) {
  std::lock_guard Lock(Mutex);
  for (size_t N = 0; N < Counts.size(); ++N) {
    Counts[N].Warp += Done.Counts[N].Warp;
    Counts[N].Thread += Done.Counts[N].Thread;
  }
  if (Done.Fault && Done.Number < FirstFault.load()) {
    FirstFault.store(Done.Number);
    Fault = std::move(Done.Fault);
  }
  Outputs[Done.Number] = std::move(Done.Output);
  deliver();
}

/// Passes on what all CTAs up to the first unfinished one have printed.
void Grid::deliver() {
  while (!Outputs.empty() && Outputs.begin()->first == NextOutput &&
         NextOutput <= FirstFault.load()) {
    if (Sink && !Outputs.begin()->second.empty())
      Sink(Outputs.begin()->second);
    Outputs.erase(Outputs.begin());
    ++NextOutput;
  }
}

rt::LaunchResult Grid::run() {
  std::vector<std::thread> Threads;
  for (unsigned N = 1; N < HostThreads; ++N)
    Threads.emplace_back([this] { work(); });
  work();
  for (std::thread &T : Threads)
    T.join();
  rt::LaunchResult Result;
  rt::LaunchStatistics &S = Result.Statistics;
  uint64_t BlockThreads = Launch.Config.Block.count();
  S.CTAs = NumCTAs;
  S.Warps = NumCTAs * ((BlockThreads + WarpSize - 1) / WarpSize);
  S.Threads = NumCTAs * BlockThreads;
  for (size_t N = 0; N < Counts.size(); ++N) {
    if (Counts[N].Warp == 0)
      continue;
    S.WarpInstructions += Counts[N].Warp;
    S.ThreadInstructions += Counts[N].Thread;
    std::string_view Name =
        isa::latencyClass(static_cast<isa::LatencyClass>(N)).Name;
    S.ByClass.push_back({std::string(Name), Counts[N].Warp, Counts[N].Thread});
  }
  std::sort(S.ByClass.begin(), S.ByClass.end(),
            [](auto &A, auto &B) { return A.Class < B.Class; });
  Result.Fault = std::move(Fault);
  return Result;
}

} // namespace

rt::LaunchResult runGrid(const LaunchContext &Launch, unsigned HostThreads,
                         const rt::OutputSink &Sink) {
  return Grid(Launch, Sink, HostThreads).run();
}

} // namespace heddle::emu
