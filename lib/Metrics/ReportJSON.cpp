//===- ReportJSON.cpp - Profiles for programs -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members of a report, each made in one place.
//
//===----------------------------------------------------------------------===//

#include "heddle/Metrics/ReportJSON.h"
#include "heddle/ISA/ChipChanges.h"
#include "heddle/Runtime/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace llvm;

namespace heddle::prof {

StringRef CodeNotes::textOf(const rt::InstructionProfile &I) const {
  auto It = Text.find({I.Section, I.PC});
  return It == Text.end() ? StringRef(I.Mnemonic) : StringRef(It->second);
}

std::string describeChange(uint64_t Cycles, uint64_t Changed) {
  double Part = Cycles ? 100 * (double(Changed) / double(Cycles) - 1) : 0;
  return formatv("{0}{1:F1} %", Part < 0 ? "" : "+", Part).str();
}

//===----------------------------------------------------------------------===//
// What launches share
//===----------------------------------------------------------------------===//

/// What time depends on: the figures that --what-if changes, and latency and
/// interval of each class of instructions.
static json::Object timeFiguresJSON(const isa::ChipInfo &C) {
  json::Object Figures;
  for (const isa::ChipFigure &F : isa::chipFigures())
    Figures[StringRef(F.Name)] = F.of(C);
  return Figures;
}
static json::Object timingsJSON(const isa::ChipInfo &C) {
  json::Object Classes;
  for (size_t N = 0; N < C.Timings.size(); ++N) {
    StringRef Name = isa::latencyClass(isa::LatencyClass(N)).Name;
    Classes[Name] = json::Array{C.Timings[N].Latency, C.Timings[N].Interval};
  }
  return Classes;
}

static json::Object chipJSON(const isa::ChipInfo &C) {
  return json::Object{{"cores", C.Cores},
                      {"schedulers_per_core", C.SchedulersPerCore},
                      {"clock_mhz", C.ClockMHz},
                      {"warps_per_core", C.WarpsPerCore},
                      {"ctas_per_core", C.CTAsPerCore},
                      {"registers_per_core", C.RegistersPerCore},
                      {"shared_bytes_per_core", C.SharedBytesPerCore},
                      {"l1_bytes", C.L1Bytes},
                      {"l2_bytes", C.L2Bytes},
                      {"sector_bytes", C.SectorBytes},
                      {"dram_bytes_per_cycle", C.DRAMBytesPerCycle},
                      {"l2_bytes_per_cycle", C.L2BytesPerCycle},
                      {"core_l2_bytes_per_cycle", C.CoreL2BytesPerCycle},
                      {"wavefront_bytes", wavefrontBytes(C)},
                      {"time", timeFiguresJSON(C)},
                      {"timings", timingsJSON(C)}};
}

/// The titles of metrics, in the order of a report, of states and of the
/// metrics of lines and instructions, and the opcodes that there are.
static json::Object catalogJSON() {
  json::Array Metrics, States, Source;
  for (const Metric &M : computeMetrics({}))
    if (M.Section != MetricSection::WarpStates)
      Metrics.push_back(json::Object{{"name", M.Name},
                                     {"title", M.Title},
                                     {"unit", M.Unit},
                                     {"section", sectionTitle(M.Section)}});
  for (unsigned N = 0; N < rt::NumStallReasons; ++N) {
    auto Reason = rt::StallReason(N);
    States.push_back(json::Object{{"name", rt::stallReasonName(Reason)},
                                  {"meaning", rt::stallReasonMeaning(Reason)}});
  }
  for (const SourceMetric &M : computeSourceMetrics({}))
    Source.push_back(json::Object{{"name", M.Name}, {"title", M.Title}});
  std::set<StringRef> Names;
  for (const isa::InstInfo &I : isa::instructions())
    Names.insert(I.Mnemonic);
  return json::Object{{"metrics", std::move(Metrics)},
                      {"states", std::move(States)},
                      {"source_metrics", std::move(Source)},
                      {"opcodes", json::Array(Names)}};
}

json::Object headJSON(const isa::ChipInfo &Chip) {
  return json::Object{{"version", ReportVersion},
                      {"chip", StringRef(Chip.Name)},
                      {"chip_figures", chipJSON(Chip)},
                      {"catalog", catalogJSON()}};
}

json::Array whatIfJSON(ArrayRef<WhatIf> Answers) {
  json::Array Result;
  for (const WhatIf &W : Answers)
    Result.push_back(json::Object{{"changes", W.Changes},
                                  {"cycles", json::Array(W.Cycles)}});
  return Result;
}

//===----------------------------------------------------------------------===//
// A launch
//===----------------------------------------------------------------------===//

static json::Object sourceMetricsJSON(const LineProfile &L) {
  json::Object O;
  for (const SourceMetric &M : computeSourceMetrics(L))
    if (M.Value)
      O[M.Name] = M.Value;
  return O;
}

static json::Object lineJSON(const LineProfile &L) {
  json::Object States;
  for (unsigned N = 0; N < rt::NumStallReasons; ++N)
    if (L.States[N])
      States[rt::stallReasonName(rt::StallReason(N))] = L.States[N];
  return json::Object{{"file", L.File},
                      {"line", L.Line},
                      {"warp_cycles", L.WarpCycles},
                      {"states", std::move(States)},
                      {"main_state", rt::stallReasonName(L.mainReason())},
                      {"metrics", sourceMetricsJSON(L)}};
}

static json::Object placeJSON(const SourcePlace &P) {
  return json::Object{{"file", P.first}, {"line", P.second}};
}

static json::Object adviceJSON(const Advice &A) {
  json::Array Culprits;
  for (const Culprit &C : A.Culprits) {
    json::Object O{{"file", C.File}, {"line", C.Line}, {"share", C.Share}};
    if (!C.Inlined.first.empty())
      O["inlined"] = placeJSON(C.Inlined);
    Culprits.push_back(std::move(O));
  }
  json::Object O{{"limiter", rt::limiterName(A.Limiter)},
                 {"symptom", A.Symptom},
                 {"remedy", A.Remedy},
                 {"without", rt::limiterWithout(A.Limiter)},
                 {"cycles", A.Cycles},
                 {"culprits", std::move(Culprits)}};
  if (!A.IsTried) {
    O["suspected"] = true;
    if (!A.Untried.empty())
      O["untried"] = A.Untried;
    return O;
  }
  O["proved"] = A.isProved();
  O["cycles_without"] = A.CyclesWithout;
  O["cycles_won"] = A.won();
  return O;
}

/// The profile, with the text, the metrics and the line of the PTX of each
/// instruction.
static json::Object profileJSON(const rt::LaunchProfile &P,
                                const CodeNotes &Code) {
  json::Object Profile = rt::profileJSON(P);
  json::Array &Instructions = *Profile.getArray("instructions");
  for (auto [V, I] : zip_equal(Instructions, P.Instructions)) {
    json::Object &O = *V.getAsObject();
    O["text"] = Code.textOf(I);
    O["metrics"] = sourceMetricsJSON(profileOf(I));
    if (auto It = Code.PTXLines.find({I.Section, I.PC});
        It != Code.PTXLines.end())
      O["ptx_line"] = It->second;
    if (auto It = Code.Inlined.find({I.Section, I.PC});
        It != Code.Inlined.end() && I.SourceLine)
      O["inlined_at"] = placeJSON(It->second);
  }
  if (!Code.PTXLines.empty())
    Profile["ptx_file"] = Code.PTXFile;
  return Profile;
}

static json::Object rooflineJSON(const rt::LaunchProfile &P,
                                 const isa::ChipInfo &Chip) {
  Roofline F = rooflineOf(P, Chip);
  json::Array Levels, Ceilings;
  for (const RooflineLevel &L : rooflineLevels(P, Chip))
    Levels.push_back(json::Object{
        {"name", L.Name}, {"bytes", L.Bytes}, {"peak_bytes", L.PeakBytes}});
  for (const RooflineCeiling &C : rooflineCeilings(P, Chip))
    Ceilings.push_back(
        json::Object{{"name", C.Name}, {"peak_operations", C.PeakOperations}});
  return json::Object{
      {"operations", F.Operations},     {"dram_bytes", F.Bytes},
      {"seconds", F.Seconds},           {"peak_operations", F.PeakOperations},
      {"peak_bytes", F.PeakBytes},      {"levels", std::move(Levels)},
      {"ceilings", std::move(Ceilings)}};
}

/// The warps on a core if the kernel needed other numbers of one resource, as
/// pairs of number and warps.
static json::Object occupancyJSON(const rt::LaunchProfile &P,
                                  const isa::ChipInfo &Chip) {
  constexpr uint32_t RegisterStep = 8, MaxRegisters = 255, WarpSize = 32,
                     SharedSteps = 48;
  const rt::DeviceProperties Device = rt::chipProperties(Chip);
  const rt::LaunchFootprint &S = P.Shape;
  auto Warps = [&](uint32_t Registers, uint32_t Threads, uint32_t Shared) {
    rt::KernelInfo Kernel;
    Kernel.Registers = Registers;
    return rt::computeOccupancy(Device, Kernel, Threads, Shared).warpsPerCore();
  };
  uint32_t Shared = S.StaticSharedBytes + S.DynamicSharedBytes;
  json::Array ByRegisters, ByThreads, ByShared;
  for (uint32_t R = RegisterStep; R <= MaxRegisters + 1; R += RegisterStep)
    ByRegisters.push_back(
        json::Array{std::min(R, MaxRegisters),
                    Warps(std::min(R, MaxRegisters), S.ThreadsPerCTA, Shared)});
  for (uint32_t T = WarpSize; T <= Device.ThreadsPerCTA; T += WarpSize)
    ByThreads.push_back(json::Array{T, Warps(S.Registers, T, Shared)});
  for (uint32_t N = 0; N <= SharedSteps; ++N) {
    uint32_t Bytes = uint64_t(Device.SharedBytesPerCTA) * N / SharedSteps;
    ByShared.push_back(
        json::Array{Bytes, Warps(S.Registers, S.ThreadsPerCTA, Bytes)});
  }
  return json::Object{{"by_registers", std::move(ByRegisters)},
                      {"by_threads", std::move(ByThreads)},
                      {"by_shared_bytes", std::move(ByShared)}};
}

static json::Array dimensionsJSON(const rt::Dim3 &D) {
  return json::Array{D.X, D.Y, D.Z};
}

json::Object launchJSON(const LaunchRecord &L, const isa::ChipInfo &Chip,
                        const CodeNotes &Code) {
  json::Object O{{"kernel", L.Kernel},
                 {"demangled", demangle(L.Kernel)},
                 {"grid", dimensionsJSON(L.Grid)},
                 {"block", dimensionsJSON(L.Block)}};
  if (!L.Profile)
    return O;
  json::Object Metrics;
  for (const Metric &M : computeMetrics(*L.Profile))
    Metrics[M.Name] = json::Object{{"value", M.Value}, {"unit", M.Unit}};
  json::Array Lines, Found;
  for (const LineProfile &Line : profileByLine(*L.Profile))
    Lines.push_back(lineJSON(Line));
  if (L.Advice)
    for (const Advice &A : *L.Advice)
      Found.push_back(adviceJSON(A));
  O["metrics"] = std::move(Metrics);
  O["roofline"] = rooflineJSON(*L.Profile, Chip);
  O["occupancy"] = occupancyJSON(*L.Profile, Chip);
  O["advice"] = std::move(Found);
  O["lines"] = std::move(Lines);
  O["profile"] = profileJSON(*L.Profile, Code);
  return O;
}

} // namespace heddle::prof
