//===- TaskGroup.cpp - Threads that share a compilation ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers share one state, which lives until the last helper that was asked for
// has ended.
//
//===----------------------------------------------------------------------===//

#include "TaskGroup.h"

#include <algorithm>
#include <condition_variable>
#include <thread>

using namespace llvm;

namespace heddle::compiler {

//===----------------------------------------------------------------------===//
// SharedControl
//===----------------------------------------------------------------------===//

bool SharedControl::shouldStop() {
  if (IsStopped)
    return true;
  if (Budget.isExceeded()) {
    IsStopped = true;
    return true;
  }
  std::lock_guard Lock(Mutex);
  if (Inner.shouldStop())
    IsStopped = true;
  return IsStopped;
}

void SharedControl::progress(unsigned Done, unsigned Total) {
  std::lock_guard Lock(Mutex);
  Inner.progress(Done, Total);
}

void SharedControl::stageDone(const char *Name, Time Begin, Time End) {
  std::lock_guard Lock(Mutex);
  Inner.stageDone(Name, Begin, End);
}

//===----------------------------------------------------------------------===//
// TaskGroup
//===----------------------------------------------------------------------===//

struct TaskGroup::Shared {
  Shared(WorkerPool &Workers, SharedControl &Control, MemoryBudget &Budget)
      : Workers(Workers), Control(Control), Budget(Budget) {}

  std::optional<size_t> next() {
    size_t Piece = Next.fetch_add(1, std::memory_order_relaxed);
    return Piece < Count ? std::optional(Piece) : std::nullopt;
  }
  void help();

  // Not to be touched by one that comes when the team has ended.
  WorkerPool &Workers;
  SharedControl &Control;
  MemoryBudget &Budget;
  Body Work;
  size_t Count = 0;
  std::atomic<size_t> Next{0};

  std::mutex Mutex; ///< Of everything below.
  std::condition_variable NobodyWorks;
  unsigned Working = 0;
  bool HasEnded = false;
  std::optional<std::string> Fatal;
  std::vector<std::thread> Threads; ///< Our own; the caller's only.
};

/// What a thread does that helps.
void TaskGroup::Shared::help() {
  {
    std::lock_guard Lock(Mutex);
    if (HasEnded || Next.load(std::memory_order_relaxed) >= Count)
      return;
    ++Working;
  }
  std::optional<std::string> Reason = Workers.run([&](CompilerContext &Ctx) {
    MemoryBudget::Scope Counted(Budget);
    Work(Ctx, [this] { return next(); });
  });
  if (Reason)
    Control.stop();
  std::lock_guard Lock(Mutex);
  if (Reason)
    Fatal = Reason;
  if (--Working == 0)
    NobodyWorks.notify_all();
}

TaskGroup::TaskGroup(WorkerPool &Workers, SharedControl &Control,
                     MemoryBudget &Budget)
    : State(std::make_shared<Shared>(Workers, Control, Budget)) {}

TaskGroup::~TaskGroup() { end(); }

std::optional<std::string> TaskGroup::run(size_t Count, unsigned Threads,
                                          CompilerContext &Ctx, Body Work) {
  {
    std::lock_guard Lock(State->Mutex);
    State->Work = std::move(Work);
    State->Count = Count;
    State->Next = 0;
    State->HasEnded = false;
  }
  size_t Useful = std::min<size_t>(Threads, Count);
  auto Helpers = static_cast<unsigned>(Useful ? Useful - 1 : 0);
  auto Help = [State = State] { State->help(); };
  if (Helpers && !State->Control.requestHelp(Helpers, Help))
    for (; Helpers; --Helpers)
      State->Threads.emplace_back(Help);
  State->Work(Ctx, [this] { return State->next(); });
  end();
  return State->Fatal;
}

void TaskGroup::end() {
  {
    std::unique_lock Lock(State->Mutex);
    State->HasEnded = true;
    // The remaining parts of a compilation that was left are dropped.
    State->Next = State->Count;
    if (State->Working)
      State->NobodyWorks.wait(Lock, [this] { return State->Working == 0; });
    // Those that come too late shall not keep it.
    State->Work = nullptr;
  }
  for (std::thread &T : State->Threads)
    T.join();
  State->Threads.clear();
}

} // namespace heddle::compiler
