//===- RunReport.cpp - What a run of a manifest came to ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statistics and results as text and as JSON.
//
//===----------------------------------------------------------------------===//

#include "heddle/Manifest/ManifestRunner.h"
#include "heddle/Runtime/Profile.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace heddle::rt {

static void printDim(raw_ostream &OS, const Dim3 &D) {
  OS << "(" << D.X << ", " << D.Y << ", " << D.Z << ")";
}

static void printCount(raw_ostream &OS, StringRef Name, uint64_t Count) {
  OS << "  " << left_justify(Name, 24) << format_decimal(Count, 16) << "\n";
}

static void printLaunch(raw_ostream &OS, const LaunchReport &Report) {
  const LaunchStatistics &S = Report.Result.Statistics;
  const KernelInfo &K = Report.Kernel;
  OS << "kernel '" << K.Name << "', grid ";
  printDim(OS, Report.Launch->Grid);
  OS << ", block ";
  printDim(OS, Report.Launch->Block);
  OS << ": " << K.Registers << " registers, "
     << K.SharedBytes + Report.Launch->SharedBytes << " bytes shared, "
     << K.LocalBytes << " bytes local, " << K.CodeBytes << " bytes code\n";
  printCount(OS, "CTAs", S.CTAs);
  printCount(OS, "warps", S.Warps);
  printCount(OS, "threads", S.Threads);
  printCount(OS, "warp instructions", S.WarpInstructions);
  printCount(OS, "thread instructions", S.ThreadInstructions);
  for (const auto &[Name, Count] : S.Counters)
    printCount(OS, Name, Count);
  OS << "  class                               warp           thread\n";
  for (const InstructionCount &C : S.ByClass)
    OS << "    " << left_justify(C.Class, 22) << format_decimal(C.Warp, 14)
       << " " << format_decimal(C.Thread, 16) << "\n";
  if (Report.Result.Profile)
    printProfile(OS, *Report.Result.Profile);
}

void printStatistics(raw_ostream &OS, ArrayRef<LaunchReport> Reports) {
  for (const LaunchReport &Report : Reports)
    printLaunch(OS, Report);
}

static json::Value dimJSON(const Dim3 &D) { return json::Array{D.X, D.Y, D.Z}; }

static json::Object faultJSON(const Fault &F) {
  json::Object O{{"kind", faultKindName(F.Kind)},
                 {"kernel", F.Kernel},
                 {"pc", F.PC},
                 {"message", F.str()}};
  if (F.SourceLine) {
    O["file"] = F.SourceFile;
    O["line"] = F.SourceLine;
  }
  if (F.Block)
    O["block"] = dimJSON(*F.Block);
  if (F.Thread)
    O["thread"] = dimJSON(*F.Thread);
  if (F.Address)
    O["address"] = *F.Address;
  return O;
}

static json::Object statisticsJSON(const LaunchStatistics &S) {
  json::Object Classes, Counters;
  for (const InstructionCount &C : S.ByClass)
    Classes[C.Class] = json::Object{{"warp", C.Warp}, {"thread", C.Thread}};
  for (const auto &[Name, Count] : S.Counters)
    Counters[Name] = Count;
  return json::Object{{"ctas", S.CTAs},
                      {"warps", S.Warps},
                      {"threads", S.Threads},
                      {"warp_instructions", S.WarpInstructions},
                      {"thread_instructions", S.ThreadInstructions},
                      {"classes", std::move(Classes)},
                      {"counters", std::move(Counters)}};
}

/// The cluster that the launch had.
static Dim3 clusterOf(const LaunchReport &Report) {
  return Report.Launch->Cluster.value_or(
      Report.Kernel.RequiredCluster.value_or(Dim3()));
}

static json::Object launchJSON(const LaunchReport &Report) {
  const KernelInfo &K = Report.Kernel;
  json::Object O{{"entry", K.Name},
                 {"grid", dimJSON(Report.Launch->Grid)},
                 {"block", dimJSON(Report.Launch->Block)},
                 {"cluster", dimJSON(clusterOf(Report))},
                 {"registers", K.Registers},
                 {"shared_bytes", K.SharedBytes + Report.Launch->SharedBytes},
                 {"local_bytes", K.LocalBytes},
                 {"code_bytes", K.CodeBytes},
                 {"host_seconds", Report.Seconds},
                 {"statistics", statisticsJSON(Report.Result.Statistics)}};
  if (Report.Result.Profile)
    O["profile"] = profileJSON(*Report.Result.Profile);
  if (Report.Result.Fault)
    O["fault"] = faultJSON(*Report.Result.Fault);
  return O;
}

json::Value reportJSON(const Manifest &M, const Device &D,
                       const ManifestRunner &Runner,
                       ArrayRef<CheckReport> Checks) {
  json::Array Launches, CheckList;
  for (const LaunchReport &Report : Runner.reports())
    Launches.push_back(launchJSON(Report));
  bool Passed = true;
  for (const CheckReport &Check : Checks) {
    Passed &= Check.Passed;
    json::Object O{
        {"place", Check.Place}, {"what", Check.What}, {"passed", Check.Passed}};
    if (!Check.Passed)
      O["message"] = Check.Message;
    if (!Check.Details.empty())
      O["details"] = json::Array(Check.Details);
    CheckList.push_back(std::move(O));
  }
  return json::Object{{"manifest", M.File},
                      {"device", D.name()},
                      {"chip", D.chip()},
                      {"passed", Passed},
                      {"launches", std::move(Launches)},
                      {"checks", std::move(CheckList)},
                      {"stdout", json::fixUTF8(Runner.output())}};
}

} // namespace heddle::rt
