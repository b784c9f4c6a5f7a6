//===- Launch.h - Running a grid --------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distributes the clusters of a grid over host threads and sums up their
// statistics.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_LAUNCH_H
#define HEDDLE_LIB_EMULATOR_LAUNCH_H

#include "Cluster.h"

namespace heddle::emu {

/// Runs all CTAs on \p HostThreads threads and gives their output to \p Sink
/// (if there is one), cluster by cluster and in it CTA by CTA. Of several
/// faults, that of the first CTA in this order is the result.
rt::LaunchResult runGrid(const LaunchContext &Launch, unsigned HostThreads,
                         const rt::OutputSink &Sink);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_LAUNCH_H
