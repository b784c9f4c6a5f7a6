//===- TimedGrid.h - Running a grid in time ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch in which the timing model decides when each warp issues. One host
// thread runs it, and the same launch takes the same cycles everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_TIMEDGRID_H
#define HEDDLE_LIB_EMULATOR_TIMING_TIMEDGRID_H

#include "../CTA.h"

namespace heddle::emu {

/// As runGrid; the result has a profile unless the launch ends with a fault.
rt::LaunchResult runTimedGrid(const LaunchContext &Launch,
                              const rt::OutputSink &Sink);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_TIMEDGRID_H
