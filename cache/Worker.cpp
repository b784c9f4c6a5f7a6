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

bool Worker::add(std::function<void()> Step, size_t Limit) {
  std::lock_guard Lock(Guard);
  if (Queue.size() >= Limit)
    return false;
  Queue.push_back(std::move(Step));
  if (!Thread.joinable())
    Thread = std::thread([this] { run(); });
  Changed.notify_all();
  return true;
}

void Worker::run() {
  std::unique_lock Lock(Guard);
  while (true) {
    Changed.wait(Lock, [this] { return Ending || !Queue.empty(); });
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
