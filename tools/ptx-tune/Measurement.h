//===- Measurement.h - What became of a configuration -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A measurement and its form as JSON, in journals and on the way between
// machines.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_MEASUREMENT_H
#define HEDDLE_TOOLS_PTX_TUNE_MEASUREMENT_H

#include "Limits.h"
#include "heddle/Tuning/Search.h"
#include "llvm/Support/JSON.h"

namespace heddle::tune {

/// Why a configuration can be used, or cannot.
enum class Verdict : uint8_t {
  Correct,
  Timeout,     ///< It takes longer than is of interest.
  Compile,     ///< It does not compile.
  Runtime,     ///< It cannot be run.
  Correctness, ///< It computes something else: a defect of the compiler.
  Constraints, ///< It is over a limit, and was not run.
  Order,       ///< Its result differs as other orders of the threads make it.
};

/// The name of a verdict, such as "compile", and back.
llvm::StringRef verdictName(Verdict V);
/// What the T4 format calls it.
llvm::StringRef t4Name(Verdict V);
std::optional<Verdict> findVerdict(llvm::StringRef Name);

/// Where a result differed from the untuned one.
struct DifferencePlace {
  size_t Workload = 0; ///< Its number among those of the options.
  std::string Chip;
  std::string Buffer; ///< Empty: it is not in a buffer.
};

struct Measurement {
  /// The geometric mean of the cycles relative to the untuned kernel's, by the
  /// workloads' weights; of a timeout, what they are at least;
  /// tuning::Unusable of what cannot be used.
  double Cost = tuning::Unusable;
  uint64_t Cycles = 0; ///< Of the kernel's launches, over all cases.
  CodeFigures Code;    ///< The most of all chips; 0 if nothing was compiled.
  std::vector<LimitKind> Over; ///< Limits that it is over.
  /// Why it cannot be used; empty otherwise.
  std::string Fault;
  Verdict Became = Verdict::Correct;
  DifferencePlace Place; ///< Of what computes something else.

  bool isWrong() const { return Became == Verdict::Correctness; }
  /// Whether it says all that is to be known of costs up to a limit.
  bool covers(double Limit) const {
    return Became != Verdict::Timeout || Cost >= Limit;
  }
};

llvm::json::Object toJSON(const Measurement &M);
/// None if the object is no measurement.
std::optional<Measurement> measurementOf(const llvm::json::Object &O);

/// Decisions as a JSON object.
llvm::json::Object configurationJSON(const tuning::Configuration &C);

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_MEASUREMENT_H
