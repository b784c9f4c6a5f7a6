//===- Metrics.cpp - Named figures of a profile -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures that Metrics.def names.
//
//===----------------------------------------------------------------------===//

#include "heddle/Profile/Metrics.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace heddle::prof {

StringRef sectionTitle(MetricSection S) {
  switch (S) {
  case MetricSection::SpeedOfLight:
    return "Speed of light";
  case MetricSection::Instructions:
    return "Instructions";
  case MetricSection::Occupancy:
    return "Occupancy";
  case MetricSection::Memory:
    return "Memory";
  case MetricSection::WarpStates:
    return "Warp states: cycles for each issued instruction";
  }
  llvm_unreachable("unknown section");
}

static double ratio(double Part, double Whole) {
  return Whole > 0 ? Part / Whole : 0;
}
static double percent(double Part, double Whole) {
  return 100 * ratio(Part, Whole);
}

/// Of the busiest unit of the schedulers, over the whole launch.
static double computeThroughput(const rt::LaunchProfile &P) {
  double Slots = double(P.Cycles) * P.Cores * P.SchedulersPerCore;
  double Most = P.Issued;
  for (const rt::PipeProfile &Pipe : P.Pipes)
    Most = std::max(Most, double(Pipe.BusyCycles));
  return percent(Most, Slots);
}
static double l2Throughput(const rt::LaunchProfile &P) {
  double Sectors = P.Memory.L2Reads + P.Memory.L2Writes;
  return percent(Sectors * P.SectorBytes, double(P.Cycles) * P.L2BytesPerCycle);
}
static double dramThroughput(const rt::LaunchProfile &P) {
  return percent(P.dramBytes(), double(P.Cycles) * P.DRAMBytesPerCycle);
}

std::vector<Metric> computeMetrics(const rt::LaunchProfile &P) {
  const rt::MemoryProfile &M = P.Memory;
  std::vector<Metric> Result = {
#define HEDDLE_METRIC(Section, Name, Title, Unit, Value)                       \
  {MetricSection::Section, Name, Title, Unit, double(Value)},
#include "heddle/Profile/Metrics.def"
  };
  for (unsigned N = 0; N < rt::NumStallReasons; ++N) {
    auto Reason = static_cast<rt::StallReason>(N);
    StringRef Name = rt::stallReasonName(Reason);
    Result.push_back({MetricSection::WarpStates,
                      ("smsp__average_warps_issue_stalled_" + Name +
                       "_per_issue_active.ratio")
                          .str(),
                      rt::stallReasonMeaning(Reason).str(), "cycle",
                      ratio(P.States[N], P.Issued)});
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Roofline
//===----------------------------------------------------------------------===//

/// Floating-point operations of a thread's instruction, by its mnemonic.
static unsigned operationsOf(StringRef Mnemonic) {
  static constexpr struct {
    StringLiteral Mnemonic;
    unsigned Operations;
  } Rows[] = {{"FADD", 1},  {"FMUL", 1}, {"FFMA", 2},  {"DADD", 1},
              {"DMUL", 1},  {"DFMA", 2}, {"HADD2", 2}, {"HMUL2", 2},
              {"HFMA2", 4}, {"MUFU", 1}};
  for (const auto &Row : Rows)
    if (Row.Mnemonic == Mnemonic)
      return Row.Operations;
  return 0;
}

double Roofline::bound() const {
  return std::min(PeakOperations, intensity() * PeakBytes);
}

Roofline computeRoofline(const rt::LaunchProfile &P, unsigned FMAInterval) {
  constexpr double WarpSize = 32, PerMultiplyAdd = 2;
  double Clock = P.ClockMHz * 1e6;
  Roofline R;
  for (const rt::InstructionProfile &I : P.Instructions)
    R.Operations += double(operationsOf(I.Mnemonic)) * I.Threads;
  R.Bytes = P.dramBytes();
  R.Seconds = P.seconds();
  R.PeakOperations = Clock * P.Cores * P.SchedulersPerCore * WarpSize *
                     PerMultiplyAdd / std::max(FMAInterval, 1u);
  R.PeakBytes = Clock * P.DRAMBytesPerCycle;
  return R;
}

//===----------------------------------------------------------------------===//
// Source lines
//===----------------------------------------------------------------------===//

rt::StallReason LineProfile::mainReason() const {
  auto First = States.begin() + size_t(rt::StallReason::Selected) + 1;
  return static_cast<rt::StallReason>(std::max_element(First, States.end()) -
                                      States.begin());
}

std::vector<LineProfile> profileByLine(const rt::LaunchProfile &P) {
  std::map<std::pair<std::string, uint32_t>, LineProfile> Lines;
  for (const rt::InstructionProfile &I : P.Instructions) {
    LineProfile &L = Lines[{I.SourceFile, I.SourceLine}];
    L.File = I.SourceFile;
    L.Line = I.SourceLine;
    L.Issued += I.Issued;
    L.Threads += I.Threads;
    L.Access += I.Access;
    for (unsigned N = 0; N < rt::NumStallReasons; ++N) {
      L.States[N] += I.States[N];
      L.WarpCycles += I.States[N];
    }
  }
  std::vector<LineProfile> Result;
  for (auto &[Place, L] : Lines)
    Result.push_back(std::move(L));
  llvm::stable_sort(Result, [](const LineProfile &A, const LineProfile &B) {
    return A.WarpCycles > B.WarpCycles;
  });
  return Result;
}

} // namespace heddle::prof
