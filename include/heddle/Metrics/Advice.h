//===- Advice.h - What holds a kernel back ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that look for what may hold a kernel back, and how many cycles that
// costs according to the timing model, run again without it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_METRICS_ADVICE_H
#define HEDDLE_METRICS_ADVICE_H

#include "heddle/Metrics/Metrics.h"

#include <map>
#include <utility>

namespace heddle::prof {

/// An instruction by the name of its section and its offset in it, in bytes.
using InstructionPlace = std::pair<std::string, uint64_t>;
/// A file and a line.
using SourcePlace = std::pair<std::string, uint32_t>;
/// Of instructions that are of another file: the line in the file of the
/// function that they were inlined in.
using InlinedLines = std::map<InstructionPlace, SourcePlace>;

/// A place that has a part in what holds a kernel back.
struct Culprit {
  std::string File; ///< Empty for all instructions without a line.
  uint32_t Line = 0;
  double Share = 0; ///< 1 is all of it.
  /// What was inlined there and has the largest part; without a file where the
  /// line's own code has.
  SourcePlace Inlined = {};
};

/// Something that a profile shows and that may cost time.
struct Suspicion {
  rt::Limiter Limiter = {};
  std::string Symptom; ///< What the profile shows, with its figures.
  std::string Remedy;  ///< What to try.
  /// The lines with the largest parts; none where lines are not to blame.
  std::vector<Culprit> Culprits;
};

/// What the rules find in \p P, one for each limiter at most.
std::vector<Suspicion> findSuspicions(const rt::LaunchProfile &P,
                                      const InlinedLines &Inlined);

/// Of each kernel the barrier that warps waited for longest among those that
/// ordered nothing in any launch: what the model without IdleBarriers has to
/// leave out. One alone, since two may do each other's work.
std::vector<InstructionPlace>
findLongestIdleBarriers(llvm::ArrayRef<const rt::LaunchProfile *> Launches);

/// A suspicion and what the model says of it.
struct Advice : Suspicion {
  uint64_t Cycles = 0;        ///< Of the launch.
  uint64_t CyclesWithout = 0; ///< The same, without the limiter.
  bool IsTried = true;        ///< Whether the launch ran without it.
  std::string Untried = {};   ///< Why it did not.

  /// The cycles that would be won.
  uint64_t won() const {
    return Cycles > CyclesWithout ? Cycles - CyclesWithout : 0;
  }
  double share() const { return Cycles ? double(won()) / Cycles : 0; }
  /// Whether that is more than what a rearrangement of anything changes.
  bool isProved() const { return IsTried && share() >= 0.01; }
};

/// The suspicions of \p P, which nobody has tried.
std::vector<Advice> suspect(const rt::LaunchProfile &P,
                            const InlinedLines &Inlined);

/// The total cycles of each launch when they run without \p L.
using RunWithout =
    llvm::function_ref<llvm::Expected<std::vector<uint64_t>>(rt::Limiter L)>;

/// For each of the launches, what holds it back, most cycles first. Launches
/// without a profile are null. \p Run is called once for each limiter that some
/// launch is suspected of.
llvm::Expected<std::vector<std::vector<Advice>>>
advise(llvm::ArrayRef<const rt::LaunchProfile *> Launches,
       const InlinedLines &Inlined, RunWithout Run);

} // namespace heddle::prof

#endif // HEDDLE_METRICS_ADVICE_H
