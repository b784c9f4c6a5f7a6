//===- Report.cpp - What a process tells a dashboard ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both ends of a connection read and write by these functions.
//
//===----------------------------------------------------------------------===//

#include "heddle/Dashboard/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::dash {

std::string ReportAddress::str() const {
  return std::to_string(Port) + ":" + Secret;
}

Expected<ReportAddress> ReportAddress::parse(StringRef Text) {
  ReportAddress A;
  auto [Port, Secret] = Text.split(':');
  if (Port.getAsInteger(10, A.Port) || !A.Port || Secret.empty())
    return createStringError(Twine(ReportVariable) + ": '" + Text +
                             "' is no port with a secret behind it");
  A.Secret = Secret.str();
  return A;
}

static json::Value toJSON(const KernelSums &K) {
  return json::Object{{"name", json::fixUTF8(K.Name)},
                      {"launches", K.Launches},
                      {"ns", K.Nanoseconds},
                      {"cycles", K.Cycles}};
}

static bool fromJSON(const json::Value &V, KernelSums &K, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("name", K.Name) && O.map("launches", K.Launches) &&
         O.map("ns", K.Nanoseconds) && O.map("cycles", K.Cycles);
}

static json::Value toJSON(const CacheSums &C) {
  return json::Object{{"sectors", C.Sectors}, {"hits", C.Hits}};
}

static bool fromJSON(const json::Value &V, CacheSums &C, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("sectors", C.Sectors) && O.map("hits", C.Hits);
}

static json::Value toJSON(const FaultNote &F) {
  return json::Object{{"kind", F.Kind},
                      {"kernel", json::fixUTF8(F.Kernel)},
                      {"text", json::fixUTF8(F.Text)}};
}

static bool fromJSON(const json::Value &V, FaultNote &F, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("kind", F.Kind) && O.map("kernel", F.Kernel) &&
         O.map("text", F.Text);
}

static json::Object countsJSON(const std::map<std::string, uint64_t> &Counts) {
  json::Object O;
  for (const auto &[Name, Count] : Counts)
    O[Name] = Count;
  return O;
}

static bool fromJSON(const json::Value &V, ProcessReport &R, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("process", R.Process) && O.map("program", R.Program) &&
         O.map("instructions", R.WarpInstructions) &&
         O.map("memory", R.MemoryBytes) && O.map("l1", R.L1) &&
         O.map("l2", R.L2) && O.map("warp_cycles", R.WarpCycles) &&
         O.map("compilations", R.Compilations) && O.map("kernels", R.Kernels) &&
         O.map("faults", R.Faults);
}

std::string formatReport(const ProcessReport &R) {
  json::Array Kernels, Faults;
  for (const KernelSums &K : R.Kernels)
    Kernels.push_back(toJSON(K));
  for (const FaultNote &F : R.Faults)
    Faults.push_back(toJSON(F));
  std::string Line;
  raw_string_ostream(Line) << json::Value(json::Object{
                                  {"process", R.Process},
                                  {"program", json::fixUTF8(R.Program)},
                                  {"instructions", R.WarpInstructions},
                                  {"memory", json::Array(R.MemoryBytes)},
                                  {"l1", toJSON(R.L1)},
                                  {"l2", toJSON(R.L2)},
                                  {"warp_cycles", countsJSON(R.WarpCycles)},
                                  {"compilations", countsJSON(R.Compilations)},
                                  {"kernels", std::move(Kernels)},
                                  {"faults", std::move(Faults)}})
                           << "\n";
  return Line;
}

Expected<ProcessReport> parseReport(StringRef Line) {
  return json::parse<ProcessReport>(Line.rtrim("\n"), "report");
}

} // namespace heddle::dash
