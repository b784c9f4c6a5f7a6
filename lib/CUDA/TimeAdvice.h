//===- TimeAdvice.h - What would save a program time ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules over the timeline of a program: of what happens between its kernels,
// which ptx-prof's rules do not see (docs/timing.md).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TIMEADVICE_H
#define HEDDLE_LIB_CUDA_TIMEADVICE_H

#include "heddle/Runtime/VirtualTime.h"
#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <string>
#include <vector>

namespace heddle::cuda {

/// A use of time. Equal names have equal numbers.
struct TimedUse {
  rt::TimeUse Use;
  uint64_t Begin, End; ///< Nanoseconds.
  unsigned Track = 0;  ///< Of the host 0, of each queue another number.
  unsigned Name = 0;
};

constexpr size_t NumTimeUses = size_t(rt::TimeUse::Wait) + 1;
/// Nanoseconds by use, and at the end those of the host's own work.
using TimeSums = std::array<uint64_t, NumTimeUses + 1>;

/// Each moment from \p Start to \p End counts for the first use that it has.
/// The uses come in any order.
TimeSums partitionTime(llvm::ArrayRef<TimedUse> Uses, uint64_t Start,
                       uint64_t End);

/// Something that a program could do otherwise.
struct TimeAdvice {
  std::string Name;    ///< Of the rule.
  std::string Symptom; ///< What the timeline shows, with its figures.
  std::string Remedy;
  uint64_t Won = 0; ///< Nanoseconds that it saves at most.
};

/// What the rules find, the largest saving first. Of less than a twentieth of
/// the time they say nothing.
std::vector<TimeAdvice> adviseOnTime(llvm::ArrayRef<TimedUse> Uses,
                                     uint64_t Start, uint64_t End);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_TIMEADVICE_H
