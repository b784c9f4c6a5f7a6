//===- Signal.h - A counter that queues wait for ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work on a device is ordered by signals: a queue raises one when it has come
// so far, another queue or the host waits for it to reach a value. What Vulkan
// calls a timeline semaphore.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_SIGNAL_H
#define HEDDLE_RUNTIME_SIGNAL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace heddle::rt {

/// A number that only grows. Any thread may call anything here at any time,
/// except the destructor.
class Signal {
public:
  uint64_t value() const { return Current.load(std::memory_order_acquire); }
  bool hasReached(uint64_t Value) const { return value() >= Value; }

  /// Raises the number to Value, unless it is that high already, and wakes
  /// the waiting threads. What the caller did before is visible to them.
  void raise(uint64_t Value);

  /// Returns when the number has reached Value.
  void wait(uint64_t Value) const;

  /// The same, but also returns, with false, when Stop was set and wake()
  /// called.
  bool waitUnless(uint64_t Value, const std::atomic<bool> &Stop) const;

  /// Makes the waiting threads look again.
  void wake() const;

private:
  std::atomic<uint64_t> Current{0};
  mutable std::mutex Mutex;
  mutable std::condition_variable Raised;
};

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_SIGNAL_H
