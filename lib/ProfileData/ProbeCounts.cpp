//===- ProbeCounts.cpp - What launches count at probes ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of counts.
//
//===----------------------------------------------------------------------===//

#include "heddle/ProfileData/ProbeCounts.h"

#include <algorithm>

namespace heddle::pgo {

static void addTo(uint64_t &Sum, uint64_t Count) { Sum += Count; }

template <size_t N>
static void addTo(std::array<uint64_t, N> &Sum,
                  const std::array<uint64_t, N> &Counts) {
  for (size_t I = 0; I != N; ++I)
    Sum[I] += Counts[I];
}

static void addTo(std::map<uint64_t, uint64_t> &Sum,
                  const std::map<uint64_t, uint64_t> &Counts) {
  for (const auto &[Value, Count] : Counts)
    Sum[Value] += Count;
}

template <typename T>
static void addAll(std::vector<T> &Sums, const std::vector<T> &Counts) {
  Sums.resize(std::max(Sums.size(), Counts.size()));
  for (size_t I = 0; I != Counts.size(); ++I)
    addTo(Sums[I], Counts[I]);
}

void ProbeSink::add(const ProbeCounts &Counts) {
  std::lock_guard Lock(Mutex);
  for (const auto &[Function, Of] : Counts) {
    FunctionProbes &To = Sum[Function];
    addAll(To.Edges, Of.Edges);
    addAll(To.Branches, Of.Branches);
    addAll(To.Loops, Of.Loops);
    addAll(To.Calls, Of.Calls);
  }
}

} // namespace heddle::pgo
