//===- Checker.h - Optional checks of what kernels do -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a check implements. A checker watches one cluster, which one host thread
// runs at a time, and ends the launch with Warp::fault where a rule is broken.
// It changes nothing else, so a program that breaks no rule runs as without it.
// One file a check; heddle/Emulator/Checks.def lists them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_CHECKER_H
#define HEDDLE_LIB_EMULATOR_CHECKER_H

#include "Warp.h"
#include "heddle/Emulator/Emulator.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::emu {

class CTA;
class Cluster;
struct LoadedCode;

class Checker {
public:
  virtual ~Checker() = default;

  /// \p I, at W.Current, is about to execute for the lanes of \p Exec.
  virtual void issue(Warp &W, const DecodedInst &I, LaneMask Exec) {}
  /// The group of \p W has come to \p I, which the lanes of \p Exec, if any,
  /// will execute.
  virtual void reach(Warp &W, const DecodedInst &I, LaneMask Exec) {}
  /// A lane is about to access the shared memory of another CTA.
  virtual void accessOfOther(Warp &W, unsigned Lane, const CTA &Holder) {}
  /// The lanes of \p Exec are about to come to barrier \p Number of \p C.
  virtual void arriveAtBarrier(const CTA &C, unsigned Number, Warp &W,
                               LaneMask Exec, const DecodedInst &I) {}
  /// All that barrier \p Number of \p C waits for have arrived.
  virtual void completeBarrier(const CTA &C, unsigned Number) {}
  /// All threads have arrived at the cluster's barrier.
  virtual void completeClusterBarrier() {}
};

/// The checkers that \p Checks asks for, for one cluster.
std::vector<std::unique_ptr<Checker>> makeCheckers(const CheckSet &Checks,
                                                   const Cluster &C);

/// An instruction's place in its section and, if known, its line, for people.
std::string describePC(const LoadedCode &Code, uint32_t PC);

// One file each: rules of synchronisation, memory that was not written,
// races between warps, and between the lanes of a warp.
std::unique_ptr<Checker> makeSyncChecker(const Cluster &C);
std::unique_ptr<Checker> makeInitChecker(const Cluster &C);
std::unique_ptr<Checker> makeRaceChecker(const Cluster &C);
std::unique_ptr<Checker> makeWarpChecker(const Cluster &C);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_CHECKER_H
