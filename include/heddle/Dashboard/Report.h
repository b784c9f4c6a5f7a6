//===- Report.h - What a process tells a dashboard --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processes of a program connect to the dashboard's port, say the secret that
// the environment gives them, and send lines of JSON. Figures are sums since
// the process began, so that a line that is lost takes nothing with it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DASHBOARD_REPORT_H
#define HEDDLE_DASHBOARD_REPORT_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::dash {

/// The variable with a ReportAddress.
constexpr char ReportVariable[] = "HEDDLE_DASHBOARD";
/// The first line of a connection is this and the secret.
constexpr llvm::StringLiteral ReportGreeting = "HEDDLE-REPORT ";

/// Where reports go.
struct ReportAddress {
  uint16_t Port = 0; ///< Of the loopback.
  std::string Secret;

  std::string str() const;
  static llvm::Expected<ReportAddress> parse(llvm::StringRef Text);
};

/// The launches of a kernel.
struct KernelSums {
  std::string Name; ///< Demangled.
  uint64_t Launches = 0;
  uint64_t Nanoseconds = 0; ///< By the clock of timestamps.
  uint64_t Cycles = 0;      ///< Of the chip, of the launches that were timed.
};

/// Sectors that a cache was asked for, and those that it had.
struct CacheSums {
  uint64_t Sectors = 0, Hits = 0;

  CacheSums &operator+=(const CacheSums &O) {
    Sectors += O.Sectors;
    Hits += O.Hits;
    return *this;
  }
};

struct FaultNote {
  std::string Kind, Kernel; ///< Demangled.
  std::string Text;         ///< Everything known of it, in a line.
};

struct ProcessReport {
  int64_t Process = 0; ///< Its number.
  std::string Program; ///< Its name.
  uint64_t WarpInstructions = 0;
  std::vector<uint64_t> MemoryBytes;            ///< In use, by device.
  CacheSums L1, L2;                             ///< Reads.
  std::map<std::string, uint64_t> WarpCycles;   ///< By state.
  std::map<std::string, uint64_t> Compilations; ///< By where code came from.
  std::vector<KernelSums> Kernels; ///< Those that changed since the last one.
  std::vector<FaultNote> Faults;   ///< Since the last one.
};

/// A line, with its end.
std::string formatReport(const ProcessReport &R);
/// What formatReport made; anything else is an error.
llvm::Expected<ProcessReport> parseReport(llvm::StringRef Line);

} // namespace heddle::dash

#endif // HEDDLE_DASHBOARD_REPORT_H
