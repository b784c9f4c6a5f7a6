//===- Channel.h - A unit that transfers in time ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices of L2, channels of DRAM, ways between them, and links.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_CHANNEL_H
#define HEDDLE_LIB_EMULATOR_TIMING_CHANNEL_H

#include <algorithm>
#include <cstdint>

namespace heddle::emu {

/// A point in time, in cycles from the start of the launch.
using Cycle = uint64_t;

/// A unit that transfers one thing after the other.
class Channel {
public:
  /// Parts of a cycle, so that rates need not divide cycles.
  static constexpr uint64_t Ticks = 4096;

  Channel() = default;
  /// \p Bytes take \p Bytes / \p BytesPerCycle cycles, rounded up to ticks.
  Channel(uint64_t Bytes, uint64_t BytesPerCycle)
      : Cost((Bytes * Ticks + BytesPerCycle - 1) / BytesPerCycle) {}

  /// Starts \p Count transfers at \p When or as soon after it as the unit is
  /// free. Returns the cycle of the start.
  Cycle take(Cycle When, uint64_t Count = 1) {
    uint64_t Start = std::max(When * Ticks, FreeAt);
    FreeAt = Start + Count * Cost;
    return (Start + Ticks - 1) / Ticks;
  }
  /// Lets as many ticks go by after the last transfer.
  void pause(uint64_t Pause) { FreeAt += Pause; }
  /// Keeps it from starting anything before \p Until.
  void hold(Cycle Until) { FreeAt = std::max(FreeAt, Until * Ticks); }
  /// The first cycle after all transfers so far.
  Cycle end() const { return (FreeAt + Ticks - 1) / Ticks; }

private:
  uint64_t Cost = Ticks;
  uint64_t FreeAt = 0; ///< In ticks.
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_CHANNEL_H
