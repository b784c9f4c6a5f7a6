//===- PendingClusters.h - Clusters that have not begun ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each cluster of a grid is given out once, in linear order: to begin, or to a
// running cluster that cancels it and does its work.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_PENDINGCLUSTERS_H
#define HEDDLE_LIB_EMULATOR_PENDINGCLUSTERS_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>

namespace heddle::emu {

/// Host threads may use it at the same time.
class PendingClusters {
public:
  /// Of a grid with so many clusters. Those of a cooperative one count as begun
  /// from the start, since all of them run at a time.
  PendingClusters(uint64_t Count, bool Cooperative)
      : Count(Count), Cooperative(Cooperative) {}

  uint64_t count() const { return Count; }
  bool isEmpty() const { return Next.load() >= Count; }
  /// The number of the cluster that begins now; none if there is no more.
  std::optional<uint64_t> begin() {
    uint64_t Number = Next.fetch_add(1);
    return Number < Count ? std::optional(Number) : std::nullopt;
  }
  /// The number of a cluster that now never begins; none if there is no more.
  std::optional<uint64_t> cancel() {
    if (Cooperative)
      return std::nullopt;
    std::lock_guard Lock(Mutex);
    auto Number = begin();
    if (Number)
      Cancelled.insert(*Number);
    return Number;
  }
  bool isCancelled(uint64_t Number) const {
    std::lock_guard Lock(Mutex);
    return Cancelled.count(Number);
  }
  uint64_t cancelled() const {
    std::lock_guard Lock(Mutex);
    return Cancelled.size();
  }

private:
  const uint64_t Count;
  const bool Cooperative;
  std::atomic<uint64_t> Next{0};
  mutable std::mutex Mutex; ///< Of what follows.
  std::set<uint64_t> Cancelled;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_PENDINGCLUSTERS_H
