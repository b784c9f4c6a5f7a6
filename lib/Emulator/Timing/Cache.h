//===- Cache.h - Tags of a sectored cache -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set-associative cache with least-recently-used replacement whose lines have
// sectors of their own. It holds tags only, and for each sector the time from
// which its data is there, so that a second miss joins the first.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_CACHE_H
#define HEDDLE_LIB_EMULATOR_TIMING_CACHE_H

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace heddle::emu {

class SectorCache {
public:
  static constexpr unsigned MaxSectors = 4;

  /// A line, or the one that makes room for it.
  struct Line {
    uint64_t Tag = 0; ///< Number of the line plus one; 0: empty.
    uint64_t LastUse = 0;
    uint64_t ReadyAt[MaxSectors] = {}; ///< Of valid sectors.
    uint8_t Valid = 0, Dirty = 0;      ///< A bit for each sector.
  };

  SectorCache() = default;
  /// A cache of \p Bytes bytes with lines of \p LineBytes.
  SectorCache(uint64_t Bytes, unsigned LineBytes, unsigned Ways);

  /// The line with this number; null if the cache does not have it.
  Line *find(uint64_t Number);
  /// The same; if it is not there it takes the place of another, whose dirty
  /// sectors are counted in \p Evicted.
  Line &findOrReplace(uint64_t Number, unsigned &Evicted);

  /// A point in the order of uses, and the lines that were used after one.
  uint64_t uses() const { return Uses; }
  std::vector<Line> usedSince(uint64_t Point) const;

private:
  struct Free {
    void operator()(Line *L) const { std::free(L); }
  };
  Line *setOf(uint64_t Number) { return &Lines[Number % Sets * Ways]; }

  std::unique_ptr<Line[], Free> Lines; ///< Set by set.
  uint64_t Sets = 0;
  unsigned Ways = 0;
  uint64_t Uses = 0;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_CACHE_H
