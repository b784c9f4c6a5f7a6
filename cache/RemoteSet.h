//===- RemoteSet.h - The remotes of a cache ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the remotes one after the other and uploads to them from a thread of its
// own. A remote that fails is left alone for a while (a circuit breaker), so
// that a slow or dead one costs its timeout once; through the cache directory
// this holds for other processes, too. Private to cache/.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_REMOTESET_H
#define HEDDLE_CACHE_REMOTESET_H

#include "Worker.h"
#include "heddle-cache/Entry.h"
#include "heddle-cache/Remote.h"
#include "heddle-cache/Settings.h"

#include <atomic>

namespace heddle::cache {

class LocalStore;

class RemoteSet {
public:
  using Opener = std::function<std::vector<std::unique_ptr<RemoteTier>>()>;
  /// Open may be empty: there are no remotes.
  RemoteSet(const Settings &S, Opener Open, Counters &C);

  bool empty() const { return !Open; }

  /// The entry of K from the first remote that has it. Store may be null.
  std::optional<Entry> get(const Key &K, const EntryCodec &Codec,
                           LocalStore *Store);
  /// Uploads in the background. Store outlives finish().
  void put(const Hash256 &Digest, std::string Bytes, LocalStore *Store);
  /// Gives uploads the time of remote_linger and drops the rest.
  void finish();

private:
  struct Remote {
    std::unique_ptr<RemoteTier> Tier;
    /// When it may be asked again, on the steady clock, in nanoseconds; 0: now.
    std::atomic<int64_t> ClosedUntil{0};
  };

  std::vector<std::unique_ptr<Remote>> &remotes();
  bool isClosed(Remote &R, LocalStore *Store);
  void close(Remote &R, LocalStore *Store);
  RemoteTier::Deadline deadline() const;
  std::optional<Entry> ask(Remote &R, const Key &K, const EntryCodec &Codec,
                           LocalStore *Store);
  void upload(Remote &R, const Hash256 &Digest, std::string_view Bytes,
              LocalStore *Store);

  Opener Open;
  std::once_flag Opened;
  std::vector<std::unique_ptr<Remote>> Remotes;
  Counters &Count;
  std::chrono::milliseconds Timeout, Linger;
  std::chrono::seconds CoolDown;
  uint64_t MaxSize;
  Worker Uploader;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_REMOTESET_H
