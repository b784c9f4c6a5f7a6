//===- TaskPool.cpp - Threads for jobs --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fork() copies the pool but not its threads: the child notices by the process
// id and starts anew. What the parent's threads were doing is the parent's.
//
//===----------------------------------------------------------------------===//

#include "TaskPool.h"

#include <algorithm>
#include <csignal>
#include <unistd.h>
#include <utility>

using namespace heddle::jit;

void TaskPool::finish() {
  std::unique_lock Lock(Mutex);
  forgetThreadsAfterFork();
  AllDone.wait(Lock, [this] { return Unfinished == 0; });
}

TaskPool::~TaskPool() {
  finish();
  {
    std::lock_guard Lock(Mutex);
    Ending = true;
  }
  NotEmpty.notify_all();
  for (std::thread &T : Threads)
    T.join();
}

/// Threads of the parent process must be neither joined nor waited for.
void TaskPool::forgetThreadsAfterFork() {
  if (Process == 0 || Process == getpid())
    return;
  // What names a thread of the parent means nothing here: it can be neither
  // detached nor destroyed.
  [[maybe_unused]] auto *Kept =
      new std::vector<std::thread>(std::exchange(Threads, {}));
  Tasks.clear();
  Unfinished = 0;
  Idle = 0;
  Process = 0;
}

void TaskPool::startThread() {
  Process = getpid();
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  Threads.emplace_back([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void TaskPool::submit(std::function<void()> Task) {
  {
    std::lock_guard Lock(Mutex);
    forgetThreadsAfterFork();
    ++Unfinished;
    auto Counted = [this, Task = std::move(Task)] {
      Task();
      std::lock_guard Lock(Mutex);
      if (--Unfinished == 0)
        AllDone.notify_all();
    };
    if (!Executor) {
      Tasks.push_back(std::move(Counted));
      unsigned Limit = MaxThreads
                           ? MaxThreads
                           : std::max(1u, std::thread::hardware_concurrency());
      if (Idle < Tasks.size() && Threads.size() < Limit)
        startThread();
      NotEmpty.notify_one();
      return;
    }
    Tasks.push_back(std::move(Counted));
  }
  Executor(
      ExecutorContext,
      [](void *Context) {
        auto *Pool = static_cast<TaskPool *>(Context);
        std::function<void()> Next;
        {
          std::lock_guard Lock(Pool->Mutex);
          Next = std::move(Pool->Tasks.front());
          Pool->Tasks.pop_front();
        }
        Next();
      },
      this);
}

void TaskPool::work() {
  std::unique_lock Lock(Mutex);
  while (true) {
    ++Idle;
    NotEmpty.wait(Lock, [this] { return !Tasks.empty() || Ending; });
    --Idle;
    if (Tasks.empty())
      return;
    std::function<void()> Task = std::move(Tasks.front());
    Tasks.pop_front();
    Lock.unlock();
    Task();
    Task = nullptr;
    Lock.lock();
  }
}
