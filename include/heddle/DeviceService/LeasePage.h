//===- LeasePage.h - Places that a client has -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that the service shares with one client. A client that nobody else
// competes with takes and leaves its places here, without a message. The
// service keeps a record of its own of what it has granted: what a client
// writes here can only be to its own disadvantage, or a lie about whether it
// uses a place that it has.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEVICESERVICE_LEASEPAGE_H
#define HEDDLE_DEVICESERVICE_LEASEPAGE_H

#include <array>
#include <atomic>
#include <cstdint>

namespace heddle::deviced {

struct LeasePage {
  /// The most places of a client.
  static constexpr unsigned NumSlots = 64;

  /// What is true of a place.
  enum : uint32_t {
    Granted = 1,   ///< The client has it. The service alone sets and clears it.
    Busy = 2,      ///< A thread runs. The client alone sets and clears it.
    Taken = 4,     ///< A thread has run since it was granted.
    WantedNow = 8, ///< To be left at the next border between CTAs.
    WantedAtEnd = 16, ///< To be left when the launch is over.
    Lost = 32,        ///< Was not left in time; others have it.
  };

  /// Another number whenever a thread that waits should look again; threads
  /// wait for it by futex.
  std::atomic<uint32_t> Signal;
  std::array<std::atomic<uint32_t>, NumSlots> Slots;
  /// What the client says: for how long its threads ran, and since when those
  /// run that do, in nanoseconds of CLOCK_MONOTONIC; its launches.
  std::atomic<uint64_t> BusyNs, Launches;
  std::array<std::atomic<uint64_t>, NumSlots> BusySince;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free &&
              std::atomic<uint32_t>::is_always_lock_free);

/// Counts Signal on and wakes who waits for it.
void call(LeasePage &Page);

} // namespace heddle::deviced

#endif // HEDDLE_DEVICESERVICE_LEASEPAGE_H
