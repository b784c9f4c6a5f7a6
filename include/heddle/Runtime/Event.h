//===- Event.h - A point in a stream ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An event is recorded into a stream and then stands for all work enqueued
// there before. Recording again moves it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_EVENT_H
#define HEDDLE_RUNTIME_EVENT_H

#include "heddle/Runtime/Signal.h"
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::rt {

class Capture;
class VirtualTime;

/// A place in a stream's work: reached when the signal has the value.
struct StreamPoint {
  std::shared_ptr<Signal> Progress;
  uint64_t Value = 0;
  uint64_t Timestamp = 0;      ///< nanoseconds; valid once reached
  VirtualTime *Time = nullptr; ///< The device's; null: real time.

  bool isReached() const { return Progress->hasReached(Value); }
  /// Waits, for as long as the device takes.
  void wait() const;
  /// Whether it is reached at the host's time. In virtual time the host waits
  /// until that is known.
  bool query() const;
};

/// What the processes that share an event know of its records, in memory that
/// all of them map. Zeros stand for an event that was never recorded.
struct SharedRecords {
  std::atomic<uint64_t> Recorded; ///< How often it was recorded.
  std::atomic<uint64_t> Reached;  ///< The last record that was reached.

  /// Says that a record was reached. Streams may come to theirs in any order.
  void reach(uint64_t Record);
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

/// Any thread may call anything at any time.
class Event {
public:
  Event() = default;
  /// An event of several processes. It has no timestamp. The device has to know
  /// \p Shared by Device::mapHost.
  explicit Event(std::shared_ptr<SharedRecords> Shared)
      : Shared(std::move(Shared)) {}

  /// Never recorded, or all work before the record is done.
  bool isComplete() const;
  /// Waits until it is complete.
  void synchronize() const;
  bool isRecorded() const {
    return Shared ? Shared->Recorded != 0 : point() != nullptr;
  }
  /// When the record was reached, by timestampNow(); none if it was not yet.
  std::optional<uint64_t> timestamp() const;

  /// Null unless the event is of several processes.
  const std::shared_ptr<SharedRecords> Shared;

private:
  friend class Context;
  friend class Stream;

  std::shared_ptr<StreamPoint> point() const {
    std::lock_guard Lock(Mutex);
    return Point;
  }

  mutable std::mutex Mutex; ///< Of everything below.
  std::shared_ptr<StreamPoint> Point;
  /// If it was last recorded in a stream under capture: the nodes it stands
  /// for. Their meaning is that of Capture's graph.
  std::shared_ptr<Capture> Captured;
  std::vector<unsigned> CapturedNodes;
};

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_EVENT_H
