//===- Counters.cpp - What the cache counts ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table and the values of all counters at one time.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/Counters.h"

namespace heddle::cache {

static constexpr CounterInfo Table[] = {
#define HEDDLE_CACHE_COUNTER(Id, Name, Help) {Counter::Id, Name, Help},
#include "heddle-cache/Counters.def"
};

std::span<const CounterInfo> counterTable() { return Table; }

CounterValues Counters::snapshot() const {
  CounterValues Result;
  for (size_t I = 0; I != NumCounters; ++I)
    Result[I] = Values[I].load(std::memory_order_relaxed);
  return Result;
}

} // namespace heddle::cache
