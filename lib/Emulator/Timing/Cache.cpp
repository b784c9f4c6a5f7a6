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
#include <utility>

namespace heddle::emu {

SectorCache::SectorCache(uint64_t Bytes, unsigned LineBytes, unsigned TheWays,
                         Replacement TheRule)
    : Ways(TheWays), Rule(TheRule) {
  Sets = std::max<uint64_t>(1, Bytes / LineBytes / Ways);
  Lines.reset(
      static_cast<Line *>(llvm::safe_calloc(Sets * Ways, sizeof(Line))));
}

SectorCache::Line *SectorCache::find(uint64_t Number) {
  Line *Set = setOf(Number);
  for (unsigned W = 0; W < Ways; ++W)
    if (Set[W].Tag == Number + 1) {
      use(Set[W], Set);
      return &Set[W];
    }
  return nullptr;
}

/// Marks are taken from all other lines of a set when all have one.
void SectorCache::use(Line &L, Line *Set) {
  L.LastUse = ++Uses;
  if (Rule != Replacement::NotRecentlyUsed || std::exchange(L.IsMarked, true))
    return;
  auto IsMarked = [](const Line &Other) { return Other.IsMarked; };
  if (!std::all_of(Set, Set + Ways, IsMarked))
    return;
  for (unsigned W = 0; W < Ways; ++W)
    Set[W].IsMarked = &Set[W] == &L;
}

SectorCache::Line *SectorCache::victimOf(Line *Set) {
  if (Rule == Replacement::NotRecentlyUsed)
    return anyUnmarked(Set);
  return std::min_element(Set, Set + Ways, [](const Line &A, const Line &B) {
    return A.LastUse < B.LastUse;
  });
}

/// An empty line if there is one, else one that the number of uses chooses.
SectorCache::Line *SectorCache::anyUnmarked(Line *Set) {
  constexpr uint64_t Mix = 0x9E3779B97F4A7C15; // Of Fibonacci hashing.
  unsigned Start = (Uses * Mix >> 32) % Ways;
  Line *Found = nullptr;
  for (unsigned N = 0; N < Ways; ++N) {
    Line &L = Set[(Start + N) % Ways];
    if (L.Tag == 0)
      return &L;
    if (!Found && !L.IsMarked)
      Found = &L;
  }
  return Found ? Found : &Set[Start];
}

SectorCache::Line &SectorCache::findOrReplace(uint64_t Number,
                                              unsigned &Evicted) {
  if (Line *L = find(Number))
    return *L;
  Line *Set = setOf(Number);
  Line *Victim = victimOf(Set);
  Evicted += std::popcount(Victim->Dirty);
  *Victim = Line();
  Victim->Tag = Number + 1;
  use(*Victim, Set);
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
