//===- LocalStore.h - Entries in a directory --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The local tier: a directory that the user's processes share.
//
//   DIR/CACHEDIR.TAG      tells backup programs to leave DIR out
//   DIR/v1/0f/...         an entry, named by its key's find hash: 2 digits for
//                         the shard, 30 for the file
//   DIR/v1/tmp/           entries being written
//   DIR/v1/state          sizes of the shards and statistics
//   DIR/v1/leases         nothing; its byte ranges are locked (see Lease)
//
// An entry is written aside and renamed, without fsync: after a loss of power
// it may be incomplete, which its checksum shows. Reading takes no lock. No
// file is mapped into memory, and nothing is expected to be visible to another
// machine at once, so the directory may be on a network.
//
// Eviction is least recently used, approximately: each process that stores an
// entry while the directory is too large looks at a slice of it, a few shards,
// and removes the oldest entries there. No process walks through all shards.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_LOCALSTORE_H
#define HEDDLE_CACHE_LOCALSTORE_H

#include "heddle-cache/Key.h"
#include "heddle-cache/Result.h"
#include "heddle-cache/Settings.h"

#include <functional>
#include <memory>

namespace heddle::cache {

/// A file of the store.
struct StoredFile {
  Hash128 Find;
  uint64_t Size = 0;    ///< in bytes
  int64_t LastUsed = 0; ///< seconds since 1970, coarse
};

/// The right to make an entry, which one process at a time has. The system
/// takes it back when the process ends, however it ends.
class Lease {
public:
  Lease(int FD, uint64_t Place) : FD(FD), Place(Place) {}
  Lease(Lease &&Other) noexcept : FD(Other.FD), Place(Other.Place) {
    Other.FD = -1;
  }
  Lease &operator=(Lease &&) = delete;
  ~Lease();

private:
  int FD;
  uint64_t Place;
};

class LocalStore {
public:
  /// Opens the directory of the settings; with Create it is made if it is not
  /// there. What goes wrong later is counted in C.
  static Result<std::unique_ptr<LocalStore>> open(const Settings &S,
                                                  bool Create, Counters &C);
  ~LocalStore();

  /// The bytes of the entry; the fault Miss if there is none.
  Result<std::string> read(const Hash128 &Find);
  /// Stores an entry and keeps the directory within its limits.
  Status write(const Hash128 &Find, std::string_view Bytes);
  void remove(const Hash128 &Find);

  /// Tries to get the lease on an entry: the fault LeaseTimeout says that
  /// another process holds it, LeaseError that leases do not work here.
  Result<Lease> acquireLease(const Hash128 &Find);

  /// Calls Visit for each entry.
  void forEach(const std::function<void(const StoredFile &)> &Visit);
  /// The size of all entries by the directory's books, in bytes. May be off
  /// after processes died; the slices of trimming put it right.
  uint64_t recordedSize();

  struct Removed {
    uint64_t Files = 0;
    uint64_t Bytes = 0;
  };
  /// Looks at everything: removes debris and what is too old, then the least
  /// recently used until MaxSize bytes are left. For `ptx-cache trim`.
  Removed trimAll(uint64_t MaxSize, uint64_t MaxAgeSeconds);
  /// Removes all entries, and the statistics.
  Removed clear();

  /// Adds to the directory's statistics.
  void addStatistics(const CounterValues &Values);
  CounterValues statistics();

  /// Remembers, for all processes, that a remote failed just now.
  void noteRemoteFailure(std::string_view Remote);
  void forgetRemoteFailure(std::string_view Remote);
  /// Whether it failed within the last so many seconds.
  bool remoteFailedWithin(std::string_view Remote, uint64_t Seconds);

private:
  struct Impl;
  explicit LocalStore(std::unique_ptr<Impl> State);
  std::unique_ptr<Impl> State;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_LOCALSTORE_H
