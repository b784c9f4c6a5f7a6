//===- HeddleScheduleLoads.h - Loads before the first wait -----*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is decided of loads for both schedulers.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLESCHEDULELOADS_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLESCHEDULELOADS_H

#include <memory>

namespace llvm {
class ScheduleDAGMutation;

/// Loads take so many cycles.
std::unique_ptr<ScheduleDAGMutation> createHeddleLoadLatency(unsigned Cycles);

/// An order nearly as good as the one without it, another for each seed.
std::unique_ptr<ScheduleDAGMutation> createHeddleOtherOrder(unsigned Seed);

/// Loads that nothing in their region uses come before what waits for others.
std::unique_ptr<ScheduleDAGMutation> createHeddleEarlyLoads();

/// Loads of global memory stay in front of what waits for others of them.
std::unique_ptr<ScheduleDAGMutation> createHeddleLoadsBeforeWaits();

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLESCHEDULELOADS_H
