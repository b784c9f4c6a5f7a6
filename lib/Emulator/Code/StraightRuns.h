//===- StraightRuns.h - Instructions without a branch -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that a group of lanes executes one after the other once it has
// come to the first. What a warp counts for each instruction, it counts for all
// of a run at once.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_STRAIGHTRUNS_H
#define HEDDLE_LIB_EMULATOR_STRAIGHTRUNS_H

#include "Code/LatePages.h"
#include "heddle/ISA/ISA.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace heddle::emu {

struct CodeImage;

/// How many instructions of a latency class a run has.
struct RunClass {
  isa::LatencyClass Class;
  uint32_t Count;
};

/// The instructions of a run that begins at some PC. Only the last of them may
/// go elsewhere, or look at what is counted; any may be a fault.
struct StraightRun {
  const RunClass *Classes = nullptr;
  uint32_t Stall = 0;      ///< The sum of the stall counts.
  uint16_t Length = 0;     ///< None, where no run begins.
  uint16_t NumClasses = 0; ///< In Classes.
};

/// The runs of a module's code.
struct StraightRuns {
  LateVector<StraightRun> At;                ///< By PC.
  std::deque<std::vector<RunClass>> Classes; ///< What runs point to.
};

/// Finds the runs of \p Image from \p First to \p End, which begin at sections
/// and targets of branches, and behind other runs. The targets are resolved.
void findStraightRuns(CodeImage &Image, uint32_t First, uint32_t End);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_STRAIGHTRUNS_H
