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

#include <cmath>

using namespace llvm;

namespace heddle::tune {

/// "12.3 % fewer" cycles by \p Cost, relative to 1.
static std::string gainOf(double Cost) {
  return formatv("{0:F1} % {1}", 100 * std::abs(1 - Cost),
                 Cost <= 1 ? "fewer" : "more");
}

/// "41 registers and 2048 bytes of code".
static std::string figuresOf(const Measurement &M) {
  return formatv("{0} registers and {1} bytes of code", M.Code.Registers,
                 M.Code.CodeBytes);
}

/// What a search came to, in a line: of limits, only if there are some.
static std::string summaryOf(const KernelResult &R) {
  if (R.Costs.empty())
    return "nothing was tried";
  if (!R.isFound())
    return formatv("{0} cycles untuned, nothing found that can be used",
                   R.Untuned.Cycles);
  return formatv("{0} cycles untuned, {1} tuned, {2}", R.Untuned.Cycles,
                 R.Best.Cycles, gainOf(R.Best.Cost));
}

/// What limits did to a search, in some sentences; empty if there are none.
static std::string limitsOf(const KernelResult &R, const Options &O) {
  if (!O.Bounds.any() || R.Costs.empty())
    return "";
  std::string Text = "within " + O.Bounds.str() + ": ";
  if (R.isFound())
    Text += formatv("tuned {0}; untuned {1}", figuresOf(R.Best),
                    R.Untuned.Became == Verdict::Constraints
                        ? R.Untuned.Fault
                        : figuresOf(R.Untuned));
  else
    Text +=
        formatv("nothing was found; the untuned code is {0}", R.Untuned.Fault);
  for (const auto &[Kind, Count] : R.OverBy)
    Text += formatv("; {0} over the limit on {1}", Count, limitInfo(Kind).What);
  return Text;
}

/// What was left out since the order of threads decides results; empty if
/// nothing was.
static std::string reorderedOf(const KernelResult &R) {
  if (R.Reordered.empty())
    return "";
  return formatv("{0} left out whose results differ as the order of threads "
                 "decides ({1}), as with atomic additions of floating-point "
                 "numbers; a tolerance in the manifest would admit them",
                 R.Reordered.size(), R.Reordered.front().second.Fault);
}

/// How a decision is needed.
static std::string worthOf(const Worth &W) {
  if (W.Factor == tuning::Unusable)
    return "unusable without it" + (W.Fault.empty() ? "" : ": " + W.Fault);
  return formatv("{0:F1} % more cycles without it", 100 * (W.Factor - 1));
}

/// A configuration that computes something else.
static std::string defectOf(const KernelResult &R,
                            const tuning::Configuration &C,
                            const Measurement &M) {
  tuning::Document D;
  D.Kernels[R.Name] = C;
  return "a defect of the compiler: with " + D.str() + ": " + M.Fault;
}

static void printText(raw_ostream &OS, const KernelResult &R,
                      const Options &O) {
  OS << "kernel '" << R.Name << "': " << summaryOf(R) << "\n";
  OS << formatv("  {0} of {1} configurations tried, {2} unusable, {3} "
                "stopped early, {4} more to simplify, {5:F1} s\n",
                R.Costs.size(), R.SpaceSize, R.Unusable, R.Stopped, R.Extra,
                R.Seconds);
  if (std::string Text = limitsOf(R, O); !Text.empty())
    OS << "  " << Text << "\n";
  if (std::string Text = reorderedOf(R); !Text.empty())
    OS << "  " << Text << "\n";
  if (R.Transferred)
    OS << formatv("  {0} of them from similar kernels\n", R.Transferred);
  if (R.Moved)
    OS << formatv("  {0} moves of instructions tried, {1} cycles by those "
                  "kept\n",
                  R.Moved, gainOf(R.Best.Cost / R.CostInOrder));
  if (R.Found)
    OS << formatv("  {0} of them from the journal\n", R.Found);
  if (R.StoppedByTime)
    OS << "  stopped by --seconds\n";
  for (const Worth &W : R.Worths)
    OS << formatv("  {0,-22} {1,4}   {2}\n", W.Decision, W.Value, worthOf(W));
  for (const auto &[C, M] : R.Wrong)
    OS << "  " << defectOf(R, C, M) << "\n";
}

void printText(raw_ostream &OS, ArrayRef<KernelResult> Results,
               const Options &O) {
  for (const KernelResult &R : Results)
    printText(OS, R, O);
}

/// A cost, or null for none.
static json::Value costJSON(double Cost) {
  return Cost == tuning::Unusable ? json::Value(nullptr) : json::Value(Cost);
}

/// What code takes; null if there is none.
static json::Value codeJSON(const Measurement &M) {
  if (!M.Code.CodeBytes)
    return nullptr;
  return json::Object{{"registers", M.Code.Registers},
                      {"code_bytes", M.Code.CodeBytes}};
}

static json::Array differencesJSON(
    ArrayRef<std::pair<tuning::Configuration, Measurement>> Differences) {
  json::Array Result;
  for (const auto &[C, M] : Differences)
    Result.push_back(json::Object{{"configuration", configurationJSON(C)},
                                  {"difference", json::fixUTF8(M.Fault)}});
  return Result;
}

static json::Value resultJSON(const KernelResult &R) {
  json::Array Costs, Worths;
  for (double Cost : R.Costs)
    Costs.push_back(costJSON(Cost));
  for (const Worth &W : R.Worths)
    Worths.push_back(json::Object{{"decision", W.Decision},
                                  {"value", W.Value},
                                  {"cost_without", costJSON(W.Factor)}});
  json::Object OverBy;
  for (const auto &[Kind, Count] : R.OverBy)
    OverBy[limitInfo(Kind).Name] = Count;
  return json::Object{
      {"kernel", R.Name},
      {"loops", static_cast<int64_t>(R.Loops.size())},
      {"space",
       static_cast<int64_t>(std::min<uint64_t>(R.SpaceSize, INT64_MAX))},
      {"untuned_cycles", static_cast<int64_t>(R.Untuned.Cycles)},
      {"tuned_cycles", static_cast<int64_t>(R.Best.Cycles)},
      {"untuned_code", codeJSON(R.Untuned)},
      {"tuned_code", codeJSON(R.Best)},
      {"cost", costJSON(R.Best.Cost)},
      {"decisions", configurationJSON(R.Decisions)},
      {"worth", std::move(Worths)},
      {"costs", std::move(Costs)},
      {"unusable", R.Unusable},
      {"over_limits", R.Over},
      {"over", std::move(OverBy)},
      {"stopped", R.Stopped},
      {"transferred", R.Transferred},
      {"moves", R.Moved},
      {"cost_before_moves", costJSON(R.CostInOrder)},
      {"extra_evaluations", R.Extra},
      {"from_journal", R.Found},
      {"wrong", differencesJSON(R.Wrong)},
      {"reordered", differencesJSON(R.Reordered)},
      {"seconds", R.Seconds},
      {"stopped_by_time", R.StoppedByTime}};
}

void printJSON(raw_ostream &OS, ArrayRef<KernelResult> Results,
               const Options &O) {
  json::Array Kernels;
  for (const KernelResult &R : Results)
    Kernels.push_back(resultJSON(R));
  OS << formatv("{0:2}\n",
                json::Value(json::Object{{"limits", O.Bounds.toJSON()},
                                         {"kernels", std::move(Kernels)}}));
}

static const char *colourOf(const Measurement &M) {
  if (M.Cost != tuning::Unusable)
    return "#88a";
  return M.Became == Verdict::Constraints ? "#e90" : "#c44";
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
                 colourOf(R.Trials[I].second));
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
red those that cannot be used, in orange those over a limit; what costs more than 1.5 is drawn at 1.5.</p>
)";

static void printWorths(raw_ostream &OS, const KernelResult &R) {
  OS << "<table><tr><th>decision<th>value<th>cycles without it</tr>\n";
  for (const Worth &W : R.Worths) {
    OS << "<tr><td>" << W.Decision << "<td class=n>" << W.Value
       << "<td class=n>";
    if (W.Factor == tuning::Unusable)
      printHTMLEscaped(worthOf(W), OS);
    else
      OS << format("%+.1f %%", 100 * (W.Factor - 1));
    OS << "</tr>\n";
  }
  OS << "</table>\n";
}

/// The decisions that were searched and not taken; empty if all were.
static std::string othersOf(const KernelResult &R) {
  std::string Names;
  if (!R.Trials.empty())
    for (const auto &[Name, Value] : R.Trials.front().first)
      if (!R.Decisions.count(Name))
        Names += (Names.empty() ? "" : ", ") + Name;
  return Names;
}

static void printHtml(raw_ostream &OS, const KernelResult &R,
                      const Options &O) {
  OS << "<h2>";
  printHTMLEscaped(R.Name, OS);
  OS << formatv("</h2><p>{0}; {1} of {2} configurations tried, {3} unusable, "
                "{4:F1} s</p>\n",
                summaryOf(R), R.Costs.size(), R.SpaceSize, R.Unusable,
                R.Seconds);
  std::vector<std::string> Remarks{limitsOf(R, O), reorderedOf(R)};
  for (const auto &[C, M] : R.Wrong)
    Remarks.push_back(defectOf(R, C, M));
  for (const std::string &Text : Remarks)
    if (!Text.empty()) {
      OS << "<p>";
      printHTMLEscaped(Text, OS);
      OS << "</p>\n";
    }
  if (R.Moved)
    OS << formatv("<p>{0} moves of instructions tried: {1} cycles by those "
                  "kept</p>\n",
                  R.Moved, gainOf(R.Best.Cost / R.CostInOrder));
  printCurve(OS, R);
  if (!R.Worths.empty())
    printWorths(OS, R);
  else if (R.isFound())
    OS << "<p>The compiler's own decisions were the best.</p>\n";
  if (std::string Names = othersOf(R); R.isFound() && !Names.empty())
    OS << "<p>Searched too, and worth nothing beside these: " << Names
       << ".</p>\n";
}

void printHtml(raw_ostream &OS, ArrayRef<KernelResult> Results,
               const Options &O) {
  OS << Head;
  for (const KernelResult &R : Results)
    printHtml(OS, R, O);
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
