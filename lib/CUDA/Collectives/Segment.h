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
#include "Collectives/Topology.h"
#include "heddle/Support/MemoryFile.h"

#include <atomic>
#include <memory>

namespace heddle::cuda::collectives {

/// ncclUniqueId: names the file of a group.
struct UniqueId {
  char Bytes[128];
};

/// Where a segment is on a host.
struct SegmentFile {
  int64_t Process = 0, Descriptor = 0; ///< Which has it open, and as what.
  uint64_t Device = 0, Node = 0;

  MemoryFile::Identity identity() const { return {Device, Node}; }
  /// Of this process.
  static SegmentFile of(const MemoryFile &File);
  std::optional<MemoryFile> open() const;
};

/// What a rank says when it splits the group.
struct Announcement {
  int Color, Key;
  UniqueId Proposal; ///< Is used if the rank is the first of its group.
};

/// The parts of a segment.
struct SegmentView {
  uint8_t *Begin = nullptr;
  unsigned NumRanks = 0;

  struct Split : Announcement {
    std::atomic<uint32_t> Number; ///< From 1 on.
  };
  enum Presence : uint32_t { Elsewhere, Here, Gone };
  struct Header {
    std::atomic<uint32_t> NumRanks, NumJoined;
    std::atomic<uint32_t> IsAcrossHosts;
    std::atomic<uint32_t> Ranks[MaxRanks]; ///< Presence on this host.
    RankPlace Places[MaxRanks];            ///< Of those that have joined.
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

  static constexpr uint64_t Page = 4096;
  static constexpr uint64_t CountsOffset =
      (sizeof(Header) + Page - 1) / Page * Page;
  static constexpr uint64_t StagesOffset =
      CountsOffset + (sizeof(SharedCounts) + Page - 1) / Page * Page;
  static uint64_t bytesFor(unsigned NumRanks) {
    return StagesOffset + uint64_t(NumRanks) * 2 * StageBytes +
           uint64_t(NumRanks) * NumRanks * PairSlots * PairBytes;
  }
};

class Segment : public SegmentView {
public:
  /// Makes the id of a group that nobody is in yet.
  static Result makeId(UniqueId &Id, bool ForOtherHosts);
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

  /// Says that a rank is there, and waits until all are. False after a time
  /// that is longer than starting processes takes.
  void join(unsigned Rank, const RankPlace &Place) {
    OwnRanks |= uint64_t(1) << Rank;
    header().Places[Rank] = Place;
    header().Ranks[Rank] = Here;
    ++header().NumJoined;
  }
  bool waitForAll() const;
  void leave(unsigned Rank) { header().Ranks[Rank] = Gone; }
  /// The same for all ranks of the process, in all groups.
  static void leaveAll();

private:
  Segment(uint8_t *Begin, unsigned NumRanks) : SegmentView{Begin, NumRanks} {}

  std::atomic<uint64_t> OwnRanks{0}; ///< A bit for each of this process.
  static_assert(MaxRanks <= 64);
};

} // namespace heddle::cuda::collectives

#endif // HEDDLE_LIB_CUDA_COLLECTIVES_SEGMENT_H
