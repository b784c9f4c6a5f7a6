//===- BarrierUse.h - What barriers have ordered ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which barriers of a launch ordered no two accesses that nothing else orders.
// A CTA's barriers for all of its threads divide its life into intervals. One
// is needed if two warps access a word in two intervals, one of them writes,
// and of all barriers between the two only this one's instruction was executed.
// Whatever may order or access in another way makes a barrier needed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_CHECKERS_BARRIERUSE_H
#define HEDDLE_LIB_EMULATOR_CHECKERS_BARRIERUSE_H

#include "Checker.h"

namespace heddle::emu {

/// Of a launch, by PC.
class BarrierUse {
public:
  explicit BarrierUse(size_t NumInsts) : States(NumInsts) {}

  void execute(uint32_t PC) { States[PC].IsExecuted = true; }
  void need(uint32_t PC) { States[PC].IsNeeded = true; }
  /// Whether there is a barrier that was executed, and not needed.
  bool ordersNothing(uint32_t PC) const {
    return States[PC].IsExecuted && !States[PC].IsNeeded;
  }

private:
  struct State {
    bool IsExecuted = false, IsNeeded = false;
  };
  std::vector<State> States;
};

/// Fills \p Use in while \p C runs.
std::unique_ptr<Checker> makeBarrierObserver(const Cluster &C, BarrierUse &Use);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_CHECKERS_BARRIERUSE_H
