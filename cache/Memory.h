//===- Memory.h - Entries in memory -----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory tier: a table of fixed size whose readers take no lock.
//
// A node holds one entry and counts its users. The table's slots point to
// nodes; a reader adds itself to a node's count unless the count is zero, and
// then compares the key, since the node may have been reused for another one
// between the two steps. Nodes are never freed before the table, so that a late
// reader touches a node, if the wrong one, and never freed memory. Writers take
// a mutex. Private to cache/.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_MEMORY_H
#define HEDDLE_CACHE_MEMORY_H

#include "heddle-cache/Entry.h"

#include <atomic>
#include <deque>
#include <mutex>

namespace heddle::cache {

/// The input of a key, kept by all who need it after the look-up.
using InputPtr = std::shared_ptr<const std::string>;

class MemoryTier {
public:
  /// Keeps at most MaxBytes of entries and their inputs.
  explicit MemoryTier(uint64_t MaxBytes);

  EntryPtr find(const Key &K);
  /// Input is a copy of K's input that may be kept.
  void insert(const Key &K, InputPtr Input, EntryPtr Value);
  void erase(const Key &K);

private:
  struct Node {
    /// One for the slot that points here, one for each reader. At zero the node
    /// is on the list of free ones, or about to get there.
    std::atomic<uint32_t> Users{0};
    Hash128 Find;
    std::string Fields;
    InputPtr Input;
    EntryPtr Value;
    uint64_t bytes() const;
  };
  /// A place in the table. The tag, a part of the find hash, and the time of
  /// the last use stand beside the pointer, so that a search touches no node in
  /// vain: nodes lie far apart. A reader that meets a slot being filled may see
  /// the new tag with the old node, which is then a miss.
  struct Slot {
    std::atomic<Node *> Holder{nullptr};
    std::atomic<uint32_t> Tag{0};
    std::atomic<uint32_t> LastUse{0};
    Node *load() const { return Holder.load(std::memory_order_acquire); }
    uint32_t age(uint32_t Now) const {
      return Now - LastUse.load(std::memory_order_relaxed);
    }
  };
  static constexpr size_t Ways = 8;   ///< places that a key may take
  static constexpr size_t Sets = 512; ///< a power of two

  Slot *setOf(const Hash128 &Find);
  bool mayHold(const Slot &S, const Key &K) const;
  Slot &placeFor(const Key &K, uint32_t Now);
  bool tryAcquire(Node *N);
  void release(Node *N);
  bool holds(const Node &N, const Key &K) const;
  Node *newNode();
  void empty(Slot &S);
  void makeRoom(uint64_t Bytes);

  const uint64_t MaxBytes;
  std::atomic<uint32_t> Clock{0};
  std::vector<Slot> Slots;

  std::mutex Writers; ///< guards what follows, and storing to Slots
  uint64_t Bytes = 0;
  size_t Hand = 0; ///< where the search for old entries goes on
  std::deque<Node> Nodes;
  std::mutex FreeNodes; ///< guards Free; taken last
  std::vector<Node *> Free;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_MEMORY_H
