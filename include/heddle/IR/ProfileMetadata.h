//===- ProfileMetadata.h - What a profile says in LLVM IR -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The metadata that a profile leaves in LLVM IR besides LLVM's own !prof
// (docs/pgo.md), and how passes read it. All of it is a hint: what is malformed
// counts as absent, and no value of it may change what a program computes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IR_PROFILEMETADATA_H
#define HEDDLE_IR_PROFILEMETADATA_H

#include "heddle/ProfileData/Probes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <optional>

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
class Loop;
} // namespace llvm

namespace heddle::ir {

/// On conditional branches: warps that came, warps that took both ways, lanes
/// in all of them.
constexpr llvm::StringLiteral DivergenceName = "heddle.divergence";
/// On the terminators of loops' latches: how often a stay in the loop had so
/// many iterations, by pgo::bucketOfTrips.
constexpr llvm::StringLiteral TripsName = "heddle.trips";
/// On kernels, once for each scalar argument: its number, the launches, and
/// pairs of a value and the launches that had it.
constexpr llvm::StringLiteral ArgumentsName = "heddle.args";

/// How the warps went at a branch.
struct Divergence {
  uint64_t Warps = 0, Divergent = 0, Lanes = 0;

  /// The greatest share of warps, from 0 to 1, of which some thread can have
  /// taken the side that a share of the threads took: a divergent warp sends at
  /// least one thread there, every other warp all of its threads.
  double shareOfWarps(double ShareOfThreads) const;
};
std::optional<Divergence> divergenceOf(const llvm::Instruction &Terminator);

/// The share of the warps at the end of From, from 0 to 1, of which some thread
/// goes on to To; none where From does not end with a branch between To and
/// another block, or nothing is known of it. Blocks may be null.
std::optional<double> shareOfWarps(const llvm::BasicBlock *From,
                                   const llvm::BasicBlock *To);

struct Trips {
  std::array<uint64_t, pgo::TripBuckets> Stays{};

  /// All stays in the loop; zero if nothing is known.
  double total() const;
  /// The most iterations that one of a warp's threads has in a stay, as is to
  /// be expected if they have nothing to do with each other.
  double ofWarp() const;
};
/// The middle of the iterations that a bucket of stays is of.
double tripsOfBucket(unsigned Bucket);
std::optional<Trips> tripsOf(const llvm::Loop &L);

/// The value that an argument has most often.
struct ArgumentValue {
  unsigned Number = 0;
  uint64_t Value = 0;
  double Share = 0; ///< Of the launches, from 0 to 1.
};
llvm::SmallVector<ArgumentValue, 8>
commonArguments(const llvm::Function &Kernel);

/// Threads of a launch of a kernel, on average; none if nothing is known.
std::optional<double> threadsOfLaunch(const llvm::Function &Kernel);

} // namespace heddle::ir

#endif // HEDDLE_IR_PROFILEMETADATA_H
