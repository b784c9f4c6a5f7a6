//===- Instrument.h - Counting in LLVM IR -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a module count what a profile has of it, and puts a profile on a
// module. Both look at the same IR: that which the frontend makes, before any
// pass has changed its control flow, whatever the options are.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_PGO_INSTRUMENT_H
#define HEDDLE_PASSES_PGO_INSTRUMENT_H

#include "heddle/ProfileData/ProfileData.h"

#include "llvm/IR/Module.h"

namespace heddle::passes {

/// How a module counts.
struct CountingOptions {
  /// Probes in place of counters: they take no bytes, and a device that knows
  /// the code's addresses counts them.
  bool Probes = false;
  /// CTAs of which one counts; with counters only.
  uint32_t SampleCTAs = 1;
};

/// Makes every function of \p M count, and describes it in a section.
void instrument(llvm::Module &M, const CountingOptions &Options);

/// What became of a profile.
struct Application {
  unsigned Functions = 0; ///< that have a profile now
  /// Functions that the profile has with another control flow only.
  std::vector<std::string> Stale;
};

/// Puts a profile on the functions of \p M that have none yet, as metadata:
/// LLVM's own, and heddle.divergence, heddle.trips and heddle.args
/// (docs/ir-contract.md).
Application applyProfile(llvm::Module &M, const pgo::ProfileData &Profile);

/// Tells LLVM's passes what is hot in a module, from the profiles of its own
/// functions. Does nothing if none has one.
void summarizeProfile(llvm::Module &M);

} // namespace heddle::passes

#endif // HEDDLE_PASSES_PGO_INSTRUMENT_H
