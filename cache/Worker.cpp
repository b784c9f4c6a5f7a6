//===- Worker.cpp - A thread with a queue -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The queue and its thread.
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

namespace heddle::cache {

/// How often the thread looks for work before it sleeps, and how far apart.
static constexpr unsigned Looks = 50;
static constexpr std::chrono::milliseconds LookEvery(20);

bool Worker::add(std::function<void()> Step, size_t Limit) {
  std::lock_guard Lock(Guard);
  if (Queue.size() >= Limit)
    return false;
  Queue.push_back(std::move(Step));
  if (!Thread.joinable())
    Thread = std::thread([this] { run(); });
  if (Asleep)
    Changed.notify_all();
  return true;
}

/// Waits for something to do or the end. A thread that had something to do a
/// short while ago looks again by itself, since waking it would cost the
/// caller of add more than all else that a look-up does.
void Worker::awaitWork(std::unique_lock<std::mutex> &Lock) {
  auto HasWork = [this] { return Ending || !Queue.empty(); };
  for (unsigned I = 0; I != Looks; ++I)
    if (Changed.wait_for(Lock, LookEvery, HasWork))
      return;
  Asleep = true;
  Changed.wait(Lock, HasWork);
  Asleep = false;
}

void Worker::run() {
  std::unique_lock Lock(Guard);
  while (true) {
    awaitWork(Lock);
    if (Queue.empty())
      return;
    std::function<void()> Step = std::move(Queue.front());
    Queue.pop_front();
    Busy = true;
    Lock.unlock();
    Step();
    Step = nullptr; // what it holds ends before anyone hears that it is done
    Lock.lock();
    Busy = false;
    Changed.notify_all();
  }
}

size_t Worker::finish(std::chrono::milliseconds Time) {
  size_t Dropped;
  {
    std::unique_lock Lock(Guard);
    Changed.notify_all();
    Changed.wait_for(Lock, Time, [this] { return Queue.empty() && !Busy; });
    Dropped = Queue.size();
    Queue.clear();
  }
  return Dropped;
}

Worker::~Worker() {
  {
    std::lock_guard Lock(Guard);
    Ending = true;
    Changed.notify_all();
  }
  if (Thread.joinable())
    Thread.join();
}

} // namespace heddle::cache
