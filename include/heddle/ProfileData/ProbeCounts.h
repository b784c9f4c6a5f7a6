//===- ProbeCounts.h - What launches count at probes ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that knows where a warp's threads are counts them at the probes of
// code made with -fprofile-probes (heddle/ProfileData/Probes.h).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PROFILEDATA_PROBECOUNTS_H
#define HEDDLE_PROFILEDATA_PROBECOUNTS_H

#include "heddle/ProfileData/Probes.h"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace heddle::pgo {

/// Counts of one function, by the numbers of its edges, branches, loops and
/// calls through pointers; those behind the end are zero.
struct FunctionProbes {
  std::vector<uint64_t> Edges; ///< Threads.
  /// Warps that came, warps whose threads went both ways, threads.
  std::vector<std::array<uint64_t, 3>> Branches;
  /// By the buckets of bucketOfTrips.
  std::vector<std::array<uint64_t, TripBuckets>> Loops;
  /// Threads by the address that they called.
  std::vector<std::map<uint64_t, uint64_t>> Calls;
};

/// By probeFunction.
using ProbeCounts = std::map<uint64_t, FunctionProbes>;

/// Where launches add their counts, on any threads.
class ProbeSink {
public:
  void add(const ProbeCounts &Counts);
  ProbeCounts counts() const {
    std::lock_guard Lock(Mutex);
    return Sum;
  }

private:
  mutable std::mutex Mutex;
  ProbeCounts Sum;
};

} // namespace heddle::pgo

#endif // HEDDLE_PROFILEDATA_PROBECOUNTS_H
