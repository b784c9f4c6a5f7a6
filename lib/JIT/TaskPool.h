//===- TaskPool.h - Threads for jobs ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bounded number of threads, or the host's executor in their place.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_JIT_TASKPOOL_H
#define HEDDLE_LIB_JIT_TASKPOOL_H

#include "heddle-c/Compiler.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::jit {

/// Any thread may call anything but the destructor.
class TaskPool {
public:
  /// MaxThreads 0: one for each core.
  explicit TaskPool(unsigned MaxThreads) : MaxThreads(MaxThreads) {}
  TaskPool(HeddleExecutor Executor, void *Context)
      : Executor(Executor), ExecutorContext(Context) {}
  /// As finish.
  ~TaskPool();

  /// Waits until all tasks have run, those among them that tasks submit.
  void finish();

  /// Has Task run once. Threads start as tasks come; they take no signals. A
  /// process that was forked from one with threads gets threads of its own.
  void submit(std::function<void()> Task);

private:
  void work();
  void startThread();
  void forgetThreadsAfterFork();

  const unsigned MaxThreads = 0;
  const HeddleExecutor Executor = nullptr;
  void *const ExecutorContext = nullptr;

  std::mutex Mutex; ///< Of everything below.
  std::condition_variable NotEmpty, AllDone;
  std::deque<std::function<void()>> Tasks;
  unsigned Unfinished = 0; ///< Tasks that wait or run.
  unsigned Idle = 0;       ///< Threads that wait.
  bool Ending = false;
  int Process = 0; ///< In which the threads are.
  std::vector<std::thread> Threads;
};

} // namespace heddle::jit

#endif // HEDDLE_LIB_JIT_TASKPOOL_H
