//===- GridOutcome.h - What the CTAs of a grid came to ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers counts, printed output and faults cluster by cluster, so that what a
// launch returns does not depend on the order in which clusters end.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_GRIDOUTCOME_H
#define HEDDLE_LIB_EMULATOR_GRIDOUTCOME_H

#include "Cluster.h"

#include <atomic>
#include <map>

namespace heddle::emu {

/// The counts of several CTAs.
struct Tally {
  ClassCounts Counts{};
  EventCounts Events{};
  uint64_t Translated = 0; ///< CTAs that ran host code.

  /// Adds what \p Done has counted, which it forgets.
  void take(CTA &Done);
  void add(const Tally &Others);

private:
  void add(const ClassCounts &MoreCounts, const EventCounts &MoreEvents);
};

class GridOutcome {
public:
  /// What is printed goes to \p Sink, if there is one.
  GridOutcome(const LaunchContext &Launch, const rt::OutputSink &Sink)
      : Launch(Launch), Sink(Sink) {}

  /// Adds a cluster that is done or has ended with a fault.
  void add(Cluster &Done);
  /// Whether a cluster that is done is no more to the outcome than its counts,
  /// which may be added later and together with others'.
  bool isOnlyCounted(const Cluster &Done) const;
  void add(const Tally &Others) { All.add(Others); }
  /// The number of the first cluster with a fault, past all if there is none.
  /// May be called while another thread adds.
  uint64_t firstFault() const {
    return FirstFault.load(std::memory_order_relaxed);
  }
  /// Statistics of all that was added, and the fault of the first.
  rt::LaunchResult result();

private:
  void deliver();

  const LaunchContext &Launch;
  const rt::OutputSink &Sink;
  std::atomic<uint64_t> FirstFault{~uint64_t(0)};
  std::optional<rt::Fault> Fault;
  Tally All;
  std::map<uint64_t, std::string> Outputs; ///< Of clusters that are done.
  uint64_t NextOutput = 0;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_GRIDOUTCOME_H
