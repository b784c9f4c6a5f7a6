//===- KernelCode.cpp - When a kernel becomes host code ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs that begin later run the code; those that run are emulated to their end.
//
//===----------------------------------------------------------------------===//

#include "KernelCode.h"
#include "CTA.h"

#include <algorithm>
#include <csignal>
#include <thread>

namespace heddle::emu {

/// Begins a translation on a thread that gets no signal of the program's.
/// Nobody waits for it: a program that ends has no use for the code.
void KernelCode::translateInBackground() {
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  std::thread([Kept = Module.shared_from_this(), Self = shared_from_this()] {
    Self->translate();
  }).detach();
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void KernelCode::translate() {
  std::call_once(Tried, [this] {
    Code = By->translate(Module.Image, Entry);
    Ready.store(Code.get(), std::memory_order_release);
  });
}

uint64_t KernelCode::longEnough() const {
  const CodeSection *Kernel = Module.Image.sectionOf(Entry);
  uint64_t Count = Kernel ? Kernel->Count : 0;
  return std::max(LeastEmulated, Count * EmulatedForEach);
}

void KernelCode::count(uint64_t ThreadInstructions) {
  uint64_t Before =
      Emulated.fetch_add(ThreadInstructions, std::memory_order_relaxed);
  if (Before + ThreadInstructions < longEnough() || ready())
    return;
  std::call_once(Started, [this] { translateInBackground(); });
}

} // namespace heddle::emu
