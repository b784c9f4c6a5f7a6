//===- ExecuteAsync.h - What asynchronous operations share ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unit that carries operations out, and operations on the fabric.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_EXECUTEASYNC_H
#define HEDDLE_LIB_EMULATOR_EXECUTEASYNC_H

#include "Async/BulkCopy.h"
#include "Cluster.h"
#include "heddle/Runtime/Endpoints.h"

namespace heddle::emu {

inline AsyncUnit &unitOf(Warp &W) { return W.Owner->Owner.Async; }

constexpr unsigned BarrierBytes = 8;

/// What an operation on the fabric does in the end.
struct FabricEffect {
  /// One for each member that it reaches.
  std::vector<BulkCopy> Copies;
  /// Host addresses of the counters of bytes.
  std::vector<uint8_t *> Counters;
  uint32_t Bytes = 0;         ///< Of each copy.
  uint8_t *Barrier = nullptr; ///< Host address.
  uint32_t Completes = 0;     ///< Of what the barrier counts.
};

/// The endpoint with a number, of the kind that the instruction is for; null
/// after a fault.
const rt::EndpointDesc *findEndpoint(Warp &W, unsigned Lane, uint32_t Id,
                                     bool Multicast);
/// The host address of bytes at an offset; null after a fault.
uint8_t *resolveMember(Warp &W, unsigned Lane,
                       const std::vector<rt::EndpointRange> &Member,
                       uint64_t Offset, unsigned Bytes, bool Write);
/// The host address of the mbarrier of layout 1 that an operation on the fabric
/// ends at; null after a fault.
uint8_t *resolveFabricBarrier(Warp &W, unsigned Lane, uint32_t Address);
/// Adds the counter at an offset of each member; false after a fault.
bool addCounters(Warp &W, unsigned Lane, const rt::EndpointDesc &E,
                 uint64_t Offset, FabricEffect &Effect);
/// Issues a copy through the fabric for a lane. One that fetches reads no
/// shared memory.
void issueCopies(Warp &W, unsigned Lane, FabricEffect Effect, bool Fetches,
                 bool Fails);

void executeFabric(Warp &W, const DecodedInst &I, LaneMask Exec);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_EXECUTEASYNC_H
