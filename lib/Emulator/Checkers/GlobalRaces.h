//===- GlobalRaces.h - Accesses to global memory in a launch ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the check 'race' knows of a launch beyond one cluster: the accesses to
// global memory, and what clusters tell each other through atomic operations
// there. One host thread runs a launch that is checked for races.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_GLOBALRACES_H
#define HEDDLE_LIB_EMULATOR_GLOBALRACES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace heddle::emu {

/// How far a warp knows the accesses of others, by their own clocks: those of
/// its cluster by their index in it, the others by cluster and index.
struct RaceClock {
  using Times = std::vector<uint32_t>;

  Times Own;
  std::map<uint64_t, Times> Others;

  RaceClock() = default;
  explicit RaceClock(size_t Warps) : Own(Warps) {}

  /// Knows what \p Other, of the same cluster, knows too.
  void join(const RaceClock &Other);
  /// Whether it knows a warp's accesses up to \p Time.
  bool knows(uint64_t ItsCluster, uint64_t Cluster, uint16_t Warp,
             uint32_t Time) const;
};

/// An access to a word of global memory.
struct GlobalAccess {
  uint64_t Cluster = 0;
  uint32_t Time = 0; ///< Of the warp's clock.
  uint32_t PC = 0;
  uint16_t Warp = 0; ///< In the cluster.
  uint8_t Bytes = 0; ///< Of the word, a bit for each.
  bool IsAtomic = false;
  bool IsWrite = false;
};

class GlobalRaces {
public:
  static constexpr unsigned WordBytes = 4;

  /// Notes an access to the word at \p Address by a warp that knows \p Known.
  /// Returns an earlier one that nothing orders before it, if one of the two is
  /// a write.
  std::optional<GlobalAccess> access(uint64_t Address, const GlobalAccess &Now,
                                     const RaceClock &Known);
  /// A warp of \p Cluster tells by an atomic operation at \p Address what it
  /// knows.
  void publish(uint64_t Address, uint64_t Cluster, const RaceClock &Known);
  /// The warp learns what other warps have published there.
  void learn(uint64_t Address, uint64_t Cluster, RaceClock &Known) const;

private:
  /// What happened to a word since its last write. Of many warps that read only
  /// some are known: a race with another one goes unseen.
  using Cell = llvm::SmallVector<GlobalAccess, 2>;
  static constexpr unsigned MostReads = 4;

  llvm::DenseMap<uint64_t, Cell> Cells; ///< By number of the word.
  /// By address, what clusters have told.
  llvm::DenseMap<uint64_t, std::map<uint64_t, RaceClock::Times>> Words;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_GLOBALRACES_H
