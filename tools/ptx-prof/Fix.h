//===- Fix.h - Advice that the compiler can follow --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of what is advised, the part that is a decision of the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_PROF_FIX_H
#define HEDDLE_TOOLS_PTX_PROF_FIX_H

#include "heddle/Manifest/ManifestRunner.h"
#include "heddle/Metrics/Advice.h"
#include "heddle/Tuning/Document.h"

namespace heddle::prof {

/// A decision that wins cycles.
struct Fix {
  std::string Kernel, Decision;
  int64_t Value = 0;
  rt::Limiter Limiter = {};
  uint64_t Before = 0, After = 0; ///< Cycles of all launches.
};

struct Fixes {
  tuning::Document Decisions;
  std::vector<Fix> Made; ///< One after the other.
};

/// The cycles of all launches with these decisions; none if the module does not
/// compile with them, or the launches no longer do what is expected.
using TryDecisions = llvm::function_ref<llvm::Expected<std::optional<uint64_t>>(
    const tuning::Document &)>;

/// Tries the decisions of Fixes.def for what is proved of the launches, and
/// keeps those that win a hundredth of the cycles.
llvm::Expected<Fixes> findFixes(llvm::ArrayRef<rt::LaunchReport> Launches,
                                llvm::ArrayRef<std::vector<Advice>> Found,
                                TryDecisions Try);

/// For people.
void printFixes(llvm::raw_ostream &OS, const Fixes &F, llvm::StringRef Path);

} // namespace heddle::prof

#endif // HEDDLE_TOOLS_PTX_PROF_FIX_H
