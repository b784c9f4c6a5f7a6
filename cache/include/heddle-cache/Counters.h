//===- Counters.h - What the cache counts -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counters of Counters.def, in memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_COUNTERS_H
#define HEDDLE_CACHE_COUNTERS_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::cache {

enum class Counter : uint8_t {
#define HEDDLE_CACHE_COUNTER(Id, Name, Help) Id,
#include "heddle-cache/Counters.def"
};

struct CounterInfo {
  Counter Id;
  std::string_view Name;
  std::string_view Help;
};

/// The table, by Counter.
std::span<const CounterInfo> counterTable();

inline constexpr size_t NumCounters = 0
#define HEDDLE_CACHE_COUNTER(Id, Name, Help) +1
#include "heddle-cache/Counters.def"
    ;

/// Values of all counters at one time.
using CounterValues = std::array<uint64_t, NumCounters>;

/// Counters that any number of threads may add to.
class Counters {
public:
  void add(Counter C, uint64_t N = 1) {
    Values[static_cast<size_t>(C)].fetch_add(N, std::memory_order_relaxed);
  }
  uint64_t get(Counter C) const {
    return Values[static_cast<size_t>(C)].load(std::memory_order_relaxed);
  }
  /// Returns all values.
  CounterValues snapshot() const;

private:
  std::array<std::atomic<uint64_t>, NumCounters> Values{};
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_COUNTERS_H
