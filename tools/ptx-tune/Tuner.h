//===- Tuner.h - The search for a kernel ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a search over the decisions of one kernel.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_TUNER_H
#define HEDDLE_TOOLS_PTX_TUNE_TUNER_H

#include "Journal.h"

#include <chrono>

namespace heddle::tune {

/// What one decision of the result gains.
struct Worth {
  std::string Decision;
  int64_t Value;
  /// The cost without it, relative to that with it; tuning::Unusable where it
  /// is needed, for what Fault says.
  double Factor;
  std::string Fault;
};

/// What the search for a kernel came to.
struct KernelResult {
  std::string Name;
  std::vector<tuning::LoopShape> Loops;
  uint64_t SpaceSize = 0;
  Measurement Untuned; ///< With its cycles, even if it is over a limit.
  Measurement Best;
  tuning::Configuration Decisions; ///< Of Best.
  std::vector<Worth> Worths;
  /// The cost of each configuration in the order of the search.
  std::vector<double> Costs;
  /// What each of them was, all decisions of the space, and what it became.
  std::vector<std::pair<tuning::Configuration, Measurement>> Trials;
  unsigned Unusable = 0; ///< Of them.
  unsigned Over = 0;     ///< Of those, over a limit.
  /// Of those, by the limits, of which one can be over several.
  std::map<LimitKind, unsigned> OverBy;
  unsigned Transferred = 0; ///< Of them, starts from similar kernels.
  unsigned Moved = 0;       ///< Moves tried in the order of instructions.
  /// The cost before any moves.
  double CostInOrder = tuning::Unusable;
  unsigned Stopped = 0; ///< Of them, since they took too long.
  unsigned Extra = 0;   ///< Measured afterwards, for Decisions and Worths.
  unsigned Found = 0;   ///< Of Costs, in the journal.
  /// Configurations that compute something else.
  std::vector<std::pair<tuning::Configuration, Measurement>> Wrong;
  /// Configurations whose results differ as other orders of the threads make
  /// them.
  std::vector<std::pair<tuning::Configuration, Measurement>> Reordered;
  double Seconds = 0; ///< Of the search and what came after it.
  bool StoppedByTime = false;

  /// Whether anything can be used: the untuned code may be over a limit.
  bool isFound() const { return Best.Cost != tuning::Unusable; }
};

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Searches for decisions for one kernel, beginning with \p Starts; then drops
/// those that gain nothing, and searches the order of instructions.
llvm::Expected<KernelResult>
tuneKernel(const Objective &Where, const KernelToTune &Kernel,
           llvm::ArrayRef<tuning::Configuration> Starts, const Options &O,
           Journal &J, Deadline End);

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_TUNER_H
