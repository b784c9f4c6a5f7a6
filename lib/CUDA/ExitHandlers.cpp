//===- ExitHandlers.cpp - What runs when a process ends ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is loaded at the program's first call, so that destructors of its
// variables, LLVM's among them, would run before those of the program's, which
// may still call it. The linker's --wrap makes their registration come here.
//
//===----------------------------------------------------------------------===//

#include "ExitHandlers.h"

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming):
// the linker makes the names.
extern "C" {
int __real___cxa_atexit(void (*Handler)(void *), void *Argument, void *Library);

/// The library stays until the process ends, and nothing of it is destroyed.
int __wrap___cxa_atexit(void (*)(void *), void *, void *) { return 0; }
}

void heddle::cuda::callAtExit(void (*Handler)(void *)) {
  __real___cxa_atexit(Handler, nullptr, nullptr);
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
