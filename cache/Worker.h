//===- Worker.h - A thread with a queue -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does pieces of work one after the other, in the order they came, on a thread
// that is started with the first of them. Private to cache/.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_WORKER_H
#define HEDDLE_CACHE_WORKER_H

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace heddle::cache {

class Worker {
public:
  /// Finishes everything.
  ~Worker();

  /// False, and nothing is done, if Limit pieces are waiting already.
  bool add(std::function<void()> Step, size_t Limit = SIZE_MAX);

  /// Waits until everything is done or the time is up, then drops what has not
  /// been begun; returns how much that was.
  size_t finish(std::chrono::milliseconds Time);

private:
  void run();
  void awaitWork(std::unique_lock<std::mutex> &Lock);

  std::mutex Guard;
  std::condition_variable Changed;
  std::deque<std::function<void()>> Queue;
  bool Busy = false, Ending = false, Asleep = false;
  std::thread Thread;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_WORKER_H
