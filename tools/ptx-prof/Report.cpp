//===- Report.cpp - Profiles as text, JSON and CSV --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text has what people look at first; JSON has everything.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace heddle::prof {

std::vector<const prof::Advice *> Results::proved(size_t Launch) const {
  std::vector<const prof::Advice *> Result;
  if (Launch < Advice.size())
    for (const prof::Advice &A : Advice[Launch])
      if (A.isProved())
        Result.push_back(&A);
  return Result;
}

LaunchRecord Results::record(size_t Launch) const {
  const rt::LaunchReport &L = Launches[Launch];
  LaunchRecord Record{L.Kernel.Name, L.Launch->Grid, L.Launch->Block,
                      L.Result.Profile.get(), std::nullopt};
  if (Launch < Advice.size())
    Record.Advice = Advice[Launch];
  return Record;
}

json::Object Results::head() const {
  json::Object Head = headJSON(Chip);
  Head["manifest"] = O.Files.front();
  return Head;
}

static double percentOf(uint64_t Part, uint64_t Whole) {
  return Whole ? 100.0 * Part / Whole : 0;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printMetrics(raw_ostream &OS, const rt::LaunchProfile &P) {
  std::optional<MetricSection> Section;
  for (const Metric &M : computeMetrics(P)) {
    if (Section != M.Section)
      OS << "\n  " << sectionTitle(M.Section) << "\n";
    Section = M.Section;
    if (M.Value == 0)
      continue;
    bool IsWhole = M.Value == uint64_t(M.Value);
    OS << "    " << left_justify(M.Title, 48)
       << (IsWhole ? formatv("{0,14:N0} ", uint64_t(M.Value)).str()
                   : formatv("{0,14} ", format("%.2f", M.Value)).str())
       << M.Unit << "\n";
  }
}

/// A number as people write it before a unit: 6.38 G.
static std::string inSI(double Value) {
  constexpr std::pair<double, const char *> Steps[] = {
      {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (auto [Step, Prefix] : Steps)
    if (Value >= Step * 0.9995)
      return formatv("{0} {1}", format("%.3g", Value / Step), Prefix).str();
  return formatv("{0} ", format("%.3g", Value)).str();
}

static void printRoofline(raw_ostream &OS, const Roofline &R) {
  OS << "\n  Roofline\n";
  if (R.Operations == 0) {
    OS << "    no floating-point arithmetic\n";
    return;
  }
  double Rate = R.Operations / R.Seconds;
  OS << "    " << inSI(R.Operations) << "FLOP, " << inSI(R.Bytes)
     << "B of DRAM: ";
  if (R.Bytes > 0)
    OS << format("%.3g FLOP for each byte", R.intensity());
  else
    OS << "no bytes";
  double Bound = R.Bytes > 0 ? R.bound() : R.PeakOperations;
  OS << "\n    " << inSI(Rate) << "FLOP/s of " << inSI(Bound)
     << format("FLOP/s that are possible (%.1f %%), limited by %s\n",
               100 * Rate / Bound,
               Bound < R.PeakOperations ? "memory" : "arithmetic");
}

static void printLines(raw_ostream &OS, const rt::LaunchProfile &P,
                       unsigned Rows) {
  OS << "\n  Source lines                                   warp cycles      %"
        "       issued  waits most for\n";
  unsigned Shown = 0;
  for (const LineProfile &L : profileByLine(P)) {
    if (Shown++ == Rows)
      break;
    OS << "    " << left_justify(placeName(L.File, L.Line), 42)
       << format_decimal(L.WarpCycles, 14)
       << format(" %6.1f", percentOf(L.WarpCycles, P.WarpCycles))
       << format_decimal(L.Issued, 13) << "  "
       << rt::stallReasonName(L.mainReason()) << "\n";
  }
}

static void printInstructions(raw_ostream &OS, const rt::LaunchProfile &P,
                              const Results &R) {
  OS << "\n  Instructions            warp cycles      %       issued  waits "
        "most for\n";
  std::vector<const rt::InstructionProfile *> Order = byCycles(P);
  for (const rt::InstructionProfile *I :
       ArrayRef(Order).take_front(std::min<size_t>(R.O.Rows, Order.size()))) {
    LineProfile L = profileOf(*I);
    OS << "    " << format_hex(I->PC, 8) << format_decimal(L.WarpCycles, 23)
       << format(" %6.1f", percentOf(L.WarpCycles, P.WarpCycles))
       << format_decimal(I->Issued, 13) << "  "
       << left_justify(rt::stallReasonName(L.mainReason()), 20)
       << R.Code.textOf(*I) << "\n";
  }
}

/// What was inlined at a line that advice names.
static std::string inlinedText(const Culprit &C) {
  if (C.Inlined.first.empty())
    return "";
  return ", inlined from " + placeName(C.Inlined.first, C.Inlined.second);
}

/// What the model proves, then what it was suspected of in vain.
static void printAdvice(raw_ostream &OS, const Results &R, size_t Launch) {
  if (Launch >= R.Advice.size())
    return;
  OS << "\n  Advice: cycles that the model wins when it runs again without\n";
  std::vector<const prof::Advice *> Proved = R.proved(Launch);
  if (Proved.empty())
    OS << "    nothing that a rule finds costs time\n";
  for (const prof::Advice *A : Proved) {
    OS << "    " << left_justify(rt::limiterName(A->Limiter), 18)
       << format_decimal(A->won(), 14)
       << format(" %6.1f %%  ", 100 * A->share()) << A->Symptom << "\n"
       << formatv("{0,44}{1}\n", "", A->Remedy);
    for (const Culprit &C : A->Culprits)
      OS << formatv("{0,44}{1} ({2:P0}){3}\n", "", placeName(C.File, C.Line),
                    C.Share, inlinedText(C));
  }
  if (Proved.size() < R.Advice[Launch].size()) {
    OS << "    costs nothing:";
    for (const prof::Advice &A : R.Advice[Launch])
      if (!A.isProved())
        OS << " " << rt::limiterName(A.Limiter);
    OS << "\n";
  }
}

static void printHeader(raw_ostream &OS, const rt::LaunchReport &R,
                        StringRef Chip) {
  const rt::Dim3 &G = R.Launch->Grid, &B = R.Launch->Block;
  OS << formatv("kernel '{0}' on {1}, grid ({2}, {3}, {4}), block ({5}, {6}, "
                "{7})\n",
                demangle(R.Kernel.Name), Chip, G.X, G.Y, G.Z, B.X, B.Y, B.Z);
}

/// What the model says of other chips, launch by launch.
static void printWhatIf(raw_ostream &OS, const Results &R) {
  if (R.WhatIf.empty())
    return;
  OS << "What if: cycles on a chip with other figures\n";
  for (auto [N, Launch] : enumerate(R.Launches)) {
    const rt::LaunchProfile *P = Launch.Result.Profile.get();
    uint64_t Cycles = P ? P->totalCycles() : 0;
    OS << "  " << left_justify(Launch.Kernel.Name, 46)
       << format_decimal(Cycles, 14) << "\n";
    for (const prof::WhatIf &W : R.WhatIf)
      OS << "    " << left_justify(W.Changes, 44)
         << format_decimal(W.Cycles[N], 14) << "  "
         << describeChange(Cycles, W.Cycles[N]) << "\n";
  }
}

static void printText(raw_ostream &OS, const Results &R) {
  for (size_t N = 0; N < R.Launches.size(); ++N) {
    const rt::LaunchReport &Launch = R.Launches[N];
    printHeader(OS, Launch, R.O.Chip);
    if (!Launch.Result.Profile)
      continue;
    const rt::LaunchProfile &P = *Launch.Result.Profile;
    OS << "  occupancy limited by "
       << rt::occupancyLimitName(P.Theoretical.Limit) << "\n";
    if (P.Sample)
      OS << "  " << rt::describe(*P.Sample) << "\n";
    printMetrics(OS, P);
    printRoofline(OS, rooflineOf(P, R.Chip));
    printAdvice(OS, R, N);
    printLines(OS, P, R.O.Rows);
    printInstructions(OS, P, R);
    OS << "\n";
  }
  printWhatIf(OS, R);
}

//===----------------------------------------------------------------------===//
// JSON and CSV
//===----------------------------------------------------------------------===//

static void printJSON(raw_ostream &OS, const Results &R) {
  json::Array Launches;
  for (size_t N = 0; N < R.Launches.size(); ++N)
    Launches.push_back(launchJSON(R.record(N), R.Chip, R.Code));
  json::Object Report = R.head();
  Report["launches"] = std::move(Launches);
  Report["what_if"] = whatIfJSON(R.WhatIf);
  OS << formatv("{0:2}\n", json::Value(std::move(Report)));
}

/// In quotes, as RFC 4180 has it.
static std::string quoted(StringRef Text) {
  std::string Result = "\"";
  for (char C : Text)
    Result += C == '"' ? "\"\"" : std::string(1, C);
  return Result + "\"";
}

static void printCSV(raw_ostream &OS, ArrayRef<rt::LaunchReport> Reports) {
  OS << "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\","
        "\"Metric Unit\",\"Metric Value\"\n";
  for (size_t N = 0; N < Reports.size(); ++N) {
    if (!Reports[N].Result.Profile)
      continue;
    for (const Metric &M : computeMetrics(*Reports[N].Result.Profile))
      OS << N << "," << quoted(Reports[N].Kernel.Name) << ","
         << quoted(sectionTitle(M.Section)) << "," << quoted(M.Name) << ","
         << quoted(M.Unit) << "," << format("%.17g", M.Value) << "\n";
  }
}

void print(raw_ostream &OS, const Results &R) {
  switch (R.O.Format) {
  case Format::Text:
    return printText(OS, R);
  case Format::JSON:
    return printJSON(OS, R);
  case Format::CSV:
    return printCSV(OS, R.Launches);
  }
}

} // namespace heddle::prof
