//===- Cases.h - Workloads on the emulator ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is a manifest on a chip. What it left in its buffers untuned is what
// it must leave always.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_CASES_H
#define HEDDLE_TOOLS_PTX_TUNE_CASES_H

#include "Candidates.h"
#include "heddle/ISA/ChipChanges.h"
#include "heddle/Manifest/Manifest.h"

#include <map>

namespace heddle::tune {

using Contents = std::vector<std::vector<uint8_t>>;

/// What decides the order in which threads run.
enum class ThreadOrder : uint8_t {
  Time,   ///< As the timing model has it, so that it depends on the code.
  Fixed,  ///< Each warp as far as it gets alone, CTA by CTA.
  Chance, ///< Random ones, by RunMode::Seed.
};

/// How the launches of a case are run.
struct RunMode {
  ThreadOrder Order = ThreadOrder::Time;
  uint64_t Seed = 0;
  uint64_t MaxCycles = 0; ///< Of all launches together; 0: no limit.
  bool FindRaces = false; ///< In a fixed order: ends a launch that has one.
};

/// What one run of a manifest came to.
struct CaseResult {
  std::map<std::string, uint64_t> Cycles; ///< By kernel.
  /// Warp cycles by section and place in it.
  std::map<std::pair<std::string, uint64_t>, double> Instructions;
  Contents Buffers; ///< In the order of the manifest's.
  /// Module-level variables that hold something else than before.
  std::map<std::string, std::vector<uint8_t>> Variables;
  std::string Output;
  std::string Failure;    ///< Of an expectation; empty if all hold.
  bool IsStopped = false; ///< By the limit of cycles.
  std::string Race;       ///< Where there is one; empty: none was looked for.
};

struct Case {
  const rt::Manifest *Workload;
  double Weight;
  std::string Chip;
  const Program *Source;
  CompileResult UntunedCode;
  CaseResult Untuned;
  isa::ChipChanges Figures = {}; ///< What differs from the chip.
};

/// Runs a case with other launches and other code than its own. That it cannot
/// be run is an error.
llvm::Expected<CaseResult> runCase(const Case &C, const rt::Manifest &Workload,
                                   const CompileResult &Code,
                                   const RunMode &Mode);

/// The variables that differ from the untuned result.
std::vector<std::string> differingVariables(const Case &C, const CaseResult &R);

/// How a result differs from the untuned one.
struct Difference {
  std::string Text;
  std::string Buffer; ///< That differs; empty: something else does.
};

/// The first difference; none if there is none. Elements of buffers for which
/// the manifest states what they must hold, with a tolerance, may differ within
/// that.
std::optional<Difference> difference(const Case &C, const CaseResult &R);

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_CASES_H
