//===- Segment.h - Memory that the ranks of a group share -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file without a name that the process which made the group's id holds until
// all ranks have mapped it. All of a process's ranks use one mapping, which the
// devices know as pinned memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_COLLECTIVES_SEGMENT_H
#define HEDDLE_LIB_CUDA_COLLECTIVES_SEGMENT_H

#include "Collectives/Parameters.h"
#include "Collectives/Results.h"
#include "heddle/Support/MemoryFile.h"

#include <atomic>
#include <memory>

namespace heddle::cuda::collectives {

/// ncclUniqueId: names the file of a group.
struct UniqueId {
  char Bytes[128];
};

class Segment {
public:
  /// Makes the id of a group that nobody is in yet.
  static Result makeId(UniqueId &Id);
  /// Closes the file of an id that this process made, if it did: all ranks have
  /// mapped it, or nobody will.
  static void forgetId(const UniqueId &Id);
  /// Maps the segment of a group of \p NumRanks ranks, and tells the thread's
  /// device of it.
  static Result open(const UniqueId &Id, unsigned NumRanks,
                     std::shared_ptr<Segment> &Opened);
  ~Segment();
  Segment(const Segment &) = delete;
  Segment &operator=(const Segment &) = delete;

  /// What a rank says when it splits the group.
  struct Split {
    std::atomic<uint32_t> Number; ///< Of the split, from 1 on.
    int Color, Key;
    UniqueId Proposal; ///< Is used if the rank is the first of its group.
  };
  struct Header {
    std::atomic<uint32_t> NumRanks, NumJoined;
    /// Of the last split and the one before.
    Split Splits[2][MaxRanks];
  };
  Header &header() const { return *reinterpret_cast<Header *>(Begin); }
  SharedCounts &counts() const {
    return *reinterpret_cast<SharedCounts *>(Begin + CountsOffset);
  }
  char *stages() const {
    return reinterpret_cast<char *>(Begin) + StagesOffset;
  }
  char *pairs() const { return stages() + uint64_t(NumRanks) * 2 * StageBytes; }

  /// Says that a rank is there, and waits until all are. False after a time
  /// that is longer than starting processes takes.
  void join() { ++header().NumJoined; }
  bool waitForAll() const;

private:
  Segment(uint8_t *Begin, uint64_t Bytes, unsigned NumRanks)
      : Begin(Begin), Bytes(Bytes), NumRanks(NumRanks) {}

  static constexpr uint64_t Page = 4096;
  static constexpr uint64_t CountsOffset =
      (sizeof(Header) + Page - 1) / Page * Page;
  static constexpr uint64_t StagesOffset =
      CountsOffset + (sizeof(SharedCounts) + Page - 1) / Page * Page;
  static uint64_t bytesFor(unsigned NumRanks) {
    return StagesOffset + uint64_t(NumRanks) * 2 * StageBytes +
           uint64_t(NumRanks) * NumRanks * PairSlots * PairBytes;
  }

  uint8_t *const Begin;
  const uint64_t Bytes;
  const unsigned NumRanks;
};

} // namespace heddle::cuda::collectives

#endif // HEDDLE_LIB_CUDA_COLLECTIVES_SEGMENT_H
