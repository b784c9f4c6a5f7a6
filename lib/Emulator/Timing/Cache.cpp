//===- Cache.cpp - Tags of a sectored cache ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Zeroed pages of the host are empty lines, so that a large cache costs only
// what a kernel touches of it.
//
//===----------------------------------------------------------------------===//

#include "Cache.h"
#include "llvm/Support/MemAlloc.h"

#include <algorithm>
#include <bit>

namespace heddle::emu {

SectorCache::SectorCache(uint64_t Bytes, unsigned LineBytes, unsigned TheWays)
    : Ways(TheWays) {
  Sets = std::max<uint64_t>(1, Bytes / LineBytes / Ways);
  Lines.reset(
      static_cast<Line *>(llvm::safe_calloc(Sets * Ways, sizeof(Line))));
}

SectorCache::Line *SectorCache::find(uint64_t Number) {
  Line *Set = setOf(Number);
  for (unsigned W = 0; W < Ways; ++W)
    if (Set[W].Tag == Number + 1) {
      Set[W].LastUse = ++Uses;
      return &Set[W];
    }
  return nullptr;
}

SectorCache::Line &SectorCache::findOrReplace(uint64_t Number,
                                              unsigned &Evicted) {
  if (Line *L = find(Number))
    return *L;
  Line *Set = setOf(Number);
  Line *Victim =
      std::min_element(Set, Set + Ways, [](const Line &A, const Line &B) {
        return A.LastUse < B.LastUse;
      });
  Evicted += std::popcount(Victim->Dirty);
  *Victim = Line();
  Victim->Tag = Number + 1;
  Victim->LastUse = ++Uses;
  return *Victim;
}

std::vector<SectorCache::Line> SectorCache::usedSince(uint64_t Point) const {
  std::vector<Line> Result;
  for (uint64_t N = 0; N < Sets * Ways; ++N)
    if (Lines[N].Tag && Lines[N].LastUse > Point)
      Result.push_back(Lines[N]);
  return Result;
}

} // namespace heddle::emu
