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

#include "heddle/Metrics/Metrics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace heddle::prof {

StringRef sectionTitle(MetricSection S) {
  switch (S) {
  case MetricSection::SpeedOfLight:
    return "Speed of light";
  case MetricSection::Launch:
    return "Launch";
  case MetricSection::Occupancy:
    return "Occupancy";
  case MetricSection::Instructions:
    return "Instructions";
  case MetricSection::InstructionMix:
    return "Instruction mix: thread instructions whose guard holds";
  case MetricSection::Pipes:
    return "Pipes";
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

double computeThroughput(const rt::LaunchProfile &P) {
  double Slots = double(P.Cycles) * P.Cores * P.SchedulersPerCore;
  double Most = P.Issued;
  for (const rt::PipeProfile &Pipe : P.Pipes)
    Most = std::max(Most, double(Pipe.BusyCycles));
  return percent(Most, Slots);
}
double l2Throughput(const rt::LaunchProfile &P) {
  double Sectors = P.Memory.L2Reads + P.Memory.L2Writes;
  return percent(Sectors * P.SectorBytes, double(P.Cycles) * P.L2BytesPerCycle);
}
double coreL2Throughput(const rt::LaunchProfile &P) {
  return percent(double(P.Memory.L2Reads) * P.SectorBytes,
                 double(P.ActiveCycles) * P.CoreL2BytesPerCycle);
}
double dramThroughput(const rt::LaunchProfile &P) {
  return percent(P.dramBytes(), double(P.Cycles) * P.DRAMBytesPerCycle);
}
/// A core's data path takes a wavefront in a cycle.
static uint64_t wavefronts(const rt::MemoryProfile &M) {
  uint64_t Sum = 0;
  for (const rt::AccessProfile *A :
       {&M.GlobalLoads, &M.GlobalStores, &M.GlobalAtomics, &M.GlobalReductions,
        &M.LocalLoads, &M.LocalStores, &M.SharedLoads, &M.SharedStores,
        &M.SharedAtomics})
    Sum += A->Wavefronts;
  return Sum;
}
static double l1Throughput(const rt::LaunchProfile &P) {
  return percent(wavefronts(P.Memory), P.ActiveCycles);
}
double memoryThroughput(const rt::LaunchProfile &P) {
  double L1 = percent(wavefronts(P.Memory), double(P.Cycles) * P.Cores);
  return std::max({L1, l2Throughput(P), dramThroughput(P)});
}

//===----------------------------------------------------------------------===//
// Instruction mix
//===----------------------------------------------------------------------===//

static StringMap<Operations> makeKinds() {
  static constexpr StringLiteral Rows[] = {
#define HEDDLE_OPERATIONS(Enumerator, Name, Title, Mnemonics) Mnemonics,
#include "heddle/Metrics/Operations.def"
  };
  StringMap<Operations> Kinds;
  for (size_t N = 0; N < std::size(Rows); ++N)
    for (StringRef Mnemonic : split(Rows[N], ' '))
      Kinds[Mnemonic] = static_cast<Operations>(N);
  return Kinds;
}

std::optional<Operations> operationsKind(StringRef Mnemonic) {
  static const StringMap<Operations> Kinds = makeKinds();
  auto It = Kinds.find(Mnemonic);
  return It == Kinds.end() ? std::nullopt : std::optional(It->second);
}

static uint64_t threadsOf(const rt::LaunchProfile &P, Operations Kind) {
  uint64_t Sum = 0;
  for (const rt::InstructionProfile &I : P.Instructions)
    if (operationsKind(I.Mnemonic) == Kind)
      Sum += I.Threads;
  return Sum;
}

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

/// A metric of a pipe; Nsight Compute has some of ours, by another name.
static std::string pipeMetric(StringRef Pipe) {
  static constexpr std::pair<StringLiteral, StringLiteral> Names[] = {
      {"alu", "alu"},     {"fma", "fma"},         {"half", "fp16"},
      {"double", "fp64"}, {"uniform", "uniform"}, {"memory", "lsu"},
      {"texture", "tex"}, {"branch", "cbu"},      {"matrix", "tensor"}};
  constexpr StringLiteral Part = ".avg.pct_of_peak_sustained_active";
  for (auto [Ours, Theirs] : Names)
    if (Ours == Pipe)
      return ("sm__inst_executed_pipe_" + Theirs + Part).str();
  return ("heddle__inst_executed_pipe_" + Pipe + Part).str();
}

static void addPipes(std::vector<Metric> &Into, const rt::LaunchProfile &P) {
  for (const rt::PipeProfile &Pipe : P.Pipes)
    Into.push_back({MetricSection::Pipes, pipeMetric(Pipe.Name), Pipe.Name, "%",
                    percent(Pipe.BusyCycles,
                            double(P.ActiveCycles) * P.SchedulersPerCore)});
}

static void addStates(std::vector<Metric> &Into, const rt::LaunchProfile &P) {
  for (unsigned N = 0; N < rt::NumStallReasons; ++N) {
    auto Reason = static_cast<rt::StallReason>(N);
    StringRef Name = rt::stallReasonName(Reason);
    Into.push_back({MetricSection::WarpStates,
                    ("smsp__average_warps_issue_stalled_" + Name +
                     "_per_issue_active.ratio")
                        .str(),
                    rt::stallReasonMeaning(Reason).str(), "cycle",
                    ratio(P.States[N], P.Issued)});
  }
}

std::vector<Metric> computeMetrics(const rt::LaunchProfile &P) {
  const rt::MemoryProfile &M = P.Memory;
  std::vector<Metric> Result = {
#define HEDDLE_METRIC(Section, Name, Title, Unit, Value)                       \
  {MetricSection::Section, Name, Title, Unit, double(Value)},
#include "heddle/Metrics/Metrics.def"
  };
  addPipes(Result, P);
  addStates(Result, P);
  std::vector<std::pair<MetricSection, size_t>> Order;
  Order.reserve(Result.size());
  for (size_t N = 0; N < Result.size(); ++N)
    Order.emplace_back(Result[N].Section, N);
  llvm::sort(Order);
  std::vector<Metric> Sorted;
  Sorted.reserve(Result.size());
  for (auto [Section, N] : Order)
    Sorted.push_back(std::move(Result[N]));
  return Sorted;
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

std::string placeName(StringRef File, uint32_t Line) {
  return File.empty() ? "(no line)" : (File + ":" + Twine(Line)).str();
}

Roofline rooflineOf(const rt::LaunchProfile &P, const isa::ChipInfo &Chip) {
  return computeRoofline(P,
                         Chip.Timings[size_t(isa::LatencyClass::FMA)].Interval);
}

uint32_t wavefrontBytes(const isa::ChipInfo &Chip) {
  constexpr uint32_t BytesOfBank = 4;
  return Chip.SharedBanks * BytesOfBank;
}

std::vector<RooflineLevel> rooflineLevels(const rt::LaunchProfile &P,
                                          const isa::ChipInfo &Chip) {
  double Clock = P.ClockMHz * 1e6;
  double Wavefront = wavefrontBytes(Chip);
  return {{"DRAM", double(P.dramBytes()), Clock * P.DRAMBytesPerCycle},
          {"L2", double(P.Memory.L2Reads + P.Memory.L2Writes) * P.SectorBytes,
           Clock * P.L2BytesPerCycle},
          {"L1 and shared", double(wavefronts(P.Memory)) * Wavefront,
           Clock * P.Cores * Wavefront}};
}

std::vector<RooflineCeiling> rooflineCeilings(const rt::LaunchProfile &P,
                                              const isa::ChipInfo &Chip) {
  auto Peak = [&](isa::LatencyClass Class) {
    return computeRoofline(P, Chip.Timings[size_t(Class)].Interval)
        .PeakOperations;
  };
  // An instruction of half precision computes two elements.
  return {{"half precision", 2 * Peak(isa::LatencyClass::HALF)},
          {"single precision", Peak(isa::LatencyClass::FMA)},
          {"double precision", Peak(isa::LatencyClass::F64)}};
}

//===----------------------------------------------------------------------===//
// Source lines
//===----------------------------------------------------------------------===//

rt::StallReason LineProfile::mainReason() const {
  auto First = States.begin() + size_t(rt::StallReason::Selected) + 1;
  return static_cast<rt::StallReason>(std::max_element(First, States.end()) -
                                      States.begin());
}

void LineProfile::add(const rt::InstructionProfile &I) {
  Issued += I.Issued;
  Threads += I.Threads;
  ActiveThreads += I.ActiveThreads;
  Branches += I.Branches;
  DivergentBranches += I.DivergentBranches;
  Global += I.Global;
  Local += I.Local;
  Shared += I.Shared;
  for (unsigned N = 0; N < rt::NumStallReasons; ++N) {
    States[N] += I.States[N];
    WarpCycles += I.States[N];
  }
}

LineProfile profileOf(const rt::InstructionProfile &I) {
  LineProfile L;
  L.File = I.SourceFile;
  L.Line = I.SourceLine;
  L.add(I);
  return L;
}

std::vector<SourceMetric> computeSourceMetrics(const LineProfile &L) {
  return {
#define HEDDLE_SOURCE_METRIC(Name, Title, Value) {Name, Title, Value},
#include "heddle/Metrics/SourceMetrics.def"
  };
}

std::vector<const rt::InstructionProfile *>
byCycles(const rt::LaunchProfile &P) {
  std::vector<std::pair<uint64_t, size_t>> Order; // Cycles, index.
  Order.reserve(P.Instructions.size());
  for (size_t N = 0; N < P.Instructions.size(); ++N)
    Order.emplace_back(profileOf(P.Instructions[N]).WarpCycles, N);
  llvm::sort(Order, [](auto A, auto B) {
    return std::tuple(B.first, A.second) < std::tuple(A.first, B.second);
  });
  std::vector<const rt::InstructionProfile *> Result;
  Result.reserve(Order.size());
  for (auto [Cycles, N] : Order)
    Result.push_back(&P.Instructions[N]);
  return Result;
}

std::vector<LineProfile> profileByLine(const rt::LaunchProfile &P) {
  std::map<std::pair<std::string, uint32_t>, LineProfile> Lines;
  for (const rt::InstructionProfile &I : P.Instructions) {
    LineProfile &L = Lines[{I.SourceFile, I.SourceLine}];
    L.File = I.SourceFile;
    L.Line = I.SourceLine;
    L.add(I);
  }
  std::vector<LineProfile> Result;
  Result.reserve(Lines.size());
  for (auto &[Place, L] : Lines)
    Result.push_back(std::move(L));
  llvm::sort(Result, [](const LineProfile &A, const LineProfile &B) {
    return std::tie(B.WarpCycles, A.File, A.Line) <
           std::tie(A.WarpCycles, B.File, B.Line);
  });
  return Result;
}

} // namespace heddle::prof
