//===- StateFile.h - Sizes and statistics of a store ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file `state` of a store: what its shards hold, and the counters of all
// processes. Every number in it may be lost without harm, so nobody ever waits
// for a lock on it. Private to cache/.
//
//   state      = sizes lane*            lanes start at multiples of 4096
//   sizes      = (u64){256}             bytes in each shard
//   lane       = magic u64* checksum    the counters of Counters.def, in order
//
// A process adds its counters to the first lane that nobody is writing to; the
// statistics are the sum of all lanes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_STATEFILE_H
#define HEDDLE_CACHE_STATEFILE_H

#include "File.h"

#include <cstdint>

namespace heddle::cache {

inline constexpr unsigned NumShards = 256;

class StateFile {
public:
  /// Directory: of the store; the file is made when first written to.
  explicit StateFile(int Directory) : Directory(Directory) {}

  /// Adds to a shard's size, which stays at least 0.
  void addToShard(unsigned Shard, int64_t Bytes);
  void setShard(unsigned Shard, uint64_t Bytes);
  uint64_t totalSize();

  void addCounters(const CounterValues &Values);
  CounterValues counters();
  void reset();

private:
  Descriptor open(int Flags);
  bool readLane(int FD, unsigned Lane, CounterValues &Values);

  int Directory;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_STATEFILE_H
