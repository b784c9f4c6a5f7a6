//===- ReportJSON.h - Profiles for programs ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-prof --json prints and what a page of launches has in it.
// docs/profiling.md describes the members.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_METRICS_REPORTJSON_H
#define HEDDLE_METRICS_REPORTJSON_H

#include "heddle/Metrics/Advice.h"
#include "heddle/Runtime/Device.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <utility>

namespace heddle::prof {

/// Instructions as text.
using InstructionText = std::map<InstructionPlace, std::string>;
/// The line of the PTX text that each instruction comes from.
using InstructionLines = std::map<InstructionPlace, uint32_t>;

/// What is known of the code of launches besides their profiles.
struct CodeNotes {
  InstructionText Text; ///< What is not in it is shown by its mnemonic.
  /// Empty where the profile's own lines are those of the PTX, or nobody knows.
  InstructionLines PTXLines;
  InlinedLines Inlined;
  std::string PTXFile; ///< That PTXLines are of.
  /// Of the PTX; empty: it is read from a file, if there is one.
  std::string PTXText;

  llvm::StringRef textOf(const rt::InstructionProfile &I) const;
};

/// A launch of a report.
struct LaunchRecord {
  llvm::StringRef Kernel; ///< As the object names it.
  rt::Dim3 Grid, Block;
  const rt::LaunchProfile *Profile = nullptr; ///< Null: it was not timed.
  std::optional<llvm::ArrayRef<prof::Advice>> Advice; ///< None: not asked for.
};

/// What the launches would take if the chip had other figures.
struct WhatIf {
  std::string Changes;          ///< As isa::ChipChanges reads them.
  std::vector<uint64_t> Cycles; ///< Of each launch.
};
/// How far \p Changed is from \p Cycles: -12.3 %.
std::string describeChange(uint64_t Cycles, uint64_t Changed);

/// The version of the members' names and meaning; it changes when a member
/// gets another meaning or is gone.
constexpr int ReportVersion = 2;

/// What all launches share: the version, the chip with its figures, and the
/// titles of metrics and states.
llvm::json::Object headJSON(const isa::ChipInfo &Chip);
llvm::json::Object launchJSON(const LaunchRecord &L, const isa::ChipInfo &Chip,
                              const CodeNotes &Code);
llvm::json::Array whatIfJSON(llvm::ArrayRef<WhatIf> Answers);

} // namespace heddle::prof

#endif // HEDDLE_METRICS_REPORTJSON_H
