//===- Report.h - Profiles as text, JSON and CSV ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-prof prints.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_PROF_REPORT_H
#define HEDDLE_TOOLS_PTX_PROF_REPORT_H

#include "Options.h"
#include "heddle/Manifest/ManifestRunner.h"
#include "heddle/Metrics/Advice.h"
#include "heddle/Metrics/ReportJSON.h"

namespace heddle::prof {

/// What ptx-prof run found.
struct Results {
  const Options &O;
  const isa::ChipInfo &Chip; ///< O's.
  llvm::ArrayRef<rt::LaunchReport> Launches;
  /// Of each launch; none if nobody asked.
  std::vector<std::vector<prof::Advice>> Advice;
  CodeNotes Code;
  std::vector<prof::WhatIf> WhatIf;

  LaunchRecord record(size_t Launch) const;
  /// The members of a report that all launches share.
  llvm::json::Object head() const;
  /// The advice for a launch that the model proves.
  std::vector<const prof::Advice *> proved(size_t Launch) const;
};

/// Prints \p R in the format that its options name.
void print(llvm::raw_ostream &OS, const Results &R);

} // namespace heddle::prof

#endif // HEDDLE_TOOLS_PTX_PROF_REPORT_H
