//===- FatalErrors.cpp - LLVM gives up, the process does not ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM is compiled without exceptions, so the only way out of a fatal error is
// the one that LLVM's own crash recovery takes: longjmp.
//
//===----------------------------------------------------------------------===//

#include "FatalErrors.h"
#include "MemoryLimit.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/thread.h"

#include <condition_variable>
#include <csetjmp>
#include <csignal>
#include <mutex>
#include <unistd.h>

using namespace llvm;

namespace heddle::compiler {

namespace {

/// Where the thread goes on after a fatal error.
struct Guard {
  std::jmp_buf Return;
  std::string Reason;
};

} // namespace

static thread_local Guard *Active = nullptr;

void leaveCompilation(const char *Reason) {
  if (!Active)
    return;
  forgetMemoryBudget();
  Active->Reason = Reason;
  std::longjmp(Active->Return, 1);
}

/// If this returns, LLVM ends the process.
static void leave(void *, const char *Reason, bool) {
  leaveCompilation(Reason);
}

static void installHandlers() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    install_fatal_error_handler(leave);
    install_bad_alloc_error_handler(leave);
  });
}

/// Nothing in here needs to be destroyed when the body is left early.
static bool runOrLeave(Guard &G, function_ref<void()> Body) {
  if (setjmp(G.Return))
    return false;
  Body();
  return true;
}

/// What the two threads tell each other.
struct GuardedThread::Shared {
  std::mutex Mutex; ///< Of Body, Reason and IsEnding.
  std::condition_variable Changed;
  const function_ref<void()> *Body = nullptr; ///< null: nothing to do
  std::optional<std::string> Reason;
  bool IsEnding = false;
  pid_t Process = getpid();
  std::optional<llvm::thread> Thread;

  void work();
};

void GuardedThread::Shared::work() {
  std::unique_lock Lock(Mutex);
  while (true) {
    Changed.wait(Lock, [this] { return Body || IsEnding; });
    if (!Body)
      return;
    Lock.unlock();
    Guard G;
    Active = &G;
    bool IsDone = runOrLeave(G, *Body);
    Active = nullptr;
    Lock.lock();
    if (!IsDone)
      Reason = G.Reason;
    Body = nullptr;
    Changed.notify_all();
  }
}

GuardedThread::GuardedThread() = default;
GuardedThread::~GuardedThread() { end(); }

void GuardedThread::start() {
  const std::optional<unsigned> StackBytes = 64u << 20;
  installHandlers();
  State = std::make_unique<Shared>();
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  State->Thread.emplace(StackBytes, [S = State.get()] { S->work(); });
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

/// The thread stayed in the parent process, and with it what it waits at.
void GuardedThread::forgetAfterFork() {
  if (State && State->Process != getpid())
    (void)State.release();
}

void GuardedThread::end() {
  forgetAfterFork();
  if (!State)
    return;
  {
    std::lock_guard Lock(State->Mutex);
    State->IsEnding = true;
  }
  State->Changed.notify_all();
  State->Thread->join();
  State.reset();
}

std::optional<std::string> GuardedThread::run(function_ref<void()> Body) {
  forgetAfterFork();
  if (!State)
    start();
  std::optional<std::string> Reason;
  {
    std::unique_lock Lock(State->Mutex);
    State->Body = &Body;
    State->Changed.notify_all();
    State->Changed.wait(Lock, [this] { return !State->Body; });
    Reason = State->Reason;
  }
  // LLVM's notes of what the thread was doing are not to be trusted any more.
  if (Reason)
    end();
  return Reason;
}

} // namespace heddle::compiler
