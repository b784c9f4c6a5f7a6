//===- Cluster.h - CTAs that run together -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cluster: its CTAs, whose shared memories all its threads reach, and its
// barrier. One host thread runs it at a time. A launch without clusters has
// clusters of one CTA.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_CLUSTER_H
#define HEDDLE_LIB_EMULATOR_CLUSTER_H

#include "Async/AsyncUnit.h"
#include "CTA.h"
#include "Checkers/Checker.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::emu {

/// Quotient and remainder; hosts take longer for those of 64 bits.
inline std::pair<uint64_t, uint64_t> divide(uint64_t A, uint64_t B) {
  if ((A | B) <= UINT32_MAX)
    return {uint32_t(A) / uint32_t(B), uint32_t(A) % uint32_t(B)};
  return {A / B, A % B};
}

class Cluster {
public:
  /// Clusters of a grid.
  static uint64_t countIn(const LaunchContext &Launch);

  /// The first CTA of cluster \p Number, in linear order, of a grid.
  static rt::Dim3 firstCTA(const LaunchContext &Launch, uint64_t Number);

  /// Cluster \p Number, in linear order, of the grid's. Its threads may leave
  /// reductions to \p Reductions, if that is not null.
  Cluster(const LaunchContext &Launch, uint64_t Number,
          ReductionBuffer *Reductions = nullptr);

  /// Makes a cluster that is done cluster \p Number, which saves making one.
  /// For clusters that isReusable names.
  void begin(uint64_t Number);
  /// Whether nothing watches this cluster in particular.
  bool isReusable() const { return Checkers.empty() && !Launch.Relaxed; }

  /// Runs for about \p MaxInstructions warp instructions.
  CTA::Status run(uint64_t MaxInstructions);
  /// Whether all that the last call of run did was to wait; see CTA::Polled.
  bool polled() const;

  const LaunchContext &Launch;
  uint64_t Number;
  ReductionBuffer *Reductions;            ///< Of the host thread.
  std::vector<std::unique_ptr<CTA>> CTAs; ///< By rank.
  std::vector<std::unique_ptr<Checker>> Checkers;
  AsyncUnit Async;

  uint32_t rankOf(const CTA &C) const {
    auto It = std::find_if(CTAs.begin(), CTAs.end(), [&](const auto &Other) {
      return Other.get() == &C;
    });
    return static_cast<uint32_t>(It - CTAs.begin());
  }
  /// The CTA with this rank; null if there is none.
  CTA *find(uint32_t Rank) {
    return Rank < CTAs.size() ? CTAs[Rank].get() : nullptr;
  }

  /// Lanes of \p W arrive at the cluster's barrier.
  void arrive(Warp &W, LaneMask Lanes);
  /// Lanes of \p W wait for the end of the phase in which they arrived.
  void wait(Warp &W, LaneMask Lanes);
  /// Lanes of some warp of \p C have exited, and leave every barrier.
  void lanesExited(CTA &C) {
    C.lanesExited();
    if (UsesBarrier)
      tryComplete();
    if (!C.lives())
      checkEnd(C);
  }

private:
  void checkEnd(CTA &Last);
  void placeCTAs();
  CTA::Status runEach(uint64_t MaxInstructions);
  void tryComplete();

  bool UsesBarrier = false; ///< A thread has arrived at the cluster's.
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_CLUSTER_H
