//===- Memory.cpp - Entries in memory ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table described in Memory.h.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <algorithm>
#include <cstring>

namespace heddle::cache {

/// Of how many slots the oldest entry makes room.
static constexpr size_t Sample = 32;
/// One entry takes at most this part of the memory.
static constexpr uint64_t LargestPart = 4;

MemoryTier::MemoryTier(uint64_t MaxBytes)
    : MaxBytes(MaxBytes), Slots(MaxBytes ? Ways * Sets : 0) {}

uint64_t MemoryTier::Node::bytes() const {
  return sizeof(Node) + Fields.size() + Input->size() + Value->Metadata.size() +
         Value->Log.size() + Value->Code.size();
}

MemoryTier::Slot *MemoryTier::setOf(const Hash128 &Find) {
  size_t Index = (Find.Bytes[14] | size_t(Find.Bytes[15]) << 8) % Sets;
  return &Slots[Index * Ways];
}

/// The bytes of a find hash that chose neither the set nor the shard.
static uint32_t tagOf(const Hash128 &Find) {
  return Find.Bytes[8] | Find.Bytes[9] << 8 | Find.Bytes[10] << 16 |
         uint32_t(Find.Bytes[11]) << 24;
}

bool MemoryTier::mayHold(const Slot &S, const Key &K) const {
  return S.Tag.load(std::memory_order_relaxed) == tagOf(K.find());
}

bool MemoryTier::tryAcquire(Node *N) {
  uint32_t Users = N->Users.load(std::memory_order_relaxed);
  while (Users != 0)
    if (N->Users.compare_exchange_weak(Users, Users + 1,
                                       std::memory_order_acquire,
                                       std::memory_order_relaxed))
      return true;
  return false;
}

void MemoryTier::release(Node *N) {
  if (N->Users.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  N->Value.reset();
  N->Input.reset();
  std::lock_guard Guard(FreeNodes);
  Free.push_back(N);
}

/// The whole key is compared, which costs less than a digest of the input.
bool MemoryTier::holds(const Node &N, const Key &K) const {
  return N.Find == K.find() && *N.Input == K.input() && N.Fields == K.fields();
}

EntryPtr MemoryTier::find(const Key &K) {
  if (Slots.empty())
    return nullptr;
  Slot *Set = setOf(K.find());
  for (size_t Way = 0; Way != Ways; ++Way) {
    Node *N = Set[Way].load();
    if (!N || !mayHold(Set[Way], K) || !tryAcquire(N))
      continue;
    EntryPtr Value;
    if (holds(*N, K)) {
      Value = N->Value;
      Set[Way].LastUse.store(Clock.fetch_add(1, std::memory_order_relaxed),
                             std::memory_order_relaxed);
    }
    release(N);
    if (Value)
      return Value;
  }
  return nullptr;
}

MemoryTier::Node *MemoryTier::newNode() {
  {
    std::lock_guard Guard(FreeNodes);
    if (!Free.empty()) {
      Node *N = Free.back();
      Free.pop_back();
      return N;
    }
  }
  return &Nodes.emplace_back();
}

/// Takes a slot's node out of the table.
void MemoryTier::empty(Slot &S) {
  Node *N = S.Holder.exchange(nullptr, std::memory_order_acq_rel);
  if (!N)
    return;
  Bytes -= N->bytes();
  release(N);
}

void MemoryTier::makeRoom(uint64_t Wanted) {
  // Each round empties a slot, unless all are empty already.
  for (size_t Round = 0; Bytes + Wanted > MaxBytes && Round != Slots.size();
       ++Round) {
    Slot *Oldest = nullptr;
    uint32_t Age = 0, Now = Clock.load(std::memory_order_relaxed);
    for (size_t I = 0; I != Sample; ++I, Hand = (Hand + 1) % Slots.size())
      if (Slots[Hand].load())
        if (uint32_t A = Slots[Hand].age(Now); !Oldest || A > Age) {
          Oldest = &Slots[Hand];
          Age = A;
        }
    if (Oldest)
      empty(*Oldest);
  }
}

/// The slot that holds K; else an empty one of its set, or the oldest.
MemoryTier::Slot &MemoryTier::placeFor(const Key &K, uint32_t Now) {
  Slot *Set = setOf(K.find()), *Place = Set;
  uint32_t Age = 0;
  for (size_t Way = 0; Way != Ways; ++Way) {
    Node *N = Set[Way].load();
    if (N && mayHold(Set[Way], K) && holds(*N, K))
      return Set[Way];
    uint32_t A = N ? Set[Way].age(Now) : UINT32_MAX;
    if (A >= Age) {
      Place = &Set[Way];
      Age = A;
    }
  }
  return *Place;
}

void MemoryTier::insert(const Key &K, InputPtr Input, EntryPtr Value) {
  if (Slots.empty())
    return;
  std::lock_guard Guard(Writers);
  uint32_t Now = Clock.fetch_add(1, std::memory_order_relaxed);
  Slot &Place = placeFor(K, Now);
  empty(Place);

  Node *N = newNode();
  N->Find = K.find();
  N->Fields = K.fields();
  N->Input = std::move(Input);
  N->Value = std::move(Value);
  uint64_t Size = N->bytes();
  N->Users.store(1, std::memory_order_release);
  if (Size > MaxBytes / LargestPart) {
    release(N);
    return;
  }
  makeRoom(Size);
  Bytes += Size;
  Place.LastUse.store(Now, std::memory_order_relaxed);
  Place.Tag.store(tagOf(K.find()), std::memory_order_relaxed);
  Place.Holder.store(N, std::memory_order_release);
}

void MemoryTier::erase(const Key &K) {
  if (Slots.empty())
    return;
  std::lock_guard Guard(Writers);
  Slot *Set = setOf(K.find());
  for (size_t Way = 0; Way != Ways; ++Way)
    if (Node *N = Set[Way].load(); N && mayHold(Set[Way], K) && holds(*N, K))
      empty(Set[Way]);
}

} // namespace heddle::cache
