//===- Html.cpp - Profiles as a page ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No scripts: tables, bars made of styled boxes, and a roofline as SVG.
//
//===----------------------------------------------------------------------===//

#include "heddle/Metrics/Html.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <map>

using namespace llvm;

namespace heddle::prof {

static constexpr StringLiteral Head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Profile</title>
<style>
body { font: 14px sans-serif; margin: 2em; max-width: 1200px; }
table { border-collapse: collapse; }
td, th { padding: 1px 8px; text-align: left; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
code, td.c { font: 12px monospace; white-space: pre; }
.bar { background: #c44; height: 10px; }
h2 { border-bottom: 1px solid #aaa; }
</style></head><body>
)";

/// What the characters of a page stand for.
static std::string escaped(StringRef Text) {
  std::string Result;
  raw_string_ostream OS(Result);
  printHTMLEscaped(Text, OS);
  return Result;
}

static double percentOf(double Part, double Whole) {
  return Whole > 0 ? 100 * Part / Whole : 0;
}

/// The cells of a number of warp cycles: the number, its part and a bar.
static void printCycles(raw_ostream &OS, uint64_t Cycles, uint64_t All) {
  double Part = percentOf(Cycles, All);
  OS << "<td class=n>" << Cycles << "</td><td class=n>"
     << format("%.1f %%", Part)
     << "</td><td><div class=bar style=\"width:" << format("%.0f", 2 * Part)
     << "px\"></div></td>";
}

/// A bar of so many per cent.
static void printBar(raw_ostream &OS, double Percent) {
  OS << "<div class=bar style=\"width:"
     << format("%.0f", 2 * std::clamp(Percent, 0.0, 100.0)) << "px\"></div>";
}

/// All metrics but those of states, which have a table of their own. Zeros are
/// left out, and parts of a whole have a bar.
static void printMetrics(raw_ostream &OS, const rt::LaunchProfile &P) {
  std::optional<MetricSection> Section;
  for (const Metric &M : computeMetrics(P)) {
    if (M.Section == MetricSection::WarpStates || M.Value == 0)
      continue;
    if (Section != M.Section) {
      OS << (Section ? "</table>\n" : "") << "<h3>"
         << escaped(sectionTitle(M.Section)) << "</h3><table>\n";
      Section = M.Section;
    }
    OS << "<tr><td>" << escaped(M.Title) << "</td><td class=n>"
       << format("%.6g", M.Value) << "</td><td>" << escaped(M.Unit)
       << "</td><td>";
    if (M.Unit == "%")
      printBar(OS, M.Value);
    else if (M.Section == MetricSection::InstructionMix)
      printBar(OS, percentOf(M.Value, P.Threads));
    OS << "</td><td class=c>" << escaped(M.Name) << "</td></tr>\n";
  }
  OS << "</table>\n";
}

static void printAdvice(raw_ostream &OS, ArrayRef<Advice> Found) {
  OS << "<h3>Advice</h3>\n";
  if (llvm::none_of(Found, [](const Advice &A) { return A.isProved(); })) {
    OS << "<p>Nothing that a rule finds costs time.</p>\n";
    return;
  }
  OS << "<table><tr><th>held back by</th><th>cycles to win</th><th></th><th>"
        "</th><th>what the profile shows, and what to try</th></tr>\n";
  for (const Advice &A : Found) {
    if (!A.isProved())
      continue;
    OS << "<tr><td title=\"" << escaped(rt::limiterWithout(A.Limiter)) << "\">"
       << rt::limiterName(A.Limiter) << "</td>";
    printCycles(OS, A.won(), A.Cycles);
    OS << "<td>" << escaped(A.Symptom) << "; " << escaped(A.Remedy);
    for (const Culprit &C : A.Culprits)
      OS << "<br>" << escaped(placeName(C.File, C.Line))
         << format(": %.0f %%", 100 * C.Share);
    OS << "</td></tr>\n";
  }
  OS << "</table>\n";
}

static void printStates(raw_ostream &OS, const rt::LaunchProfile &P) {
  OS << "<h3>Warp states</h3><table>\n";
  for (unsigned N = 0; N < rt::NumStallReasons; ++N) {
    auto Reason = static_cast<rt::StallReason>(N);
    if (!P.States[N])
      continue;
    OS << "<tr><td>" << rt::stallReasonName(Reason) << "</td>";
    printCycles(OS, P.States[N], P.WarpCycles);
    OS << "<td>" << escaped(rt::stallReasonMeaning(Reason)) << "</td></tr>\n";
  }
  OS << "</table>\n";
}

/// Both axes are logarithmic: intensity from 1/64 to 4096 operations a byte.
static void printRoofline(raw_ostream &OS, const Roofline &R) {
  OS << "<h3>Roofline</h3>\n";
  if (R.Operations == 0 || R.Bytes == 0) {
    OS << "<p>There is no floating-point arithmetic or no traffic of "
          "DRAM.</p>\n";
    return;
  }
  constexpr double Left = -6, Right = 12, Width = 600, Height = 260;
  double Top = std::log2(R.PeakOperations) + 1, Bottom = Top - 18;
  auto X = [&](double Intensity) {
    return (std::log2(Intensity) - Left) / (Right - Left) * Width;
  };
  auto Y = [&](double Rate) {
    return (Top - std::log2(Rate)) / (Top - Bottom) * Height;
  };
  double Knee = R.PeakOperations / R.PeakBytes;
  double Low = std::exp2(Left), High = std::exp2(Right);
  double Rate = R.Operations / R.Seconds;
  OS << format("<svg width=\"%.0f\" height=\"%.0f\" "
               "style=\"border:1px solid #aaa\"><polyline fill=\"none\" "
               "stroke=\"#46c\" points=\"%.1f,%.1f ",
               Width, Height, X(Low), Y(Low * R.PeakBytes))
     << format("%.1f,%.1f %.1f,%.1f\"/>", X(Knee), Y(R.PeakOperations), X(High),
               Y(R.PeakOperations))
     << format("<circle r=\"5\" fill=\"#c44\" cx=\"%.1f\" cy=\"%.1f\"/></svg>",
               X(R.intensity()), std::min(Y(Rate), Height - 5))
     << format("<p>%.3g operations a byte; %.3g operations a second of %.3g "
               "that are possible.</p>\n",
               R.intensity(), Rate, R.bound());
}

/// The lines of a source file, or none.
static std::vector<std::string> readSource(StringRef Name, StringRef Folder) {
  SmallString<128> InFolder(Folder);
  sys::path::append(InFolder, Name);
  for (StringRef Path : {Name, StringRef(InFolder)})
    if (auto Buffer = MemoryBuffer::getFile(Path)) {
      SmallVector<StringRef> Lines;
      (*Buffer)->getBuffer().split(Lines, '\n');
      return {Lines.begin(), Lines.end()};
    }
  return {};
}

/// The columns of source metrics that are not zero everywhere in a table.
static std::vector<size_t> usedColumns(ArrayRef<LineProfile> Rows) {
  std::vector<size_t> Result;
  for (size_t N = 0, E = computeSourceMetrics({}).size(); N < E; ++N)
    if (any_of(Rows, [N](const LineProfile &L) {
          return computeSourceMetrics(L)[N].Value != 0;
        }))
      Result.push_back(N);
  return Result;
}

static void printColumnHeads(raw_ostream &OS, ArrayRef<size_t> Columns) {
  std::vector<SourceMetric> Metrics = computeSourceMetrics({});
  for (size_t N : Columns)
    OS << "<th title=\"" << Metrics[N].Name << "\">"
       << escaped(Metrics[N].Title) << "</th>";
}

static void printColumns(raw_ostream &OS, const LineProfile &L,
                         ArrayRef<size_t> Columns) {
  std::vector<SourceMetric> Metrics = computeSourceMetrics(L);
  for (size_t N : Columns)
    OS << "<td class=n>" << Metrics[N].Value << "</td>";
}

static void printLines(raw_ostream &OS, const rt::LaunchProfile &P,
                       StringRef Folder) {
  std::vector<LineProfile> Lines = profileByLine(P);
  std::vector<size_t> Columns = usedColumns(Lines);
  OS << "<h3>Source lines</h3><table><tr><th>line</th><th>warp cycles</th>"
        "<th></th><th></th><th>waits most for</th><th></th>";
  printColumnHeads(OS, Columns);
  OS << "</tr>\n";
  std::map<std::string, std::vector<std::string>> Files;
  for (const LineProfile &L : Lines) {
    auto [It, IsNew] = Files.try_emplace(L.File);
    if (IsNew)
      It->second = readSource(L.File, Folder);
    bool HasText = L.Line > 0 && L.Line <= It->second.size();
    OS << "<tr><td>" << escaped(placeName(L.File, L.Line)) << "</td>";
    printCycles(OS, L.WarpCycles, P.WarpCycles);
    OS << "<td>" << rt::stallReasonName(L.mainReason()) << "</td><td class=c>"
       << escaped(HasText ? It->second[L.Line - 1] : "") << "</td>";
    printColumns(OS, L, Columns);
    OS << "</tr>\n";
  }
  OS << "</table>\n";
}

static void printInstructions(raw_ostream &OS, const rt::LaunchProfile &P,
                              const InstructionText &Text) {
  std::vector<LineProfile> Rows;
  Rows.reserve(P.Instructions.size());
  for (const rt::InstructionProfile &I : P.Instructions)
    Rows.push_back(profileOf(I));
  std::vector<size_t> Columns = usedColumns(Rows);
  OS << "<h3>Instructions</h3><table><tr><th>PC</th><th>warp cycles</th>"
        "<th></th><th></th><th>waits most for</th><th>line</th><th></th>";
  printColumnHeads(OS, Columns);
  OS << "</tr>\n";
  for (auto [I, L] : zip_equal(P.Instructions, Rows)) {
    auto It = Text.find({I.Section, I.PC});
    OS << "<tr><td class=c>" << format_hex(I.PC, 6) << "</td>";
    printCycles(OS, L.WarpCycles, P.WarpCycles);
    OS << "<td>" << rt::stallReasonName(L.mainReason()) << "</td><td class=n>"
       << I.SourceLine << "</td><td class=c>"
       << escaped(It == Text.end() ? I.Mnemonic : It->second) << "</td>";
    printColumns(OS, L, Columns);
    OS << "</tr>\n";
  }
  OS << "</table>\n";
}

void printHtmlHead(raw_ostream &OS, StringRef Title) {
  OS << Head << "<h1>" << escaped(Title) << "</h1>\n";
}

void printHtmlLaunch(raw_ostream &OS, StringRef Kernel,
                     const rt::LaunchProfile &P, const HtmlContext &C,
                     std::optional<ArrayRef<Advice>> Found) {
  OS << "<h2>" << escaped(Kernel) << " on " << escaped(C.ChipName)
     << "</h2>\n<p>" << P.totalCycles() << " cycles; occupancy limited by "
     << rt::occupancyLimitName(P.Theoretical.Limit) << ".";
  if (P.Sample)
    OS << " " << escaped(rt::describe(*P.Sample)) << ".";
  OS << "</p>\n";
  if (Found)
    printAdvice(OS, *Found);
  printMetrics(OS, P);
  printStates(OS, P);
  printRoofline(OS, rooflineOf(P, C.Chip));
  printLines(OS, P, C.SourceFolder);
  printInstructions(OS, P, C.Text);
}

void printHtmlKernels(raw_ostream &OS, ArrayRef<KernelTotal> Totals) {
  uint64_t All = 0;
  for (const KernelTotal &T : Totals)
    All += T.Cycles;
  OS << "<h2>Kernels</h2>\n<table><tr><th>kernel</th><th>launches</th>"
        "<th>cycles</th></tr>\n";
  for (const KernelTotal &T : Totals) {
    OS << "<tr><td class=c>" << escaped(T.Name) << "</td><td class=n>"
       << T.Launches << "</td>";
    printCycles(OS, T.Cycles, All);
    OS << "</tr>\n";
  }
  OS << "</table>\n";
}

std::string describeChange(uint64_t Cycles, uint64_t Changed) {
  double Part = Cycles ? 100 * (double(Changed) / double(Cycles) - 1) : 0;
  return formatv("{0}{1:F1} %", Part < 0 ? "" : "+", Part).str();
}

void printHtmlWhatIf(raw_ostream &OS, ArrayRef<NamedCycles> Launches,
                     ArrayRef<WhatIf> Answers) {
  if (Answers.empty())
    return;
  OS << "<h2>What if</h2>\n<table><tr><th>kernel</th><th>cycles</th>";
  for (const WhatIf &W : Answers)
    OS << "<th>" << escaped(W.Changes) << "</th>";
  OS << "</tr>\n";
  for (auto [N, Launch] : enumerate(Launches)) {
    OS << "<tr><td class=c>" << escaped(Launch.Kernel) << "</td><td class=n>"
       << Launch.Cycles << "</td>";
    for (const WhatIf &W : Answers)
      OS << "<td class=n>" << W.Cycles[N] << " ("
         << describeChange(Launch.Cycles, W.Cycles[N]) << ")</td>";
    OS << "</tr>\n";
  }
  OS << "</table>\n";
}

void printHtmlTail(raw_ostream &OS) { OS << "</body></html>\n"; }

} // namespace heddle::prof
