//===- Calibration.cpp - A chip from microbenchmarks ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is asked of the driver, and the report.
//
//===----------------------------------------------------------------------===//

#include "Calibration.h"
#include "Microbenchmarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace heddle::timing {

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

static const isa::ChipFigure &figureOf(StringRef Name) {
  for (const isa::ChipFigure &F : isa::chipFigures())
    if (StringRef(F.Name) == Name)
      return F;
  llvm_unreachable("no figure of the table");
}

uint32_t MeasuredFigure::rounded() const {
  return static_cast<uint32_t>(
      std::clamp<double>(std::round(Value), Figure->Least, Figure->Most));
}

void Calibration::add(StringRef Name, double Value, const Twine &How) {
  Figures.push_back({&figureOf(Name), Value, How.str()});
}

double Calibration::value(StringRef Name) const {
  for (const MeasuredFigure &F : Figures)
    if (StringRef(F.Figure->Name) == Name)
      return F.Value;
  return figureOf(Name).of(Base);
}

std::string Calibration::changes() const {
  std::string Text;
  for (const MeasuredFigure &F : Figures)
    Text += (Text.empty() ? "" : ",") + std::string(F.Figure->Name) + "=" +
            utostr(F.rounded());
  return Text;
}

Error Calibration::measureProperties() {
  struct Property {
    StringLiteral Name;
    BenchAttribute Attribute;
    unsigned Divisor;
  };
  static constexpr Property Properties[] = {
      {"cores", BenchAttribute::Cores, 1},
      {"clock", BenchAttribute::ClockKHz, 1000},
      {"warps", BenchAttribute::ThreadsPerCore, 32},
      {"ctas", BenchAttribute::CTAsPerCore, 1},
      {"registers", BenchAttribute::RegistersPerCore, 1},
      {"shared-size", BenchAttribute::SharedBytesPerCore, 1},
      {"l2-size", BenchAttribute::L2Bytes, 1},
  };
  for (const Property &P : Properties) {
    Expected<uint64_t> Value = Bench.attribute(P.Attribute);
    if (!Value)
      return Value.takeError();
    add(P.Name, double(*Value) / P.Divisor, "an attribute of the device");
  }
  return Error::success();
}

Error Calibration::run() {
  if (Error E = measureProperties())
    return E;
  if (Error E = Bench.load(launchMicrobenchmarks()))
    return E;
  if (Error E = measureClock(*this))
    return E;
  if (Error E = measureMemory(*this))
    return E;
  if (Error E = measureArithmetic(*this))
    return E;
  return measureLaunches(*this);
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static double differencePercent(double Value, double Base) {
  return Base != 0 ? 100 * (Value / Base - 1) : 0;
}

/// The figures that stay the base's.
static std::vector<StringRef> keptFigures(const Calibration &C) {
  std::vector<StringRef> Kept;
  for (const isa::ChipFigure &F : isa::chipFigures())
    if (none_of(C.Figures,
                [&](const MeasuredFigure &M) { return M.Figure == &F; }))
      Kept.push_back(F.Name);
  return Kept;
}

static void printTable(raw_ostream &OS, const Calibration &C) {
  OS << "device: " << C.Bench.device() << ", base: " << C.Base.Name << "\n"
     << "figure                  measured         base  difference  how\n";
  for (const MeasuredFigure &F : C.Figures) {
    double Base = F.Figure->of(C.Base);
    OS << left_justify(F.Figure->Name, 16)
       << format("%16.1f %12.0f %+9.1f %%  ", F.Value, Base,
                 differencePercent(F.Value, Base))
       << F.How << "\n";
  }
  OS << "class       latency  base   interval  base\n";
  for (const MeasuredClass &M : C.Classes) {
    const isa::ClassTiming &Base = C.Base.Timings[size_t(M.Class)];
    OS << left_justify(M.Name, 10)
       << format("%9.2f %5d", M.Latency, int(Base.Latency));
    if (M.Interval)
      OS << format(" %10.2f %5d", *M.Interval, int(Base.Interval));
    OS << "\n";
  }
  OS << "kept from the base: " << join(keptFigures(C), ", ") << "\n"
     << "--chip " << C.Base.Name << " --figures " << C.changes() << "\n";
}

static void printJSON(raw_ostream &OS, const Calibration &C) {
  json::Array Figures, Classes, Kept;
  for (const MeasuredFigure &F : C.Figures) {
    double Base = F.Figure->of(C.Base);
    Figures.push_back(
        json::Object{{"name", StringRef(F.Figure->Name)},
                     {"value", F.Value},
                     {"meaning", StringRef(F.Figure->Meaning)},
                     {"base", Base},
                     {"difference_percent", differencePercent(F.Value, Base)},
                     {"how", F.How}});
  }
  for (const MeasuredClass &M : C.Classes) {
    const isa::ClassTiming &Base = C.Base.Timings[size_t(M.Class)];
    json::Object Row{{"class", M.Name},
                     {"latency", M.Latency},
                     {"base_latency", Base.Latency},
                     {"base_interval", Base.Interval}};
    if (M.Interval)
      Row["interval"] = *M.Interval;
    Classes.push_back(std::move(Row));
  }
  for (StringRef Name : keptFigures(C))
    Kept.push_back(Name);
  OS << formatv("{0:2}\n",
                json::Value(json::Object{{"device", C.Bench.device()},
                                         {"base", StringRef(C.Base.Name)},
                                         {"figures", std::move(Figures)},
                                         {"classes", std::move(Classes)},
                                         {"kept", std::move(Kept)},
                                         {"changes", C.changes()}}));
}

/// The field of class Chip that is a figure's; empty for intervals.
static StringRef fieldOf(const isa::ChipFigure &Figure) {
#define HEDDLE_CHIP_FIGURE(Field, FigureName, Least, Most, Meaning)            \
  if (Figure.Name == FigureName)                                               \
    return #Field;
#include "heddle/ISA/ChipFigures.def"
  return "";
}

static void printRecord(raw_ostream &OS, const Calibration &C) {
  OS << "// Measured on " << C.Bench.device()
     << " by ptx-time --calibrate; all else is " << C.Base.Name << "'s.\n";
  for (const MeasuredFigure &F : C.Figures)
    if (StringRef Field = fieldOf(*F.Figure); !Field.empty())
      OS << "  let " << Field << " = " << F.rounded() << ";\n";
  OS << "  // Of Latencies:\n";
  for (const MeasuredClass &M : C.Classes) {
    const isa::ClassTiming &Base = C.Base.Timings[size_t(M.Class)];
    OS << "  //   ClassLatency<LC_" << M.Name << ", "
       << unsigned(std::max(1.0, std::round(M.Latency))) << ", "
       << unsigned(std::max(
              1.0, std::round(M.Interval.value_or(double(Base.Interval)))))
       << ">\n";
  }
}

Error calibrate(raw_ostream &OS, const DriverAPI &API,
                const CalibrationOptions &O, bool AsJSON) {
  const isa::ChipInfo *Base = isa::findChip(O.Base);
  if (!Base)
    return createStringError("--base: there is no chip '" + O.Base + "'");
  Expected<std::unique_ptr<Workbench>> Bench = Workbench::create(API);
  if (!Bench)
    return Bench.takeError();
  Calibration C(**Bench, *Base);
  if (Error E = C.run())
    return E;
  if (AsJSON)
    printJSON(OS, C);
  else if (O.AsRecord)
    printRecord(OS, C);
  else
    printTable(OS, C);
  return Error::success();
}

} // namespace heddle::timing
