//===- Figures.h - What a dashboard shows -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums over the processes of a program, and what they were over time. The
// page and OpenMetrics are two forms of the same figures.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DASHBOARD_FIGURES_H
#define HEDDLE_DASHBOARD_FIGURES_H

#include "heddle/Dashboard/Report.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>

namespace heddle::dash {

/// Not for several threads at once.
class Figures {
public:
  /// \p Program is its command line.
  explicit Figures(std::string Program) : Program(std::move(Program)) {}

  /// A process has connected. Returns what it is called in the calls below: a
  /// program that one process becomes by exec connects once more.
  size_t begin();
  void add(size_t Process, const ProcessReport &R, double Seconds);
  /// The process ended, or has closed its connection. What it did stays in the
  /// sums, what it had does not.
  void end(size_t Process);

  /// Keeps the sums of this moment, in seconds since the dashboard began.
  void sample(double Seconds);
  /// How many samples there were.
  uint64_t samples() const { return FirstSample + Samples.size(); }

  /// Everything, with the samples from number \p From on.
  llvm::json::Object state(double Seconds, bool HasEnded,
                           uint64_t From = 0) const;
  /// The same as text by OpenMetrics 1.0, without samples.
  void printOpenMetrics(llvm::raw_ostream &OS) const;

private:
  struct ProcessFigures {
    ProcessReport Last; ///< Without its kernels and faults.
    bool IsConnected = true;
    uint64_t Launches = 0, Nanoseconds = 0, Faults = 0;
    llvm::StringMap<KernelSums> Kernels;

    uint64_t memory() const;
  };
  struct Sample {
    double Seconds;
    uint64_t Launches, Nanoseconds, Memory, Faults;
  };
  struct TimedFault : FaultNote {
    double Seconds = 0;
    int64_t Process = 0;
  };

  std::vector<KernelSums> kernels() const;
  std::map<std::string, uint64_t>
  sum(std::map<std::string, uint64_t> ProcessReport::*Counts) const;
  CacheSums sum(CacheSums ProcessReport::*Cache) const;
  Sample now(double Seconds) const;
  llvm::json::Array processesJSON() const;

  static constexpr size_t MaxSamples = 1200, MaxFaults = 100, MaxKernels = 200;

  const std::string Program;
  std::vector<ProcessFigures> Processes;
  std::map<std::string, uint64_t> FaultsByKind;
  std::deque<TimedFault> Faults; ///< The last ones.
  std::deque<Sample> Samples;    ///< The last ones.
  uint64_t FirstSample = 0;
};

} // namespace heddle::dash

#endif // HEDDLE_DASHBOARD_FIGURES_H
