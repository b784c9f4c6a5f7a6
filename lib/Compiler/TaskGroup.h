//===- TaskGroup.h - Threads that share a compilation -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread of a compilation gives parts of its work to others that help it.
// It never waits for a thread that has not begun: without help it does
// everything itself, so that a pool whose threads are all busy is no deadlock.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_TASKGROUP_H
#define HEDDLE_LIB_COMPILER_TASKGROUP_H

#include "CompilerContext.h"
#include "MemoryLimit.h"
#include "heddle/Compiler/Control.h"

#include <mutex>

namespace heddle::compiler {

/// A caller's control for any number of threads of one compilation: asked and
/// told one at a time, and asked no more once it said to stop.
class SharedControl final : public CompileControl {
public:
  SharedControl(CompileControl &Inner, const MemoryBudget &Budget)
      : Inner(Inner), Budget(Budget) {}

  bool shouldStop() override;
  void progress(unsigned Done, unsigned Total) override;
  void stageDone(const char *Name, Time Begin, Time End) override;
  bool requestHelp(unsigned Threads,
                   const std::function<void()> &Help) override {
    return Inner.requestHelp(Threads, Help);
  }
  /// From now on shouldStop is true.
  void stop() { IsStopped = true; }

private:
  CompileControl &Inner;
  const MemoryBudget &Budget;
  std::atomic<bool> IsStopped{false};
  std::mutex Mutex; ///< Of calls to Inner.
};

/// The threads of one compilation. Belongs to the thread that waits for it, so
/// that it outlives a compilation that is left by a fatal error.
class TaskGroup {
public:
  /// The number of the next piece of work; none if there is no more.
  using NextTask = llvm::function_ref<std::optional<size_t>()>;
  /// What a thread does, with a compiler context of its own.
  using Body = std::function<void(CompilerContext &Ctx, NextTask Next)>;

  TaskGroup(WorkerPool &Workers, SharedControl &Control, MemoryBudget &Budget);
  TaskGroup(const TaskGroup &) = delete;
  TaskGroup &operator=(const TaskGroup &) = delete;
  /// As end.
  ~TaskGroup();

  /// Has Work done by this thread and at most Threads - 1 more, on pieces 0 to
  /// Count - 1. May be called again. What Work uses has to live as long as Work
  /// does. Returns LLVM's reason if one of the others met a fatal error.
  std::optional<std::string> run(size_t Count, unsigned Threads,
                                 CompilerContext &Ctx, Body Work);

  /// Waits until all helpers have ended.
  void end();

private:
  struct Shared;
  std::shared_ptr<Shared> State;
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_TASKGROUP_H
