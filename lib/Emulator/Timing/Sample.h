//===- Sample.h - Timing a part of a grid -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which clusters of a grid are timed, and what their times say of the grid.
//
// A *wave* is as many clusters as the chip holds. Segments of a few waves,
// evenly spread over the grid, are timed one after the other as if nothing were
// between them. What the chip takes for the segments, without the first and the
// last, is a sample of what it takes for as many of the other clusters. The
// last segment ends with the grid, and a whole number of waves is left out, so
// that the end of the grid is timed as it is.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_SAMPLE_H
#define HEDDLE_LIB_EMULATOR_TIMING_SAMPLE_H

#include "MemorySystem.h"

namespace heddle::emu {

class Sample {
public:
  /// Of \p Clusters clusters, \p Wave at a time, those of \p Waves waves (0:
  /// all). Without the tail, the part of the last wave that is not full is
  /// left out.
  Sample(uint64_t Clusters, uint64_t Wave, unsigned Waves, bool WithTail);

  /// Whether a cluster is timed; asked in the clusters' order.
  bool isTimed(uint64_t Cluster);
  /// The next cluster that is timed starts in \p Now.
  void starts(uint64_t Cluster, Cycle Now);
  /// The number of CTAs that took \p Cycles, the cycles of timed CTAs. Nothing
  /// if it is all of them.
  std::optional<rt::SampleEstimate> estimate(Cycle Cycles,
                                             uint64_t CTAsPerCluster) const;

private:
  struct Segment {
    uint64_t Begin, End; ///< Clusters.
    Cycle Start = 0;     ///< Of the first.
  };
  uint64_t Clusters; ///< Of the grid.
  uint64_t Whole;    ///< Of them, those in full waves; or all, with the tail.
  std::vector<Segment> Segments;
  size_t Current = 0;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_SAMPLE_H
