//===- Calibration.h - A chip from microbenchmarks --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-time --calibrate finds of a device, as figures of a chip
// (heddle/ISA/ChipFigures.def) and of its latency classes. What is not measured
// stays that of a known chip, the base.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TIME_CALIBRATION_H
#define HEDDLE_TOOLS_PTX_TIME_CALIBRATION_H

#include "Workbench.h"
#include "heddle/ISA/ChipChanges.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace heddle::timing {

struct CalibrationOptions {
  bool Wanted = false;
  std::string Base = "hd100";
  bool AsRecord = false; ///< Lines for isa-defs/HeddleChips.td.
};

/// A figure, as it was measured.
struct MeasuredFigure {
  const isa::ChipFigure *Figure;
  double Value;
  std::string How;

  /// The whole number that a chip has.
  uint32_t rounded() const;
};

/// Cycles of a latency class, as they were measured.
struct MeasuredClass {
  isa::LatencyClass Class;
  llvm::StringRef Name;
  double Latency;
  std::optional<double> Interval;
};

class Calibration {
public:
  Calibration(Workbench &Bench, const isa::ChipInfo &Base)
      : Bench(Bench), Base(Base) {}

  /// Measures everything.
  llvm::Error run();

  /// Takes a value for a figure, which has to be one of the table.
  void add(llvm::StringRef Name, double Value, const llvm::Twine &How);
  /// What was measured, or the base's figure.
  double value(llvm::StringRef Name) const;
  /// All measured figures, as --what-if and --figures take them.
  std::string changes() const;

  Workbench &Bench;
  const isa::ChipInfo &Base;
  std::vector<MeasuredFigure> Figures;
  std::vector<MeasuredClass> Classes;

private:
  llvm::Error measureProperties();
};

/// The clock first: bandwidths are in its cycles.
llvm::Error measureClock(Calibration &C);
llvm::Error measureMemory(Calibration &C);
llvm::Error measureArithmetic(Calibration &C);
llvm::Error measureLaunches(Calibration &C);

/// Calibrates the first device of a driver and prints what it found.
llvm::Error calibrate(llvm::raw_ostream &OS, const DriverAPI &API,
                      const CalibrationOptions &O, bool AsJSON);

} // namespace heddle::timing

#endif // HEDDLE_TOOLS_PTX_TIME_CALIBRATION_H
