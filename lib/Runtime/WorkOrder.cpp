//===- WorkOrder.cpp - Which packet may take the chip next ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tickets in the order of submission. Whether a queue that waits for a signal
// still waits is asked of the signal itself: the queue's thread may not have
// noticed yet, and its speed shall not decide who is next.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/VirtualTime.h"

using namespace llvm;

namespace heddle::rt {

uint64_t WorkOrder::append(const void *Queue) {
  std::lock_guard Lock(Mutex);
  Pending[++LastTicket] = Queue;
  return LastTicket;
}

void WorkOrder::finish(uint64_t Ticket) {
  {
    std::lock_guard Lock(Mutex);
    Pending.erase(Ticket);
  }
  Changed.notify_all();
}

void WorkOrder::hold(const void *Queue, const Signal *S, uint64_t Value) {
  {
    std::lock_guard Lock(Mutex);
    Held[Queue] = {S, Value};
  }
  Changed.notify_all();
}

void WorkOrder::goOn(const void *Queue) {
  std::lock_guard Lock(Mutex);
  Held.erase(Queue);
}

bool WorkOrder::isHeld(const void *Queue) const {
  auto It = Held.find(Queue);
  return It != Held.end() &&
         (!It->second.S || !It->second.S->hasReached(It->second.Value));
}

bool WorkOrder::isTurn(uint64_t Ticket) const {
  for (auto [Other, Queue] : Pending) {
    if (Other >= Ticket)
      break;
    if (!isHeld(Queue))
      return false;
  }
  return true;
}

void WorkOrder::waitForTurn(uint64_t Ticket, const std::atomic<bool> &Stop) {
  std::unique_lock Lock(Mutex);
  Changed.wait(Lock, [&] { return Stop || isTurn(Ticket); });
}

void WorkOrder::wake() {
  // Whoever has looked at Stop before it was set waits once the lock is free.
  std::lock_guard Lock(Mutex);
  Changed.notify_all();
}

void WorkOrder::settle(function_ref<bool()> IsReached) {
  std::unique_lock Lock(Mutex);
  Changed.wait(Lock, [&] { return IsReached() || isTurn(LastTicket + 1); });
}

} // namespace heddle::rt
