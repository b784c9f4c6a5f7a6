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

namespace heddle::emu {

KernelCode::~KernelCode() {
  if (Background.joinable())
    Background.join();
}

void KernelCode::translate() {
  std::call_once(Tried, [this] {
    Code = By.translate(Image, Entry);
    Ready.store(Code.get(), std::memory_order_release);
  });
}

void KernelCode::count(uint64_t ThreadInstructions) {
  uint64_t Before =
      Emulated.fetch_add(ThreadInstructions, std::memory_order_relaxed);
  if (Before + ThreadInstructions < LongEnough || ready())
    return;
  std::call_once(Started,
                 [this] { Background = std::thread([this] { translate(); }); });
}

} // namespace heddle::emu
