//===- LoopPlan.h - What is done to loops and their loads -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that decides which of the passes over loops (Passes.h) a
// function gets: by a tuning document, else by its profile or by rule.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IR_LOOPPLAN_H
#define HEDDLE_IR_LOOPPLAN_H

namespace llvm {
class Function;
class Loop;
} // namespace llvm

namespace heddle::ir {

/// What is done to the loops of a function.
struct Plan {
  /// Loops are rotated, their invariants moved out, short ones repeated whole.
  bool Restructure = false;
  /// 32-bit registers of loads that may wait at the end of one block after they
  /// moved up over branches; 0: none moves.
  unsigned RegistersHoisted = 0;
  /// 32-bit registers of the next iteration's loads that a loop may hold, at
  /// most over all loops; 0: no loop starts them early.
  unsigned RegistersAhead = 0;
  /// Loads stay where these passes put them, and schedulers start them before
  /// the first wait for another one.
  bool EarlyLoads = false;

  /// Loops of a known trip count are unrolled.
  bool UnrollsCounted = false;

  bool movesLoads() const { return RegistersHoisted || RegistersAhead; }
  bool isEmpty() const { return !Restructure && !movesLoads(); }
};

Plan planOf(const llvm::Function &F);

/// Plan::EarlyLoads alone, which code generation asks for each load.
bool wantsEarlyLoads(const llvm::Function &F);

/// The registers that one loop of F may hold ahead.
unsigned registersAhead(const llvm::Function &F, const llvm::Loop &L);

/// Whether no document asked for those registers, so that the loop itself, or a
/// profile, must show that it pays.
bool isAheadByRule(const llvm::Loop &L);

} // namespace heddle::ir

#endif // HEDDLE_IR_LOOPPLAN_H
