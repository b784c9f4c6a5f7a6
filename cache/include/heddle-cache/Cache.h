//===- Cache.h - The microcode cache ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The door to the cache. A Cache has up to four tiers, asked in this order:
//
//   memory   what this process has seen; reading takes no lock
//   local    a directory of entries, shared with the user's other processes
//   packs    read-only archives of entries
//   remotes  HTTP and Redis servers
//
// A typical use:
//
//   Cache C(Settings::load(processEnvironment(), Complaints));
//   Outcome O = C.getOrMake(K, [&] { return compile(); });
//
// However the cache fails, the outcome is what Make returns: faults are counted
// and otherwise invisible. Any number of threads may use one Cache at once.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_CACHE_H
#define HEDDLE_CACHE_CACHE_H

#include "heddle-cache/Entry.h"
#include "heddle-cache/Remote.h"
#include "heddle-cache/Settings.h"

#include <functional>

namespace heddle::cache {

/// Where an entry came from.
enum class Origin : uint8_t {
  None,   ///< there is no entry
  Made,   ///< made by this call
  Shared, ///< made by another thread, which this call waited for
  Memory,
  Local, ///< also what another process made while this call waited
  Pack,
  Remote,
};

/// A name for people: "made", "memory", ...
std::string_view originName(Origin O);

/// What making an entry gave.
struct Made {
  EntryPtr Value; ///< null: it failed
  /// The maker's description of the failure, handed to all who waited for it.
  std::shared_ptr<const void> Failure;
  /// Whether the entry may be stored; a maker that fell back on something
  /// unusual says false.
  bool Store = true;
};

struct Outcome {
  EntryPtr Value; ///< null: Make failed, or lookup found nothing
  std::shared_ptr<const void> Failure;
  Origin From = Origin::None;
};

struct CacheOptions {
  /// Write entries from a thread of the cache, so that whoever made one does
  /// not wait for the disk. The destructor finishes what is pending.
  bool WriteInBackground = false;
  /// Opens the remotes; called once, when something is not found elsewhere.
  std::function<std::vector<std::unique_ptr<RemoteTier>>()> OpenRemotes;
};

class Cache {
public:
  explicit Cache(const Settings &S, CacheOptions Options = {});
  /// Finishes pending writes, gives uploads the time of remote_linger, and adds
  /// the counters to the directory's statistics.
  ~Cache();
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;

  Mode mode() const;

  /// Looks K up in memory, the directory and the packs, and does not wait for
  /// anything. Finds nothing if the mode is off or refresh.
  Outcome lookup(const Key &K);
  /// The same, and asks the remotes for what is in none of these.
  Outcome lookupEverywhere(const Key &K);

  /// Looks K up in all tiers; if it is nowhere, calls Make and stores what it
  /// returns, unless the mode forbids it. Threads and processes that want the
  /// same key at the same time wait for the first of them, for at most
  /// lease_timeout in the case of a process. A failure of Make is handed to the
  /// threads that waited and is not stored. Make must not ask for K again.
  Outcome getOrMake(const Key &K, const std::function<Made()> &Make);

  /// Stores an entry in memory and in the directory, unless the mode forbids
  /// it.
  void insert(const Key &K, const EntryPtr &Value);

  /// Removes what lookup found if it turns out to be of no use.
  void discard(const Key &K);

  /// What has been counted since this Cache was made.
  Counters &counters();

private:
  struct Impl;
  std::unique_ptr<Impl> State;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_CACHE_H
