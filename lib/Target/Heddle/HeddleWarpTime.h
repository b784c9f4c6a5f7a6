//===- HeddleWarpTime.h - How long warps take -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An estimate, by the final code alone, of how long warps take for a function:
// whether a core's warps hide the latencies that the order of the instructions
// leaves.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEWARPTIME_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEWARPTIME_H

namespace llvm {

class MachineBlockFrequencyInfo;
class MachineFunction;

/// What a warp takes on its way through a function, in cycles.
struct WarpTime {
  double Alone = 0;      ///< with the latencies of a core with many warps
  double Unhindered = 0; ///< with no other warp there
  double Busy = 0;       ///< of the pipe, or the scheduler, that has most to do

  /// Cycles from the end of a warp to the end of the next one where a scheduler
  /// has so many of them (Little's law).
  double withWarps(double Warps) const {
    return Busy > Alone / Warps ? Busy : Alone / Warps;
  }
};

/// MF has its control fields. Memory is assumed to be found in L2.
WarpTime estimateWarpTime(const MachineFunction &MF,
                          const MachineBlockFrequencyInfo &Frequencies);

/// What the first Warps warps of a scheduler take, if all start together and
/// issue in turn.
double estimateLaunchTime(const MachineFunction &MF,
                          const MachineBlockFrequencyInfo &Frequencies,
                          double Warps);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEWARPTIME_H
