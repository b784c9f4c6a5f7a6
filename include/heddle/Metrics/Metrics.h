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

#ifndef HEDDLE_METRICS_METRICS_H
#define HEDDLE_METRICS_METRICS_H

#include "heddle/ISA/ISA.h"
#include "heddle/Runtime/Profile.h"

namespace heddle::prof {

enum class MetricSection : uint8_t {
  SpeedOfLight,
  Launch,
  Occupancy,
  Instructions,
  InstructionMix,
  Pipes,
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
/// the cycles of each state for each issued instruction; of Pipes, the part of
/// the cycles of active cores in which they are busy.
std::vector<Metric> computeMetrics(const rt::LaunchProfile &P);

/// Of what is possible, the part in per cent that the launch reached: by the
/// busiest unit of the schedulers, and by the busiest part of memory.
double computeThroughput(const rt::LaunchProfile &P);
double memoryThroughput(const rt::LaunchProfile &P);
/// The same of parts of memory: L2 of the chip, the ways from L2 to the cores
/// (reads), DRAM.
double l2Throughput(const rt::LaunchProfile &P);
double coreL2Throughput(const rt::LaunchProfile &P);
double dramThroughput(const rt::LaunchProfile &P);

/// The kinds of instructions by which a profile counts them.
enum class Operations : uint8_t {
#define HEDDLE_OPERATIONS(Enumerator, Name, Title, Mnemonics) Enumerator,
#include "heddle/Metrics/Operations.def"
};
/// The kind of the instructions with this mnemonic; none for unknown ones.
std::optional<Operations> operationsKind(llvm::StringRef Mnemonic);

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
/// The roofline of a launch on \p Chip.
Roofline rooflineOf(const rt::LaunchProfile &P, const isa::ChipInfo &Chip);

/// A level of memory as a roofline sees it.
struct RooflineLevel {
  llvm::StringRef Name;
  double Bytes = 0;     ///< That the launch moved there.
  double PeakBytes = 0; ///< A second, at most.
};
/// DRAM, L2 and L1 with shared memory, whose bytes are those of wavefronts.
std::vector<RooflineLevel> rooflineLevels(const rt::LaunchProfile &P,
                                          const isa::ChipInfo &Chip);
/// What operations of one precision reach at most, a second.
struct RooflineCeiling {
  llvm::StringRef Name;
  double PeakOperations = 0;
};
std::vector<RooflineCeiling> rooflineCeilings(const rt::LaunchProfile &P,
                                              const isa::ChipInfo &Chip);
/// The bytes that a wavefront moves at most.
uint32_t wavefrontBytes(const isa::ChipInfo &Chip);

/// `file:line`, or words for none.
std::string placeName(llvm::StringRef File, uint32_t Line);

/// What the instructions of a source line came to.
struct LineProfile {
  std::string File; ///< Empty for instructions without a line.
  uint32_t Line = 0;
  uint64_t Issued = 0, Threads = 0, ActiveThreads = 0;
  uint64_t Branches = 0, DivergentBranches = 0;
  uint64_t WarpCycles = 0;
  rt::StallCycles States = {};
  rt::AccessProfile Global, Local, Shared;

  void add(const rt::InstructionProfile &I);

  /// The state, other than being selected, with the most cycles.
  rt::StallReason mainReason() const;
};
/// What SourceMetrics.def says of a line or of an instruction.
struct SourceMetric {
  llvm::StringRef Name;  ///< Nsight Compute's where it measures the same.
  llvm::StringRef Title; ///< For people.
  uint64_t Value = 0;
};
std::vector<SourceMetric> computeSourceMetrics(const LineProfile &L);
/// The figures of one instruction alone.
LineProfile profileOf(const rt::InstructionProfile &I);

/// The instructions of a profile, those with most cycles first.
std::vector<const rt::InstructionProfile *>
byCycles(const rt::LaunchProfile &P);

/// The lines of a profile, those with most cycles first.
std::vector<LineProfile> profileByLine(const rt::LaunchProfile &P);

} // namespace heddle::prof

#endif // HEDDLE_METRICS_METRICS_H
