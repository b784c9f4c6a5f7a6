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
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace heddle::prof {

Roofline rooflineOf(const rt::LaunchProfile &P, const isa::ChipInfo &Chip) {
  return computeRoofline(P,
                         Chip.Timings[size_t(isa::LatencyClass::FMA)].Interval);
}

static uint64_t sumOf(const rt::StallCycles &States) {
  uint64_t Sum = 0;
  for (uint64_t S : States)
    Sum += S;
  return Sum;
}

static rt::StallReason mainReason(const rt::StallCycles &States) {
  LineProfile L;
  L.States = States;
  return L.mainReason();
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
       << (IsWhole ? format("%14.0f ", M.Value) : format("%14.2f ", M.Value))
       << M.Unit << "\n";
  }
}

static void printRoofline(raw_ostream &OS, const Roofline &R) {
  OS << "\n  Roofline\n";
  if (R.Operations == 0) {
    OS << "    no floating-point arithmetic\n";
    return;
  }
  double Rate = R.Operations / R.Seconds;
  OS << format("    %.4g FLOP, %.4g bytes of DRAM: ", R.Operations, R.Bytes);
  if (R.Bytes > 0)
    OS << format("%.3g FLOP for each byte", R.intensity());
  else
    OS << "no bytes";
  double Bound = R.Bytes > 0 ? R.bound() : R.PeakOperations;
  OS << format("\n    %.4g FLOP/s of %.4g that are possible (%.1f %%), limited "
               "by %s\n",
               Rate, Bound, 100 * Rate / Bound,
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
    std::string Place =
        L.File.empty() ? "(no line)" : L.File + ":" + std::to_string(L.Line);
    OS << "    " << left_justify(Place, 42) << format_decimal(L.WarpCycles, 14)
       << format(" %6.1f", percentOf(L.WarpCycles, P.WarpCycles))
       << format_decimal(L.Issued, 13) << "  "
       << rt::stallReasonName(L.mainReason()) << "\n";
  }
}

static void printInstructions(raw_ostream &OS, const rt::LaunchProfile &P,
                              const Disassembly &Text, unsigned Rows) {
  OS << "\n  Instructions            warp cycles      %       issued  waits "
        "most for\n";
  std::vector<const rt::InstructionProfile *> Order;
  for (const rt::InstructionProfile &I : P.Instructions)
    Order.push_back(&I);
  llvm::stable_sort(Order, [](auto *A, auto *B) {
    return sumOf(A->States) > sumOf(B->States);
  });
  for (const rt::InstructionProfile *I :
       ArrayRef(Order).take_front(std::min<size_t>(Rows, Order.size()))) {
    auto It = Text.find({I->Section, I->PC});
    uint64_t Cycles = sumOf(I->States);
    OS << "    " << format_hex(I->PC, 8) << format_decimal(Cycles, 23)
       << format(" %6.1f", percentOf(Cycles, P.WarpCycles))
       << format_decimal(I->Issued, 13) << "  "
       << left_justify(rt::stallReasonName(mainReason(I->States)), 20)
       << (It == Text.end() ? I->Mnemonic : It->second) << "\n";
  }
}

static void printHeader(raw_ostream &OS, const rt::LaunchReport &R,
                        StringRef Chip) {
  const rt::Dim3 &G = R.Launch->Grid, &B = R.Launch->Block;
  OS << formatv("kernel '{0}' on {1}, grid ({2}, {3}, {4}), block ({5}, {6}, "
                "{7})\n",
                R.Kernel.Name, Chip, G.X, G.Y, G.Z, B.X, B.Y, B.Z);
}

static void printText(raw_ostream &OS, const Options &O,
                      const isa::ChipInfo &Chip,
                      ArrayRef<rt::LaunchReport> Reports,
                      const Disassembly &Text) {
  for (const rt::LaunchReport &R : Reports) {
    printHeader(OS, R, O.Chip);
    if (!R.Result.Profile)
      continue;
    const rt::LaunchProfile &P = *R.Result.Profile;
    OS << "  occupancy limited by "
       << rt::occupancyLimitName(P.Theoretical.Limit) << "\n";
    printMetrics(OS, P);
    printRoofline(OS, rooflineOf(P, Chip));
    printLines(OS, P, O.Rows);
    printInstructions(OS, P, Text, O.Rows);
    OS << "\n";
  }
}

//===----------------------------------------------------------------------===//
// JSON and CSV
//===----------------------------------------------------------------------===//

static json::Object lineJSON(const LineProfile &L) {
  json::Object States;
  for (unsigned N = 0; N < rt::NumStallReasons; ++N)
    if (L.States[N])
      States[rt::stallReasonName(rt::StallReason(N))] = L.States[N];
  return json::Object{{"file", L.File},
                      {"line", L.Line},
                      {"warp_cycles", L.WarpCycles},
                      {"issued", L.Issued},
                      {"threads", L.Threads},
                      {"states", std::move(States)},
                      {"main_state", rt::stallReasonName(L.mainReason())}};
}

static json::Object launchJSON(const rt::LaunchReport &R,
                               const isa::ChipInfo &Chip,
                               const Disassembly &Text) {
  json::Object O{{"kernel", R.Kernel.Name}};
  if (!R.Result.Profile)
    return O;
  const rt::LaunchProfile &P = *R.Result.Profile;
  json::Object Metrics;
  for (const Metric &M : computeMetrics(P))
    Metrics[M.Name] = json::Object{{"value", M.Value}, {"unit", M.Unit}};
  json::Array Lines;
  for (const LineProfile &L : profileByLine(P))
    Lines.push_back(lineJSON(L));
  json::Object Profile = rt::profileJSON(P);
  for (json::Value &V : *Profile.getArray("instructions")) {
    json::Object &I = *V.getAsObject();
    auto It = Text.find(
        {I.getString("section")->str(), uint64_t(*I.getInteger("pc"))});
    if (It != Text.end())
      I["text"] = It->second;
  }
  Roofline F = rooflineOf(P, Chip);
  O["metrics"] = std::move(Metrics);
  O["roofline"] = json::Object{{"operations", F.Operations},
                               {"dram_bytes", F.Bytes},
                               {"seconds", F.Seconds},
                               {"peak_operations", F.PeakOperations},
                               {"peak_bytes", F.PeakBytes}};
  O["lines"] = std::move(Lines);
  O["profile"] = std::move(Profile);
  return O;
}

static void printJSON(raw_ostream &OS, const Options &O,
                      const isa::ChipInfo &Chip,
                      ArrayRef<rt::LaunchReport> Reports,
                      const Disassembly &Text) {
  json::Array Launches;
  for (const rt::LaunchReport &R : Reports)
    Launches.push_back(launchJSON(R, Chip, Text));
  OS << formatv("{0:2}\n",
                json::Value(json::Object{{"manifest", O.Files.front()},
                                         {"chip", O.Chip},
                                         {"launches", std::move(Launches)}}));
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

void print(raw_ostream &OS, const Options &O, const isa::ChipInfo &Chip,
           ArrayRef<rt::LaunchReport> Reports, const Disassembly &Text) {
  switch (O.Format) {
  case Format::Text:
    return printText(OS, O, Chip, Reports, Text);
  case Format::JSON:
    return printJSON(OS, O, Chip, Reports, Text);
  case Format::CSV:
    return printCSV(OS, Reports);
  }
}

} // namespace heddle::prof
