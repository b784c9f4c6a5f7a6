//===- Parameters.h - What kernels of collectives are given -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by host and device code.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_COLLECTIVES_PARAMETERS_H
#define HEDDLE_LIB_CUDA_COLLECTIVES_PARAMETERS_H

#include <stdint.h>

namespace heddle::cuda::collectives {

constexpr unsigned MaxRanks = 64;
/// Data go through buffers of this size, which each rank has twice: one is
/// filled while the others still read the other one.
constexpr uint64_t StageBytes = 512 * 1024;
/// The same between two ranks, for sends and receives.
constexpr uint64_t PairBytes = 64 * 1024;
constexpr unsigned PairSlots = 2;
/// Threads of a block.
constexpr unsigned BlockThreads = 256;

/// How far ranks have come; counts wrap around. In memory that all ranks share.
struct SharedCounts {
  struct Arrival {
    uint32_t Epoch; ///< How many barriers the rank has come to.
    /// What it had staged before the last barrier and the one before: of
    /// barrier N in [N % 2]. Other hosts are sent as much.
    uint32_t Staged[2];
    uint32_t Pad[29]; ///< A line of the cache for each.
  } Arrivals[MaxRanks];
  /// By sender and receiver: pieces that are there, and that were taken.
  uint32_t Sent[MaxRanks][MaxRanks], Taken[MaxRanks][MaxRanks];
  /// How long pieces are, by the slot.
  uint32_t SentBytes[MaxRanks][MaxRanks][PairSlots];
  uint32_t IsAborted; ///< Then nobody waits any more.
};

/// The same as a rank itself counts, in memory of its device: a graph that is
/// launched again goes on from there.
struct OwnCounts {
  uint32_t Epoch;
  uint32_t Sent[MaxRanks], Taken[MaxRanks]; ///< By the other rank.
};

/// What each kernel knows of the ranks.
struct Group {
  uint32_t Rank, NumRanks;
  SharedCounts *Shared;
  OwnCounts *Own;
  char *Stages; ///< Two of StageBytes for each rank.
  char *Pairs;  ///< By sender and receiver PairSlots of PairBytes.
};

/// Parts of a buffer: Count of them, Bytes long each, Stride bytes apart.
struct Parts {
  uint32_t Count;
  uint64_t Bytes, Stride;
};

/// How far apart parts are in a stage, where each is aligned.
constexpr uint64_t pitchOf(const Parts &P) { return (P.Bytes + 15) / 16 * 16; }

/// ncclDataType_t.
enum class DataType : uint32_t {
  Int8,
  Uint8,
  Int32,
  Uint32,
  Int64,
  Uint64,
  Float16,
  Float32,
  Float64,
  BFloat16,
  Float8E4M3,
  Float8E5M2,
};
constexpr unsigned NumDataTypes = 12;

/// How elements of all ranks become one, as ncclRedOp_t.
enum class ReduceOp : uint32_t { Sum, Prod, Max, Min, Average };
constexpr unsigned NumReduceOps = 5;

/// A reduction of Count elements that begin Offset bytes behind the beginning
/// of each rank's stage.
struct Reduction {
  ReduceOp Op;
  uint64_t Offset, Count;
};

/// What a rank does with a part of a buffer: takes it from some ranks, puts its
/// own to it, and hands the result on.
struct Step {
  static constexpr unsigned MostPeers = 3;
  enum : uint8_t {
    TakesOwn = 1, ///< What the rank itself has is one of the sources.
    Reduces = 2,  ///< What comes is to be reduced further, or ends here.
    Finishes = 4, ///< It ends here: what goes on is the result.
    Stores = 8,   ///< The result is the rank's, too.
  };
  uint8_t Flags = 0, Part = 0;
  uint8_t NumFrom = 0, NumTo = 0;
  uint8_t From[MostPeers] = {}, To[MostPeers] = {};
};
constexpr unsigned MaxSteps = 2 * MaxRanks;

/// The way of a collective through a rank. All is counted in elements, or in
/// bytes where nothing is reduced.
struct Route {
  uint64_t PartCount; ///< Of a part, the last ones may have less.
  uint64_t Total;     ///< Of all parts.
  uint64_t SendStride, ReceiveStride; ///< From part to part.
  uint32_t NumSteps;                  ///< Of each piece of the parts.
  Step Steps[MaxSteps];
};

/// How elements of a route are reduced.
struct Combination {
  ReduceOp Op;
  const void *Factor; ///< Of what each rank has; or null.
};

/// A send, or a receive.
struct Transfer {
  char *Buffer;
  uint64_t Bytes;
  uint32_t Peer;
  uint32_t IsSend;
};
constexpr unsigned MaxTransfers = 2 * MaxRanks;
struct Transfers {
  uint32_t Count; ///< Blocks of the launch.
  Transfer List[MaxTransfers];
};

} // namespace heddle::cuda::collectives

#endif // HEDDLE_LIB_CUDA_COLLECTIVES_PARAMETERS_H
