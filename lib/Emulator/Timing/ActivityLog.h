//===- ActivityLog.h - What units do over time ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long a launch takes is not known before its end, so samples begin short.
// When there are too many, each two become one.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_ACTIVITYLOG_H
#define HEDDLE_LIB_EMULATOR_TIMING_ACTIVITYLOG_H

#include "Channel.h"
#include "heddle/Runtime/Profile.h"

namespace heddle::emu {

class ActivityLog {
public:
  /// Bytes that DRAM begins to read or to write in \p When.
  void moveDRAM(Cycle When, uint64_t Bytes) { at(When).DRAMBytes += Bytes; }
  /// Sectors that a slice of L2 begins to read or to write.
  void moveL2(Cycle When, uint64_t Sectors) { at(When).L2Sectors += Sectors; }
  /// The matrix pipe of a scheduler is busy from \p Begin on.
  void useMatrixPipe(Cycle Begin, uint64_t Cycles);

  /// The samples of a launch that took so many cycles.
  rt::ActivityProfile finish(Cycle Cycles);

private:
  rt::ActivitySample &at(Cycle When) {
    if (When >> Shift >= Samples.size())
      extend(When);
    return Samples[When >> Shift];
  }
  void extend(Cycle When);

  unsigned Shift = 7; ///< A sample has 2^Shift cycles.
  std::vector<rt::ActivitySample> Samples;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_ACTIVITYLOG_H
