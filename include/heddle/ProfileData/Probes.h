//===- Probes.h - Places of machine code that are counted -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiler and device agree on about probes. A probe is a place in the
// code that takes no bytes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PROFILEDATA_PROBES_H
#define HEDDLE_PROFILEDATA_PROBES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MD5.h"
#include <cstdint>

namespace heddle::pgo {

/// What threads do that come to a probe.
enum class ProbeKind : uint8_t {
  Edge,      ///< Go along an edge of the control flow.
  Branch,    ///< Are about to branch on a condition.
  Iteration, ///< Begin an iteration of a loop.
  Leave,     ///< May have left a loop.
  Call,      ///< Are about to call through a pointer.
  Straight,  ///< Go on together where a Branch was, whose condition is known.
};

/// The function whose calls are probes: of a probeFunction, a ProbeKind and the
/// number of what is counted. All are constants.
constexpr char ProbeFunctionName[] = "__heddle_probe";

/// The section of a code object with its probes, each a ProbeRecord.
constexpr char ProbeSectionName[] = ".heddle.probes";

/// A probe in a code object, little-endian. It counts threads that come to an
/// instruction: a Branch to one that they may branch at, a Call to the call.
struct ProbeRecord {
  uint64_t Function; ///< A probeFunction.
  uint64_t Code;     ///< MD5 of the symbol that its code belongs to.
  uint32_t Offset;   ///< From the symbol, in bytes.
  uint32_t Index;    ///< Of the edge, branch, loop or call.
  uint32_t Kind;     ///< A ProbeKind.
  uint32_t Reserved; ///< Zero.
};
static_assert(sizeof(ProbeRecord) == 32);

/// How often threads' stays in a loop had so many iterations is kept in
/// buckets, a iteration being a visit to the loop's header: one for each number
/// that a loop may be unrolled for, 0 to ExactTrips, one to twice as many, one
/// for more.
constexpr unsigned ExactTrips = 16, DoubleTrips = 2 * ExactTrips,
                   TripBuckets = ExactTrips + 3;
inline unsigned bucketOfTrips(uint64_t Trips) {
  return Trips <= ExactTrips    ? static_cast<unsigned>(Trips)
         : Trips <= DoubleTrips ? ExactTrips + 1
                                : ExactTrips + 2;
}
/// The smallest trip count that a bucket is for.
inline unsigned leastTrips(unsigned Bucket) {
  return Bucket <= ExactTrips + 1 ? Bucket : DoubleTrips + 1;
}

/// The number by which probes name a function with a given control flow.
inline uint64_t probeFunction(llvm::StringRef Name, uint64_t Hash) {
  return llvm::MD5Hash(Name) ^ Hash;
}

} // namespace heddle::pgo

#endif // HEDDLE_PROFILEDATA_PROBES_H
