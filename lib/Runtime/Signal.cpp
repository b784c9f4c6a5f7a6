//===- Signal.cpp - A counter that queues wait for --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number is atomic so that looking costs no lock; the lock is there for
// sleeping and waking only.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Signal.h"

namespace heddle::rt {

void Signal::raise(uint64_t Value) {
  {
    std::lock_guard Lock(Mutex);
    if (Current.load(std::memory_order_relaxed) >= Value)
      return;
    Current.store(Value, std::memory_order_release);
  }
  Raised.notify_all();
}

void Signal::wait(uint64_t Value) const {
  if (hasReached(Value))
    return;
  std::unique_lock Lock(Mutex);
  Raised.wait(Lock, [&] { return hasReached(Value); });
}

bool Signal::waitUnless(uint64_t Value, const std::atomic<bool> &Stop) const {
  if (hasReached(Value))
    return true;
  std::unique_lock Lock(Mutex);
  Raised.wait(Lock, [&] { return hasReached(Value) || Stop.load(); });
  return hasReached(Value);
}

void Signal::wake() const {
  // The lock keeps the wake-up from falling between a look and the sleep.
  {
    std::lock_guard Lock(Mutex);
  }
  Raised.notify_all();
}

} // namespace heddle::rt
