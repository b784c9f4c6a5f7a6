//===- HostLinks.h - A group's memory on several hosts ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each host of a group has a segment, in which a thread of one process repeats
// what ranks of other hosts do in theirs: kernels read what is staged and wait
// for counts as if all ranks were here. The host of the id's maker is the
// centre, through which the others hear of each other.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_COLLECTIVES_HOSTLINKS_H
#define HEDDLE_LIB_CUDA_COLLECTIVES_HOSTLINKS_H

#include "Collectives/Segment.h"
#include "Collectives/Wire.h"

namespace heddle::cuda::collectives {

/// What who joins from another host says, and is told.
struct Hello {
  uint64_t Secret; ///< Of the id.
  uint64_t Host;   ///< hostHash
  uint32_t NumRanks, Reserved;
};
struct Welcome {
  uint32_t IsFirst; ///< Of its host: makes the segment, and says which.
  uint32_t Reserved;
  SegmentFile File; ///< Else where it is.
};

/// Waits for other hosts in the background, for the group of an id that this
/// process made, and repeats what happens there.
void serveOtherHosts(Socket Listener, SegmentFile File, uint64_t Secret);
/// Ends the waiting if no other host has come.
void stopServing(const SegmentFile &File);

/// Joins a group whose centre is another host. \p File is the segment of this
/// one, which was \p Made here or is another process's.
Result joinOtherHost(const HostAddress &Centre, uint64_t Secret,
                     unsigned NumRanks, SegmentFile &File,
                     std::optional<MemoryFile> &Made);

} // namespace heddle::cuda::collectives

#endif // HEDDLE_LIB_CUDA_COLLECTIVES_HOSTLINKS_H
