//===- ProgramClock.h - The host's clock, as a program reads it -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Under virtual time (docs/timing.md) a wait for the device takes as long as
// the chip would need, however long the emulator needs. The host's clock is set
// after each such wait. A preloaded library lets the program read the clock,
// and has the C library only: everything is in this header.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_PROGRAMCLOCK_H
#define HEDDLE_RUNTIME_PROGRAMCLOCK_H

#include <atomic>
#include <cstdint>

namespace heddle::rt {

/// Any thread may call anything at any time. Times are nanoseconds.
struct ProgramClock {
  /// Nanoseconds from a point of its own; never goes back.
  uint64_t (*RealTime)() = nullptr;
  /// The program's time minus real time, unless IsStill.
  std::atomic<int64_t> Shift{0};
  /// The latest time that was told or set.
  std::atomic<uint64_t> Latest{0};
  /// What the host computes takes no time: the clock moves by waits and calls.
  std::atomic<bool> IsStill{false};
  /// What read() found, and how often in a row.
  std::atomic<uint64_t> LastRead{0};
  std::atomic<uint32_t> Readings{0};

  static constexpr uint32_t FreeReadings = 100;
  static constexpr uint64_t ReadingNs = 1000;

  /// The program's time. Of several threads, one may have waited for the device
  /// while another one computed: the clock stands still then instead of going
  /// back.
  uint64_t now() {
    if (IsStill)
      return Latest;
    return raise(RealTime() + static_cast<uint64_t>(Shift.load()));
  }

  /// Makes the clock tell \p Time from now on, if that is not in the past.
  void set(uint64_t Time) {
    Shift = static_cast<int64_t>(Time - RealTime());
    raise(Time);
  }

  /// Tells now(), and lets a still clock move while somebody only looks at it:
  /// a loop that waits for a time shall end. A few readings are free, so that
  /// it makes no difference who else has looked.
  uint64_t read() {
    uint64_t Now = now();
    if (!IsStill)
      return Now;
    if (LastRead.exchange(Now) != Now)
      Readings = 0;
    else if (++Readings > FreeReadings)
      Latest += ReadingNs;
    return Now;
  }

  /// Moves a still clock on; others move by themselves.
  void pass(uint64_t Nanoseconds) {
    if (IsStill)
      Latest += Nanoseconds;
  }

private:
  uint64_t raise(uint64_t Time) {
    uint64_t Last = Latest;
    while (Last < Time && !Latest.compare_exchange_weak(Last, Time)) {
    }
    return Last < Time ? Time : Last;
  }
};

/// The name of the instance that the preloaded library has.
#define HEDDLE_PROGRAM_CLOCK heddleProgramClock

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_PROGRAMCLOCK_H
