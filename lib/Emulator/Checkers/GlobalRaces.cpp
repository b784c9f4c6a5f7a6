//===- GlobalRaces.cpp - Accesses to global memory in a launch --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access that a later one of the same bytes is known to follow is forgotten.
//
//===----------------------------------------------------------------------===//

#include "Checkers/GlobalRaces.h"

#include <algorithm>

namespace heddle::emu {

static void joinTimes(RaceClock::Times &Into, const RaceClock::Times &Other) {
  Into.resize(std::max(Into.size(), Other.size()));
  for (size_t N = 0; N < Other.size(); ++N)
    Into[N] = std::max(Into[N], Other[N]);
}

void RaceClock::join(const RaceClock &Other) {
  joinTimes(Own, Other.Own);
  for (const auto &[Cluster, Times] : Other.Others)
    joinTimes(Others[Cluster], Times);
}

bool RaceClock::knows(uint64_t ItsCluster, uint64_t Cluster, uint16_t Warp,
                      uint32_t Time) const {
  if (Cluster == ItsCluster)
    return Own[Warp] >= Time;
  auto It = Others.find(Cluster);
  return It != Others.end() && Warp < It->second.size() &&
         It->second[Warp] >= Time;
}

std::optional<GlobalAccess> GlobalRaces::access(uint64_t Address,
                                                const GlobalAccess &Now,
                                                const RaceClock &Known) {
  Cell &C = Cells[Address / WordBytes];
  auto IsBefore = [&](const GlobalAccess &A) {
    return (A.Cluster == Now.Cluster && A.Warp == Now.Warp) ||
           Known.knows(Now.Cluster, A.Cluster, A.Warp, A.Time);
  };
  for (const GlobalAccess &A : C)
    if ((A.Bytes & Now.Bytes) && (A.IsWrite || Now.IsWrite) &&
        !(A.IsAtomic && Now.IsAtomic) && !IsBefore(A))
      return A;
  // What follows a write of all its bytes need not be known any more, nor an
  // access of the same kind by a warp that is known to have come further.
  llvm::erase_if(C, [&](const GlobalAccess &A) {
    bool IsCovered = !(A.Bytes & ~Now.Bytes);
    return IsCovered && IsBefore(A) &&
           (Now.IsWrite || (!A.IsWrite && A.IsAtomic == Now.IsAtomic));
  });
  unsigned Reads =
      llvm::count_if(C, [](const GlobalAccess &A) { return !A.IsWrite; });
  if (Now.IsWrite || Reads < MostReads)
    C.push_back(Now);
  return std::nullopt;
}

void GlobalRaces::publish(uint64_t Address, uint64_t Cluster,
                          const RaceClock &Known) {
  auto &Told = Words[Address];
  joinTimes(Told[Cluster], Known.Own);
  for (const auto &[Other, Times] : Known.Others)
    joinTimes(Told[Other], Times);
}

void GlobalRaces::learn(uint64_t Address, uint64_t Cluster,
                        RaceClock &Known) const {
  auto It = Words.find(Address);
  if (It == Words.end())
    return;
  for (const auto &[Other, Times] : It->second)
    joinTimes(Other == Cluster ? Known.Own : Known.Others[Other], Times);
}

} // namespace heddle::emu
