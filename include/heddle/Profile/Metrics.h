//===- Metrics.h - Named figures of a profile -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a profile says in the words of Nsight Compute, from one table, and where
// the cycles of a kernel went by source line.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PROFILE_METRICS_H
#define HEDDLE_PROFILE_METRICS_H

#include "heddle/Runtime/Profile.h"

namespace heddle::prof {

enum class MetricSection : uint8_t {
  SpeedOfLight,
  Instructions,
  Occupancy,
  Memory,
  WarpStates
};
/// The heading of a section.
llvm::StringRef sectionTitle(MetricSection S);

struct Metric {
  MetricSection Section;
  std::string Name;  ///< Nsight Compute's where it measures the same.
  std::string Title; ///< For people.
  std::string Unit;
  double Value = 0;
};

/// All metrics of \p P, section by section. Those of the section WarpStates are
/// the cycles of each state for each issued instruction.
std::vector<Metric> computeMetrics(const rt::LaunchProfile &P);

/// What arithmetic a launch did, for a roofline.
struct Roofline {
  double Operations = 0; ///< Of floating point; a multiply-add is two.
  double Bytes = 0;      ///< Of DRAM.
  /// At most: single-precision operations, and bytes of DRAM, a second.
  double PeakOperations = 0, PeakBytes = 0;
  double Seconds = 0;

  double intensity() const { return Bytes > 0 ? Operations / Bytes : 0; }
  /// Operations a second that are possible at this intensity.
  double bound() const;
};
/// \p FMAInterval is the interval of the chip's multiply-add pipe.
Roofline computeRoofline(const rt::LaunchProfile &P, unsigned FMAInterval);

/// What the instructions of a source line came to.
struct LineProfile {
  std::string File; ///< Empty for instructions without a line.
  uint32_t Line = 0;
  uint64_t Issued = 0, Threads = 0;
  uint64_t WarpCycles = 0;
  rt::StallCycles States = {};
  rt::AccessProfile Access;

  /// The state, other than being selected, with the most cycles.
  rt::StallReason mainReason() const;
};
/// The lines of a profile, those with most cycles first.
std::vector<LineProfile> profileByLine(const rt::LaunchProfile &P);

} // namespace heddle::prof

#endif // HEDDLE_PROFILE_METRICS_H
