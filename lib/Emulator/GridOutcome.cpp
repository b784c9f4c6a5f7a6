//===- GridOutcome.cpp - What the CTAs of a grid came to --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Output is delivered in the grid's order, up to the first fault.
//
//===----------------------------------------------------------------------===//

#include "GridOutcome.h"
#include "PendingClusters.h"

#include <algorithm>

namespace heddle::emu {

void Tally::add(const ClassCounts &MoreCounts, const EventCounts &MoreEvents) {
  for (size_t N = 0; N < Counts.size(); ++N) {
    Counts[N].Warp += MoreCounts[N].Warp;
    Counts[N].Thread += MoreCounts[N].Thread;
  }
  for (size_t N = 0; N < Events.size(); ++N)
    Events[N] += MoreEvents[N];
}

void Tally::take(CTA &Done) {
  Done.report();
  add(Done.Counts, Done.Events);
  Translated += Done.TimesTranslated;
  Done.forgetCounts();
}

void Tally::add(const Tally &Others) {
  add(Others.Counts, Others.Events);
  Translated += Others.Translated;
}

bool GridOutcome::isOnlyCounted(const Cluster &Done) const {
  return !Launch.Code.Image.Prints &&
         std::none_of(Done.CTAs.begin(), Done.CTAs.end(),
                      [](const auto &C) { return C->Fault.has_value(); });
}

void GridOutcome::add(Cluster &Done) {
  bool IsFirst = Done.Number < FirstFault.load();
  for (const std::unique_ptr<CTA> &C : Done.CTAs) {
    All.take(*C);
    if (C->Fault && IsFirst) {
      FirstFault.store(Done.Number);
      Fault = std::move(C->Fault);
      IsFirst = false;
    }
    Outputs[Done.Number] += C->Output;
  }
  deliver();
}

/// Passes on what all clusters up to the first unfinished one have printed.
void GridOutcome::deliver() {
  while (!Outputs.empty() && NextOutput <= FirstFault.load()) {
    if (Launch.Pending->isCancelled(NextOutput)) {
      ++NextOutput;
      continue;
    }
    if (Outputs.begin()->first != NextOutput)
      return;
    if (Sink && !Outputs.begin()->second.empty())
      Sink(Outputs.begin()->second);
    Outputs.erase(Outputs.begin());
    ++NextOutput;
  }
}

rt::LaunchResult GridOutcome::result() {
  rt::LaunchResult Result;
  rt::LaunchStatistics &S = Result.Statistics;
  uint64_t NumCTAs = (Launch.Pending->count() - Launch.Pending->cancelled()) *
                     Launch.Cluster.count();
  uint64_t BlockThreads = Launch.Config.Block.count();
  S.CTAs = NumCTAs;
  S.Warps = NumCTAs * ((BlockThreads + WarpSize - 1) / WarpSize);
  S.Threads = NumCTAs * BlockThreads;
  const ClassCounts &Counts = All.Counts;
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
  for (size_t N = 0; N < All.Events.size(); ++N)
    if (All.Events[N])
      S.Counters.push_back({"pmevent" + std::to_string(N), All.Events[N]});
  if (All.Translated)
    S.Counters.push_back({"translated CTAs", All.Translated});
  std::sort(S.Counters.begin(), S.Counters.end());
  Result.Fault = std::move(Fault);
  return Result;
}

} // namespace heddle::emu
