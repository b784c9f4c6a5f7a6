//===- RelaxedMemory.h - Weakly ordered memory ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory in which a load may return a value that is not the last one stored,
// within what docs/memory-model.md lets it. Each place has the sequence of the
// values that were stored there, in coherence order; each warp has a view, the
// least position that it may still read at each place. Reading and storing move
// the view on; releases and fences put it beside the stored value, acquires and
// fences take it over from there. One host thread runs a launch in this mode;
// launches that run at the same time, on one device or several of an address
// space, share what is known of the places.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_RELAXEDMEMORY_H
#define HEDDLE_LIB_EMULATOR_RELAXEDMEMORY_H

#include "heddle/Emulator/SoftFloat.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Support/RandomGenerator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace heddle::emu {

using isa::MemScope;
constexpr unsigned NumScopes = 4;

/// The least position that may be read, by the number of a place.
class MemoryView {
public:
  uint64_t operator[](uint64_t Place) const { return Positions.lookup(Place); }
  void raise(uint64_t Place, uint64_t Position) {
    uint64_t &P = Positions[Place];
    P = std::max(P, Position);
  }
  void join(const MemoryView &Other) {
    for (auto [Place, Position] : Other.Positions)
      raise(Place, Position);
  }
  void clear() { Positions.clear(); }

private:
  llvm::DenseMap<uint64_t, uint64_t> Positions;
};

/// Where a warp is, for scopes.
struct MemoryAgent {
  uint64_t CTA = 0, Cluster = 0; ///< Numbers among those of all grids.
  unsigned Device = 0;           ///< Its ordinal.
};

/// How an instruction accesses memory.
struct MemoryAccess {
  bool Strong = false; ///< Not weak; the rest counts only then.
  MemScope Scope = MemScope::System;
  bool Acquire = false, Release = false;
};

/// A load that takes place later than it was issued, behind stores of its warp
/// to other places.
struct DelayedLoad {
  MemoryAccess Access;
  uint32_t Lanes = 0;
  uint16_t Row = 0; ///< Where the results go.
  uint8_t Size = 0; ///< The value of the ISA's modifier MemSize.
  std::array<const uint8_t *, 32> Host = {}; ///< By lane.
};

/// What a warp knows of memory.
struct MemoryObserver {
  MemoryAgent Agent;
  MemoryView View;
  /// What was read beside values, to be known after a fence of that scope.
  std::array<MemoryView, NumScopes> Pending;
  /// The view at the last fence of at least that scope.
  std::array<std::shared_ptr<const MemoryView>, NumScopes> Fenced;
  std::optional<DelayedLoad> Delayed;
};

/// What the launches that run at the same time in an address space know of its
/// places.
class MemoryHistory {
public:
  /// Drops all but the last values of all places.
  void settle();

private:
  friend class RelaxedMemory;

  /// A view beside a value, and its writer and scope.
  struct Release {
    std::shared_ptr<const MemoryView> View;
    MemScope Scope;
    MemoryAgent Agent;
    bool ForAll = false; ///< Whatever the scopes.
  };
  struct Message {
    uint64_t Position = 0;
    UInt128 Value = 0;
    bool Strong = false;
    /// Of an update: the position of what it replaced.
    std::optional<uint64_t> Replaced;
    MemScope Scope = MemScope::CTA;
    MemoryAgent Agent;
    llvm::SmallVector<Release, 2> Releases;
  };
  /// A place in memory that was stored to, with its values in coherence order.
  struct Place {
    uint64_t Number;
    uint8_t Offset, Bytes; ///< In its line.
    std::vector<Message> Messages;
  };
  using Line = llvm::SmallVector<Place, 2>;

  static void settleLine(Line &L);
  Place *find(const uint8_t *Host, unsigned Bytes);
  Place &findOrMake(const uint8_t *Host, unsigned Bytes);
  static size_t firstReadable(const MemoryObserver &O, const Place &P);
  static bool hasRoom(const MemoryObserver &O, const Place &P, size_t After,
                      MemoryAccess A);
  static void synchronize(MemoryObserver &O, const Message &M, MemoryAccess A);
  static Message makeMessage(MemoryObserver &O, UInt128 Value, MemoryAccess A);
  static void handOn(llvm::ArrayRef<Release> Old,
                     llvm::SmallVectorImpl<Release> &New);
  static void append(MemoryObserver &O, Place &P, size_t After, Message M,
                     uint8_t *Host);
  void exchangeViews(MemoryObserver &O, MemScope Scope);
  void forLines(const uint8_t *Host, uint64_t Bytes,
                llvm::function_ref<void(Line &)> Visit);

  std::mutex Mutex; ///< Of everything.
  llvm::DenseMap<uintptr_t, Line> Lines;
  uint64_t NextNumber = 1, NextCTA = 0;
  /// Views of sequentially consistent fences: of the system, of devices, of
  /// clusters and of CTAs.
  MemoryView SystemFences;
  std::map<unsigned, MemoryView> DeviceFences;
  llvm::DenseMap<uint64_t, MemoryView> ClusterFences, CTAFences;
};

/// Memory as a launch sees it.
class RelaxedMemory {
public:
  /// Of a launch with so many CTAs on a device. Its threads see what was stored
  /// before.
  RelaxedMemory(uint64_t Seed, std::shared_ptr<MemoryHistory> Of,
                unsigned Device, uint64_t NumCTAs);

  /// Who a warp is, by numbers in its grid.
  MemoryAgent agent(uint64_t CTA, uint64_t Cluster) const {
    return {FirstCTA + CTA, FirstCTA + Cluster, Device};
  }

  /// Whether another launch runs, which this one may wait for.
  bool isShared() const { return History.use_count() > 1; }
  /// Whether a load shall be put off.
  bool delaysLoad() { return Choices.below(4) == 0; }

  // A value has at most 128 bits and lies at a multiple of its size. The host
  // memory always holds the last value of each place.

  UInt128 load(MemoryObserver &O, const uint8_t *Host, unsigned Bytes,
               MemoryAccess A);
  void store(MemoryObserver &O, uint8_t *Host, unsigned Bytes, UInt128 Value,
             MemoryAccess A);
  /// Replaces a value in one step by what \p Compute makes of it; nothing is
  /// stored if that is nothing. Returns the old one.
  UInt128 update(MemoryObserver &O, uint8_t *Host, unsigned Bytes,
                 MemoryAccess A,
                 llvm::function_ref<std::optional<UInt128>(UInt128)> Compute);
  void fence(MemoryObserver &O, MemScope Scope, bool SequentiallyConsistent);

  /// Drops all but the last values of a range, before it is accessed by other
  /// means.
  void settle(const uint8_t *Host, uint64_t Bytes);
  /// Drops everything about a range, whose memory is given back.
  void forget(const uint8_t *Host, uint64_t Bytes);

private:
  RandomGenerator Choices;
  const std::shared_ptr<MemoryHistory> History;
  const unsigned Device;
  uint64_t FirstCTA = 0;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_RELAXEDMEMORY_H
