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

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/thread.h"

#include <csetjmp>
#include <csignal>
#include <mutex>

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

static void leave(void *, const char *Reason, bool) {
  if (!Active)
    return; // not in a compilation: LLVM ends the process
  Active->Reason = Reason;
  std::longjmp(Active->Return, 1);
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

std::optional<std::string> runGuarded(function_ref<void()> Body) {
  const std::optional<unsigned> StackBytes = 64u << 20;
  installHandlers();
  std::optional<std::string> Reason;
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  llvm::thread Thread(StackBytes, [&] {
    Guard G;
    Active = &G;
    if (!runOrLeave(G, Body))
      Reason = G.Reason;
    Active = nullptr;
  });
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  Thread.join();
  return Reason;
}

} // namespace heddle::compiler
