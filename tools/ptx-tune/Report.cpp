//===- Report.cpp - What ptx-tune found -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text, JSON and HTML say the same.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace heddle::tune {

static double percentFewer(const KernelResult &R) {
  return 100 * (1 - R.Best.Cost);
}

void printText(raw_ostream &OS, ArrayRef<KernelResult> Results) {
  for (const KernelResult &R : Results) {
    OS << formatv("kernel '{0}': {1} cycles untuned, {2} tuned, {3:F1} % "
                  "fewer\n",
                  R.Name, R.Untuned.Cycles, R.Best.Cycles, percentFewer(R));
    OS << formatv("  {0} of {1} configurations tried, {2} unusable, {3} "
                  "stopped early, {4} more to simplify, {5:F1} s\n",
                  R.Costs.size(), R.SpaceSize, R.Unusable, R.Stopped, R.Extra,
                  R.Seconds);
    if (R.Transferred)
      OS << formatv("  {0} of them from similar kernels\n", R.Transferred);
    if (R.Moved)
      OS << formatv("  {0} moves of instructions tried, {1:F1} % fewer cycles "
                    "by those kept\n",
                    R.Moved, 100 * (1 - R.Best.Cost / R.CostInOrder));
    if (R.Found)
      OS << formatv("  {0} of them from the journal\n", R.Found);
    if (R.StoppedByTime)
      OS << "  stopped by --seconds\n";
    for (const Worth &W : R.Worths) {
      OS << formatv("  {0,-22} {1,4}   ", W.Decision, W.Value);
      if (W.Factor == tuning::Unusable)
        OS << "unusable without it\n";
      else
        OS << formatv("{0:F1} % more cycles without it\n",
                      100 * (W.Factor - 1));
    }
    for (const auto &[C, Text] : R.Wrong) {
      tuning::Document D;
      D.Kernels[R.Name] = C;
      OS << "  a defect of the compiler: with " << D.str() << ": " << Text
         << "\n";
    }
  }
}

static json::Value resultJSON(const KernelResult &R) {
  json::Array Costs, Worths, Wrong;
  for (double Cost : R.Costs)
    Costs.push_back(Cost == tuning::Unusable ? json::Value(nullptr)
                                             : json::Value(Cost));
  for (const Worth &W : R.Worths)
    Worths.push_back(
        json::Object{{"decision", W.Decision},
                     {"value", W.Value},
                     {"cost_without", W.Factor == tuning::Unusable
                                          ? json::Value(nullptr)
                                          : json::Value(W.Factor)}});
  for (const auto &[C, Text] : R.Wrong)
    Wrong.push_back(json::Object{{"configuration", configurationJSON(C)},
                                 {"difference", json::fixUTF8(Text)}});
  return json::Object{
      {"kernel", R.Name},
      {"loops", static_cast<int64_t>(R.Loops.size())},
      {"space",
       static_cast<int64_t>(std::min<uint64_t>(R.SpaceSize, INT64_MAX))},
      {"untuned_cycles", static_cast<int64_t>(R.Untuned.Cycles)},
      {"tuned_cycles", static_cast<int64_t>(R.Best.Cycles)},
      {"cost", R.Best.Cost},
      {"decisions", configurationJSON(R.Decisions)},
      {"worth", std::move(Worths)},
      {"costs", std::move(Costs)},
      {"unusable", R.Unusable},
      {"stopped", R.Stopped},
      {"transferred", R.Transferred},
      {"moves", R.Moved},
      {"cost_before_moves", R.CostInOrder == tuning::Unusable
                                ? json::Value(nullptr)
                                : json::Value(R.CostInOrder)},
      {"extra_evaluations", R.Extra},
      {"from_journal", R.Found},
      {"wrong", std::move(Wrong)},
      {"seconds", R.Seconds},
      {"stopped_by_time", R.StoppedByTime}};
}

void printJSON(raw_ostream &OS, ArrayRef<KernelResult> Results) {
  json::Array Kernels;
  for (const KernelResult &R : Results)
    Kernels.push_back(resultJSON(R));
  OS << formatv("{0:2}\n",
                json::Value(json::Object{{"kernels", std::move(Kernels)}}));
}

/// Every cost as a dot, and the best so far as a line.
static void printCurve(raw_ostream &OS, const KernelResult &R) {
  constexpr double Width = 640, Height = 240, Margin = 40, Highest = 1.5;
  double Lowest = std::min(R.Best.Cost, 1.0) * 0.95;
  auto X = [&](size_t I) {
    return Margin +
           static_cast<double>(I) * (Width - 2 * Margin) /
               static_cast<double>(std::max<size_t>(R.Costs.size() - 1, 1));
  };
  auto Y = [&](double Cost) {
    return Margin + (Highest - std::min(Cost, Highest)) *
                        (Height - 2 * Margin) / (Highest - Lowest);
  };
  OS << format("<svg width=%.0f height=%.0f role=img>", Width, Height)
     << "<title>Cost of each configuration and of the best so far</title>";
  for (double Mark : {Lowest, 1.0, Highest})
    OS << format("<line x1=%.0f x2=%.0f y1=%.1f y2=%.1f stroke=#ddd />", Margin,
                 Width - Margin, Y(Mark), Y(Mark))
       << format("<text x=0 y=%.1f font-size=11>%.2f</text>", Y(Mark) + 4,
                 Mark);
  std::string Line;
  double Best = tuning::Unusable;
  for (size_t I = 0; I != R.Costs.size(); ++I) {
    double Cost = R.Costs[I];
    OS << format("<circle cx=%.1f cy=%.1f r=2 fill=\"%s\" />", X(I), Y(Cost),
                 Cost == tuning::Unusable ? "#c44" : "#88a");
    Best = std::min(Best, Cost);
    raw_string_ostream(Line) << format("%.1f,%.1f ", X(I), Y(Best));
  }
  OS << "<polyline fill=none stroke=#246 stroke-width=2 points=\"" << Line
     << "\" />"
     << format("<text x=%.0f y=%.0f font-size=11>configurations tried"
               "</text></svg>\n",
               Width / 2 - 60, Height - 8);
}

static constexpr StringLiteral Head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>ptx-tune</title>
<style>
body { font: 14px sans-serif; margin: 2em; max-width: 900px; }
table { border-collapse: collapse; }
td, th { padding: 1px 8px; text-align: left; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
h2 { border-bottom: 1px solid #aaa; }
</style></head><body>
<h1>ptx-tune</h1>
<p>Costs are cycles relative to the untuned kernel's. Dots are configurations, in
red those that cannot be used; what costs more than 1.5 is drawn at 1.5.</p>
)";

void printHtml(raw_ostream &OS, ArrayRef<KernelResult> Results) {
  OS << Head;
  for (const KernelResult &R : Results) {
    OS << "<h2>";
    printHTMLEscaped(R.Name, OS);
    OS << formatv("</h2><p>{0} cycles untuned, {1} tuned, {2:F1} % fewer; {3} "
                  "of {4} configurations tried, {5} unusable, {6:F1} s</p>\n",
                  R.Untuned.Cycles, R.Best.Cycles, percentFewer(R),
                  R.Costs.size(), R.SpaceSize, R.Unusable, R.Seconds);
    if (R.Moved)
      OS << formatv("<p>{0} moves of instructions tried: {1:F1} % fewer "
                    "cycles by those kept</p>\n",
                    R.Moved, 100 * (1 - R.Best.Cost / R.CostInOrder));
    printCurve(OS, R);
    if (R.Worths.empty()) {
      OS << "<p>The compiler's own decisions were the best.</p>\n";
      continue;
    }
    OS << "<table><tr><th>decision<th>value<th>cycles without it</tr>\n";
    for (const Worth &W : R.Worths) {
      OS << "<tr><td>" << W.Decision << "<td class=n>" << W.Value
         << "<td class=n>";
      if (W.Factor == tuning::Unusable)
        OS << "unusable";
      else
        OS << format("%+.1f %%", 100 * (W.Factor - 1));
      OS << "</tr>\n";
    }
    OS << "</table>\n";
  }
  OS << "</body></html>\n";
}

void printKnobs(raw_ostream &OS) {
  for (const tuning::KnobInfo &K : tuning::knobTable()) {
    static constexpr StringLiteral Places[] = {"", "", "@LOOP", "@INSTRUCTION"};
    OS << K.Name << Places[static_cast<size_t>(K.Scope)] << "\n  " << K.Help
       << "\n  values:";
    for (int64_t V : K.Domain)
      OS << " " << V;
    OS << ", without tuning " << K.Default << "\n";
  }
}

} // namespace heddle::tune
